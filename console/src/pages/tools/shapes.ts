import type { Schema } from '../../parts/Arguments';

export interface ToolRow {
  agent: string;
  tool: string;
  title: string;
  description: string;
  source: string;
  source_state: string;
  risk: 'read' | 'write' | 'critical';
  parameters: Schema;
  breaker: { state: 'closed' | 'open' | 'half_open'; since: string | null; failures: number } | null;
  calls: number;
  ok: number;
  failed: number;
  p50_ms: number | null;
  p95_ms: number | null;
  last_errors: { at: string; run: string; code: string; message: string }[];
  verdict: string;
  policy: string[];
  off: { by: string; at: string; reason: string } | null;
}

export interface Tools {
  tools: ToolRow[];
  sources: { agent: string; source: string; state: string }[];
  days: number;
}

export function keyOf(one: ToolRow): string {
  return `${one.agent}/${one.tool}`;
}

/** How a tool is, in a word. */
export function stateOf(one: ToolRow): string {
  if (one.off) return 'off';
  if (one.breaker?.state === 'open' || one.breaker?.state === 'half_open') return one.breaker.state;
  if (one.source_state === 'starting') return 'running';
  if (one.source_state !== 'ready') return 'failed';
  return one.calls > 0 && one.ok / one.calls < 0.8 ? 'warning' : 'ok';
}
