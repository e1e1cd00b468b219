export type ReminderState = 'active' | 'paused' | 'done' | 'cancelled';

export interface Reading {
  words: string;
  rule: string;
  start: string;
  next: string[];
}

export interface Reminder {
  reminder: string;
  title: string;
  kind: 'text' | 'action';
  text: string;
  action: string;
  agent: string;
  conversation: string;
  words: string;
  when: string;
  rule: string;
  start: string;
  timezone: string;
  next: string | null;
  snoozed: string | null;
  state: ReminderState;
  calls: { tool: string; arguments: Record<string, unknown>; open: string[] }[];
  created: string;
  target: { channel: string; name: string }[];
}

export interface Occurrence {
  due: string;
  fired: string;
  state: 'fired' | 'late' | 'missed' | 'failed';
  late: number;
  passed: number;
  run: string | null;
  delivery: string | null;
  deliveries: string[];
  note: string;
}

export interface Whole extends Reminder {
  occurrences: Occurrence[];
}

/** What a confirmation of an action means. */
export interface ToConfirm {
  confirm: string;
  told: string;
  next: string[];
  calls: { title: string; told: string; waits: boolean }[];
}

/** What it says or does. */
export function contentOf(one: Reminder): string {
  return one.kind === 'text' ? one.text : one.action;
}
