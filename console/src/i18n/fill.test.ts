import { describe, expect, it } from 'vitest';

import { fill } from './fill';
import { texts as en } from './en';
import { texts as zh } from './zh';

describe('a text with places', () => {
  it('takes values and chooses by number', () => {
    expect(fill('{n} {n|row|rows} of {what}', { n: 1, what: '{n}' })).toBe('1 row of {n}');
    expect(fill('{n} {n|row|rows}', { n: 2 })).toBe('2 rows');
    expect(fill('{n} {other}', { n: 2 })).toBe('2 {other}');
  });
});

describe('both languages', () => {
  const places = (text: string) => new Set(Array.from(text.matchAll(/\{(\w+)/g), (one) => one[1]));
  const pairs = Object.entries(zh).flatMap(([page, keys]) =>
    Object.entries(keys).map(([key, text]): [string, string, string] => [
      `${page}.${key}`,
      text,
      (en as Record<string, Record<string, string>>)[page]?.[key] ?? '',
    ]),
  );
  it('say the same with the same places', () => {
    const other = pairs.filter(([, chinese, english]) => !english || String([...places(chinese)].sort()) !== String([...places(english)].sort()));
    expect(other).toEqual([]);
  });
});
