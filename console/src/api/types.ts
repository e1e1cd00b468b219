/** The API's shapes that more than one page reads. Instants are ISO 8601, in UTC. */
import type { Language } from '../i18n';

export type RunStatus =
  | 'queued'
  | 'running'
  | 'split'
  | 'waiting'
  | 'parked'
  | 'done'
  | 'failed'
  | 'cancelled';

export interface Tokens {
  prompt: number;
  cached: number;
  completion: number;
  reasoning: number;
  total: number;
}

export interface RunRow {
  run: string;
  conversation: string;
  agent: string;
  status: RunStatus;
  input: string;
  reply: string;
  created: string;
  updated: string;
  usage: Tokens;
  rating?: 'up' | 'down' | null;
}

export interface ToolShape {
  name: string;
  title: string;
  titles?: Partial<Record<Language, string>>;
  description: string;
  source: string;
  risk: 'read' | 'write' | 'critical';
  parameters: JsonSchema;
}

export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  format?: string;
  required?: string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  'x-title'?: Partial<Record<Language, string>>;
  [more: string]: unknown;
}

export interface AgentShape {
  agent: string;
  title: string;
  titles?: Partial<Record<Language, string>>;
  examples?: Partial<Record<Language, string[]>>;
  language: Language;
  timezone: string;
  model: string;
  sources: { name: string; state: string }[];
  tools: ToolShape[];
}

export interface IntentShape {
  intent: string;
  title: Partial<Record<Language, string>>;
  description: string;
  examples: string[];
  tools: string[];
  accept: number;
  ask: number;
}

export interface Source {
  kind: 'user' | 'tool' | 'context' | 'directory' | 'default' | 'model';
  message?: number;
  start?: number;
  end?: number;
  call?: string;
  tool?: string;
  at?: string;
  form?: string;
  tainted?: boolean;
}

export interface Approval {
  approval: string;
  run: string;
  conversation: string;
  agent: string;
  call: string;
  tool: string;
  risk: 'read' | 'write' | 'critical';
  arguments: Record<string, unknown>;
  sources: Record<string, Source>;
  tainted: string[];
  rule: string;
  by: string;
  requester: string;
  why: string;
  question: string;
  asked: string;
  expires: string;
  state: string;
  decided_by: string;
  decided_at: string | null;
  reason: string;
  edited_from: string;
  replaced_by: string;
  edits: { at: string; by: string; changed: string[]; former: Record<string, unknown>; reason: string }[];
  refused: { at: string; by: string; wanted: string; kind: string }[];
  may: ('approve' | 'deny' | 'take_over')[];
  text: string;
}

export interface TaskShape {
  index: string;
  desc: string;
  base: string[];
  optional: boolean;
  state: 'pending' | 'running' | 'waiting' | 'done' | 'failed' | 'cancelled' | 'skipped';
  run: string | null;
  attempt: number;
  result: string;
  why: string;
  cause: string | null;
  questions: string[];
  started: string | null;
  ended: string | null;
  tokens: number;
}

export interface GraphShape {
  run: string;
  call: string;
  version: number;
  overall: 'open' | 'done' | 'partial_failure' | 'failed';
  tasks: TaskShape[];
  text: string;
}

/** A table as a tool gives it; `chart` when one fits. */
export interface TableShape {
  columns: { name: string; type: string }[];
  rows: unknown[][];
  truncated?: boolean;
  title?: string;
  unit?: string;
  chart?: ChartShape;
}

export interface ChartShape {
  kind: 'bar' | 'line' | 'pie';
  title: string;
  label: string;
  unit: string;
  labels: string[];
  series: { name: string; values: (number | null)[] }[];
}
