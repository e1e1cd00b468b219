import { describe, expect, it } from 'vitest';

import type { RunEvent } from './events';
import { viewOf } from './fold';
import { RunLog } from './runLog';

let position = 0;

function event(type: string, fields: Partial<RunEvent> = {}): RunEvent {
  position += 1;
  return { type: `${type}@1`, at: '2026-11-30T12:00:00Z', position, ...fields };
}

const begun = () => [
  event('message_received', { agent: 'a', language: 'en', messages: [{ role: 'user', text: 'hello' }] }),
  event('run_started'),
];
const call = (name: string, fields: Partial<RunEvent> = {}) => event(name, { call: '1.0', tool: 'refund', ...fields });

describe('a run', () => {
  it('waits for whom its call waits, until he has decided', () => {
    const asked = [...begun(), call('call_validated', { risk: 'write' }), call('approval_asked', { approval: 'x', by: 'user' })];
    expect(viewOf(asked)).toMatchObject({ status: 'waiting', waiting: [{ approval: 'x', by: 'user' }] });
    const decided = viewOf([...asked, call('approval_decided', { approval: 'x', decision: 'approved', by: 'ben' })]);
    expect(decided).toMatchObject({ status: 'running', waiting: [] });
  });

  it('shows an edited call with its new arguments and approval', () => {
    const view = viewOf([
      ...begun(),
      call('call_validated', { arguments: { amount: 1 } }),
      call('approval_asked', { approval: 'x' }),
      call('approval_edited', { approval: 'x', replacement: 'y', editor: 'li', arguments: { amount: 2 } }),
    ]);
    expect(view.calls[0]).toMatchObject({ arguments: { amount: 2 } });
    expect(view.waiting).toMatchObject([{ approval: 'y' }]);
  });

  it('asks for what is missing when it ends with a question, and only then', () => {
    const missing = [...begun(), call('call_rejected', { kind: 'missing', missing: ['order'] })];
    expect(viewOf(missing).asked).toBeNull();
    const asked = viewOf([...missing, event('reply_given', { kind: 'question', text: 'Which?' })]);
    expect(asked.asked).toEqual({ missing: ['order'], tool: 'refund', candidates: [] });
  });

  it('does not show a draft that did not hold', () => {
    const view = viewOf([
      ...begun(),
      event('model_asked', { turn: 1 }),
      event('model_answered', { message: { text: 'It is done.' }, ms: 1 }),
      event('reply_checked', { draft: 'It is done.', faults: ['no'], action: 'ask_again' }),
    ]);
    expect(view.text).toBe('');
  });

  it('says at which step it failed, and why', () => {
    const view = viewOf([
      ...begun(),
      event('model_asked', { turn: 1 }),
      event('model_failed', { error: 'ModelTimeout', detail: 'slow' }),
      event('run_failed', { reason: 'model', detail: 'slow', text: 'Sorry.' }),
    ]);
    expect(view).toMatchObject({ status: 'failed', text: 'Sorry.', failure: { reason: 'model' } });
    expect(view.steps.map((one) => [one.kind, one.state])).toContainEqual(['model', 'failed']);
  });

  it('adds up the attempts of a call', () => {
    const view = viewOf([
      ...begun(),
      call('call_validated'),
      call('attempt_started', { attempt: 1 }),
      call('attempt_finished', { attempt: 1, ms: 5, retry_in: 0, result: { status: 'failed', content: '' } }),
      call('attempt_started', { attempt: 2 }),
      call('attempt_finished', { attempt: 2, ms: 7, result: { status: 'ok', content: 'yes' } }),
    ]);
    expect(view.steps.at(-1)).toMatchObject({ kind: 'call', ms: 12, state: 'done' });
  });
});

describe('a run that is followed', () => {
  it('tells its watchers once a frame, and takes no event twice', () => {
    const frames: (() => void)[] = [];
    const log = new RunLog('r', true, (frame) => frames.push(frame));
    const say = (name: string, data: unknown, at: number | null = null) =>
      log.take({ topic: 'run:r', event: name, position: at, data });
    say('message_received', event('message_received'), 0);
    say('text', { text: 'a' });
    say('text', { text: 'b' });
    say('message_received', event('message_received'), 0);
    expect(frames).toHaveLength(1);
    frames[0]?.();
    expect(log.state()).toMatchObject({ piece: 'ab' });
    expect(log.state().events).toHaveLength(1);
  });

  it('keeps pieces of the next answer that came before the whole of the last', () => {
    const log = new RunLog('r', true, (frame) => frame());
    const say = (name: string, data: unknown, at: number | null = null) =>
      log.take({ topic: 'run:r', event: name, position: at, data });
    say('text', { text: 'First.' });
    say('text', { text: ' Second' });
    say('model_answered', event('model_answered', { message: { text: 'First.' } }), 3);
    expect(log.state()).toMatchObject({ piece: 'Second', view: { text: 'First.' } });
    say('reopened', null);
    expect(log.state().piece).toBe('');
  });
});
