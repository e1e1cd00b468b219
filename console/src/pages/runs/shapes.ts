import type { RunRow } from '../../api/types';

/** A run in the list of those that were looked for. */
export interface FoundRun extends RunRow {
  user: string;
  kind: string;
  failure: string;
  origin: string;
  ms: number;
  intents: string[];
  tools: string[];
  asks: number;
  confirmations: number;
  approvals: number;
  denials: number;
  rating: 'up' | 'down' | null;
  comment: string;
}

export interface Histogram {
  from: string | null;
  to: string | null;
  step_seconds: number;
  buckets: { at: string; count: number; failed: number }[];
}

export interface Explanation {
  run: string;
  text: string;
  opening: string[];
  calls: { call: string; line: string; verdict: string; said: string; sentences: string[] }[];
  ending: string[];
}

export interface Replayed {
  run: string;
  same: boolean;
  differences: { call: string; about: string; recorded: string; now: string }[];
  problem: string | null;
}

export interface CaseMade {
  case: string;
  text: string;
  suite: string | null;
  cases: number;
}
