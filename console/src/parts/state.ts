/** What the states of things look like: every word that the API uses for one has a tone. */
import type { Tone } from '../app/palette';
import type { TextKey } from '../i18n';

export interface Look {
  tone: Tone;
  icon: 'run' | 'wait' | 'ok' | 'bad' | 'stop' | 'ask' | 'idle' | 'warn' | 'eye' | 'pen' | 'bolt';
  word: TextKey;
}

const LOOKS: Record<string, Look> = {
  queued: { tone: 'neutral', icon: 'idle', word: 'parts.queued' },
  running: { tone: 'info', icon: 'run', word: 'parts.running' },
  split: { tone: 'info', icon: 'run', word: 'parts.running' },
  sending: { tone: 'info', icon: 'run', word: 'parts.running' },
  retry: { tone: 'wait', icon: 'wait', word: 'parts.late' },
  waiting: { tone: 'wait', icon: 'wait', word: 'parts.waiting' },
  asking: { tone: 'wait', icon: 'ask', word: 'parts.asking' },
  parked: { tone: 'bad', icon: 'warn', word: 'parts.parked' },
  done: { tone: 'good', icon: 'ok', word: 'parts.done' },
  fired: { tone: 'good', icon: 'ok', word: 'parts.done' },
  sent: { tone: 'good', icon: 'ok', word: 'parts.sent' },
  failed: { tone: 'bad', icon: 'bad', word: 'parts.failed' },
  error: { tone: 'bad', icon: 'bad', word: 'parts.failed' },
  timeout: { tone: 'bad', icon: 'bad', word: 'parts.timeout' },
  failed_permanent: { tone: 'bad', icon: 'bad', word: 'parts.failed' },
  dead_letter: { tone: 'bad', icon: 'bad', word: 'parts.failed' },
  cancelled: { tone: 'neutral', icon: 'stop', word: 'parts.cancelled' },
  skipped: { tone: 'neutral', icon: 'stop', word: 'parts.skipped' },
  superseded: { tone: 'neutral', icon: 'stop', word: 'parts.cancelled' },
  taken_over: { tone: 'good', icon: 'ok', word: 'parts.byHand' },
  edited: { tone: 'neutral', icon: 'pen', word: 'parts.edited' },
  expired: { tone: 'neutral', icon: 'stop', word: 'parts.expired' },
  approved: { tone: 'good', icon: 'ok', word: 'parts.approved' },
  denied: { tone: 'bad', icon: 'bad', word: 'parts.denied' },
  refused: { tone: 'bad', icon: 'bad', word: 'parts.denied' },
  rejected: { tone: 'bad', icon: 'bad', word: 'parts.denied' },
  uncertain: { tone: 'bad', icon: 'warn', word: 'parts.uncertain' },
  pending: { tone: 'neutral', icon: 'idle', word: 'parts.pending' },
  ok: { tone: 'good', icon: 'ok', word: 'parts.ok' },
  ready: { tone: 'good', icon: 'ok', word: 'parts.ok' },
  warning: { tone: 'wait', icon: 'warn', word: 'parts.warning' },
  off: { tone: 'neutral', icon: 'stop', word: 'parts.off' },
  active: { tone: 'good', icon: 'ok', word: 'parts.active' },
  paused: { tone: 'neutral', icon: 'idle', word: 'parts.paused' },
  late: { tone: 'wait', icon: 'warn', word: 'parts.late' },
  missed: { tone: 'bad', icon: 'bad', word: 'parts.missed' },
  read: { tone: 'neutral', icon: 'eye', word: 'parts.read' },
  write: { tone: 'wait', icon: 'pen', word: 'parts.write' },
  critical: { tone: 'bad', icon: 'bolt', word: 'parts.critical' },
  open: { tone: 'bad', icon: 'bad', word: 'parts.open' },
  half_open: { tone: 'wait', icon: 'wait', word: 'parts.half_open' },
  closed: { tone: 'good', icon: 'ok', word: 'parts.closed' },
};

/** How a state looks; undefined for one that nobody has described, which is shown by its word. */
export function lookOf(state: string): Look | undefined {
  return LOOKS[state];
}
