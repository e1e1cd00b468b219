import type { Tokens } from '../../api/types';

export interface Suite {
  agent: string;
  suite: string;
  file: string;
  cases: number;
  problem: string | null;
}

export interface Row {
  id: string;
  agent: string;
  suite: string;
  state: 'running' | 'done' | 'failed';
  done: number;
  total: number;
  passed: number;
  score: number | null;
  change: number | null;
  by: string;
  model: string;
  version: string;
  started: string;
  ended: string | null;
  problem: string | null;
}

export type Form = 'share' | 'count' | 'number';

export interface Metric {
  metric: string;
  value: number | null;
  form: Form;
  at_least: boolean;
  wanted: number | null;
  met: boolean | null;
}

export interface CaseShape {
  case: string;
  title: string;
  tags: string[];
  repeat: number;
  passed: boolean;
  score: number;
  failed: { kind: string; turn: number; expected: string; got: string }[];
  turns: {
    run: string;
    say: string;
    reply: string;
    outcome: string;
    intents: string[];
    calls: Record<string, unknown>[];
    ms: number;
  }[];
  story: string[];
  error: string;
  ms: number;
}

export interface Report extends Row {
  metrics: Metric[];
  confusion: Record<string, Record<string, number>>;
  labels: string[];
  usage: Tokens;
  cases: CaseShape[];
}

export interface Comparison {
  evaluation: Row;
  other: Row;
  metrics: { metric: string; form: Form; at_least: boolean; before: number | null; after: number | null }[];
  fixed: string[];
  broken: string[];
  new: string[];
  gone: string[];
}

/** A metric's value for a person. */
export function formed(value: number | null, form: Form): string {
  if (value === null) return '—';
  if (form === 'share') return `${(value * 100).toFixed(1)} %`;
  return value.toLocaleString(undefined, { maximumFractionDigits: form === 'count' ? 0 : 2 });
}
