import { expect, test } from 'vitest';

import { labelEvery, ticks } from './scale';

test('ticks are round and reach the largest value', () => {
  expect(ticks(0)).toEqual([0, 1]);
  expect(ticks(7)).toEqual([0, 2, 4, 6, 8]);
  expect(ticks(230)).toEqual([0, 100, 200, 300]);
  expect(ticks(0.3)).toEqual([0, 0.1, 0.2, 0.3]);
});

test('labels that would overlap are left out', () => {
  expect(labelEvery(60, 600, 60)).toBe(6);
  expect(labelEvery(7, 600, 60)).toBe(1);
});
