import { describe, expect, it } from 'vitest';

import type { Approval } from '../../api/types';
import { canBulk, told } from './together';

function approval(given: Partial<Approval>): Approval {
  return { approval: 'a', agent: 'mirror', tool: 'note', risk: 'write', tainted: [], may: ['approve', 'deny'], ...given } as Approval;
}

describe('calls that are decided together', () => {
  it('are of one tool of one agent', () => {
    const marked = [approval({})];
    expect(canBulk(approval({ approval: 'b' }), marked)).toBe(true);
    expect(canBulk(approval({ tool: 'other' }), marked)).toBe(false);
    expect(canBulk(approval({ agent: 'other' }), marked)).toBe(false);
  });

  it('are neither critical, nor of untrusted text, nor for others to decide', () => {
    expect(canBulk(approval({}), [])).toBe(true);
    expect(canBulk(approval({ risk: 'critical' }), [])).toBe(false);
    expect(canBulk(approval({ tainted: ['text'] }), [])).toBe(false);
    expect(canBulk(approval({ may: ['deny'] }), [])).toBe(false);
  });

  it('are told apart by what came of each', () => {
    const asked = [approval({ approval: 'a' }), approval({ approval: 'b' })];
    const came = told('deny', asked, [
      { approval: 'a', status: 200, outcome: 'denied', detail: '' },
      { approval: 'b', status: 409, outcome: 'already_settled', detail: 'This was settled before.' },
    ]);
    expect(came).toEqual({ decision: 'deny', done: 1, failed: [{ approval: asked[1], why: 'This was settled before.' }] });
  });
});
