import { expect, test } from 'vitest';

import { around, difference } from './lines';

const signs = (before: string, after: string) =>
  difference(before, after).map((one) => ({ same: ' ', added: '+', removed: '-' })[one.kind] + one.text);

test('what stays is found between what goes and what comes', () => {
  expect(signs('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([' a', '-b', ' c', '+x', ' d']);
});

test('nothing and something differ by every line', () => {
  expect(signs('', 'a\nb')).toEqual(['+a', '+b']);
  expect(signs('a', '')).toEqual(['-a']);
  expect(signs('', '')).toEqual([]);
});

test('each line has its number in the text that it stands in', () => {
  expect(difference('a\nb', 'b')).toEqual([
    { kind: 'removed', text: 'a', before: 1 },
    { kind: 'same', text: 'b', before: 2, after: 1 },
  ]);
});

test('far from changes there is a gap, and equal texts show nothing', () => {
  const long = Array.from({ length: 20 }, (_, n) => String(n));
  const shown = around(difference(long.join('\n'), [...long, 'x'].join('\n')), 2);
  expect(shown[0]).toBeUndefined();
  expect(shown.slice(1).map((one) => one?.text)).toEqual(['18', '19', 'x']);
  expect(around(difference('a', 'a'))).toEqual([]);
});

test('very large texts are taken as replaced', () => {
  const many = (word: string) => Array.from({ length: 2100 }, (_, n) => `${word}${n}`).join('\n');
  expect(difference(many('a'), many('b'))).toHaveLength(4200);
});
