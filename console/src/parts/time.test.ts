import { describe, expect, it } from 'vitest';

import { relative, span } from './time';

const NOW = Date.parse('2026-11-30T12:00:00Z');

describe('an instant in words', () => {
  it.each([
    [0, 'now'],
    [-59, '59 seconds ago'],
    [-60, '1 minute ago'],
    [3_600, 'in 1 hour'],
    [-86_400, 'yesterday'],
  ])('%i seconds away is %s', (seconds, words) => {
    expect(relative(new Date(NOW + seconds * 1000), NOW, 'en-GB')).toBe(words);
  });
});

describe('a span in words', () => {
  it.each([
    [0.4, '<1 ms'],
    [340, '340 ms'],
    [2_140, '2.1 s'],
    [65_000, '1 min 5 s'],
    [3_720_000, '1 h 2 min'],
  ])('%f ms is %s', (ms, words) => expect(span(ms)).toBe(words));
});
