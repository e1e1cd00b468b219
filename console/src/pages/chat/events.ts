/** The events of a run's journal, as far as this page reads them. */
import type { Source } from '../../api/types';

export interface Usage {
  prompt: number;
  cached: number;
  completion: number;
  reasoning: number;
  total: number;
}

export interface RawCall {
  id: string;
  name: string;
  arguments: string;
}

export interface Result {
  status: string;
  content: string;
  data?: unknown;
  blob?: string;
  untrusted?: boolean;
}

/** `type` is `name@version`; the other fields depend on the name. */
export interface RunEvent {
  type: string;
  at: string;
  position: number;
  agent?: string;
  user?: string;
  conversation?: string;
  language?: 'zh' | 'en';
  messages?: { role: string; text: string }[];
  origin?: string;
  model?: string;
  reason?: string;
  scores?: Record<string, number>;
  by?: string;
  abstains?: boolean;
  kind?: string;
  intents?: string[];
  tools?: string[];
  candidates?: string[];
  why?: string;
  question?: string;
  message?: { text?: string; calls?: RawCall[]; reasoning?: string };
  draft?: string;
  faults?: string[];
  action?: string;
  turn?: number;
  stop?: string;
  ms?: number;
  usage?: Usage | null;
  cut?: RawCall[];
  attempts?: number;
  error?: string;
  detail?: string;
  call?: string;
  tool?: string;
  source?: string;
  risk?: string;
  arguments?: Record<string, unknown>;
  notes?: string[];
  sources?: Record<string, Source>;
  tainted?: string[];
  content?: string;
  missing?: string[];
  rule?: string;
  attempt?: number;
  result?: Result;
  retry_in?: number | null;
  text?: string;
  approval?: string;
  replacement?: string;
  editor?: string;
  changed?: string[];
  decision?: string;
  expires?: string;
  node?: string;
  run?: string;
  state?: string;
  questions?: { text: string; approval?: string; by?: string; tool?: string }[];
  nodes?: { id: string; desc: string; base?: string[]; optional?: boolean }[];
}

/** The event's name, without its version. */
export function nameOf(event: RunEvent): string {
  return event.type.split('@', 1)[0] ?? '';
}
