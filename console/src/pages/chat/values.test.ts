import { describe, expect, it } from 'vitest';

import type { RunRow, ToolShape } from '../../api/types';
import { answerText, leaves, markOf, parameterTitle } from './values';

const tool = {
  parameters: {
    properties: {
      order: { title: 'Order', 'x-title': { zh: '订单号' } },
      to: { title: 'To', items: { properties: { name: { title: 'Name' } } } },
    },
  },
} as unknown as ToolShape;
const row = (run: string, input: string) => ({ run, input }) as RunRow;

describe('values in words', () => {
  it('names parameters in the language, and places in lists', () => {
    expect(parameterTitle(tool, 'order', 'zh')).toBe('订单号');
    expect(parameterTitle(tool, 'order', 'en')).toBe('Order');
    expect(parameterTitle(tool, 'to.1', 'en')).toBe('To 2');
    expect(parameterTitle(tool, 'to.0.name', 'en')).toBe('Name');
    expect(parameterTitle(undefined, 'x', 'en')).toBe('x');
  });

  it('puts answers as a user would', () => {
    expect(answerText([['Order', ' A1 ']], 'en')).toBe('A1');
    expect(answerText([['订单号', 'A1'], ['金额', '3']], 'zh')).toBe('订单号：A1；金额：3');
    expect(answerText([['Order', 'A1'], ['Amount', '']], 'en')).toBe('Order: A1');
  });

  it('finds the leaves of arguments', () => {
    expect(leaves({ a: 1, b: [{ c: 'x' }], d: {} })).toEqual([['a', 1], ['b.0.c', 'x'], ['d', {}]]);
  });
});

describe('the words that a value came from', () => {
  const rows = [row('r2', 'of A1'), row('r1', 'my order A1')];
  const said = [{ role: 'user', text: 'my order A1' }, { role: 'assistant', text: 'And?' }];

  it('stand in the message that the source counts', () => {
    const source = { kind: 'user' as const, message: 0, start: 9, end: 11 };
    expect(markOf(source, 'r2', rows, said)).toEqual({ run: 'r1', start: 9, end: 11 });
  });

  it('stand in the own message while it is not among the ended ones', () => {
    const source = { kind: 'user' as const, message: 2, start: 3, end: 5 };
    expect(markOf(source, 'r2', rows, said)).toEqual({ run: 'r2', start: 3, end: 5 });
  });

  it('are not shown where they cannot be told', () => {
    expect(markOf({ kind: 'tool' }, 'r2', rows, said)).toBeNull();
    expect(markOf({ kind: 'user', message: 1, start: 0, end: 2 }, 'r2', rows, said)).toBeNull();
    expect(markOf({ kind: 'user', message: 2, start: 0, end: 99 }, 'r2', rows, said)).toBeNull();
  });
});
