import { expect, test } from 'vitest';

import { layers } from './layers';

test('a task stands right of all that it needs', () => {
  const placed = layers([
    { index: '1', base: [] },
    { index: '2', base: [] },
    { index: '3', base: ['1'] },
    { index: '4', base: ['3', '2'] },
  ]);
  expect([...placed].map(([index, at]) => [index, at.column])).toEqual([
    ['1', 0],
    ['2', 0],
    ['3', 1],
    ['4', 2],
  ]);
});

test('what needs itself or something unknown is placed all the same', () => {
  const placed = layers([
    { index: '1', base: ['2', '9'] },
    { index: '2', base: ['1'] },
  ]);
  expect(placed.size).toBe(2);
});

test('tasks in a column follow those that they need', () => {
  const placed = layers([
    { index: 'a', base: [] },
    { index: 'b', base: [] },
    { index: 'of b', base: ['b'] },
    { index: 'of a', base: ['a'] },
  ]);
  expect(placed.get('of a')).toEqual({ column: 1, row: 0 });
  expect(placed.get('of b')).toEqual({ column: 1, row: 1 });
});
