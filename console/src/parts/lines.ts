/** The difference of two texts, line by line. */

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
  /** Line numbers from 1, where the line stands in that text. */
  before?: number;
  after?: number;
}

const MOST_CELLS = 4_000_000;

/** What was removed and what was added, in order (longest common subsequence of lines). */
export function difference(before: string, after: string): DiffLine[] {
  const a = before === '' ? [] : before.split('\n');
  const b = after === '' ? [] : after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const found: DiffLine[] = [];
  const same = (n: number, m: number) =>
    found.push({ kind: 'same', text: a[n] ?? '', before: n + 1, after: m + 1 });
  for (let n = 0; n < head; n += 1) same(n, n);
  middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail), head, found);
  for (let n = tail; n > 0; n -= 1) same(a.length - n, b.length - n);
  return found;
}

function middle(a: string[], b: string[], offset: number, found: DiffLine[]): void {
  const width = b.length + 1;
  const removed = (n: number) =>
    found.push({ kind: 'removed', text: a[n] ?? '', before: offset + n + 1 });
  const added = (m: number) => found.push({ kind: 'added', text: b[m] ?? '', after: offset + m + 1 });
  if (a.length * b.length > MOST_CELLS) {
    a.forEach((_, n) => removed(n));
    b.forEach((_, m) => added(m));
    return;
  }
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (n: number, m: number) => longest[n * width + m] ?? 0;
  for (let n = a.length - 1; n >= 0; n -= 1) {
    for (let m = b.length - 1; m >= 0; m -= 1) {
      longest[n * width + m] =
        a[n] === b[m] ? at(n + 1, m + 1) + 1 : Math.max(at(n + 1, m), at(n, m + 1));
    }
  }
  let n = 0;
  let m = 0;
  while (n < a.length || m < b.length) {
    if (n < a.length && m < b.length && a[n] === b[m]) {
      found.push({ kind: 'same', text: a[n] ?? '', before: offset + n + 1, after: offset + m + 1 });
      n += 1;
      m += 1;
    } else if (n < a.length && (m >= b.length || at(n + 1, m) >= at(n, m + 1))) {
      removed(n);
      n += 1;
    } else {
      added(m);
      m += 1;
    }
  }
}

/** The lines near a change; `undefined` stands for a gap. */
export function around(lines: readonly DiffLine[], context = 3): (DiffLine | undefined)[] {
  const near = new Set<number>();
  lines.forEach((line, n) => {
    if (line.kind === 'same') return;
    for (let k = n - context; k <= n + context; k += 1) near.add(k);
  });
  const found: (DiffLine | undefined)[] = [];
  lines.forEach((line, n) => {
    if (near.has(n)) found.push(line);
    else if (found.length === 0 || found.at(-1) !== undefined) found.push(undefined);
  });
  return found.some((line) => line !== undefined) ? found : [];
}
