/** Where the tasks of a graph stand: every task right of all that it needs. */

export interface Placed {
  column: number;
  row: number;
}

/** Columns by the longest path to a task; rows near those that it needs. */
export function layers(tasks: readonly { index: string; base: readonly string[] }[]): Map<string, Placed> {
  const known = new Map(tasks.map((task) => [task.index, task]));
  const columns = new Map<string, number>();
  const columnOf = (index: string, seen: ReadonlySet<string>): number => {
    const found = columns.get(index);
    if (found !== undefined) return found;
    const base = known.get(index)?.base.filter((one) => known.has(one) && !seen.has(one)) ?? [];
    const column = Math.max(-1, ...base.map((one) => columnOf(one, new Set([...seen, index])))) + 1;
    columns.set(index, column);
    return column;
  };
  for (const task of tasks) columnOf(task.index, new Set());
  const placed = new Map<string, Placed>();
  const last = Math.max(0, ...columns.values());
  for (let column = 0; column <= last; column += 1) {
    const here = tasks.filter((task) => columns.get(task.index) === column);
    const middle = (base: readonly string[]) => {
      const rows = base.flatMap((one) => placed.get(one)?.row ?? []);
      return rows.length > 0 ? rows.reduce((sum, row) => sum + row, 0) / rows.length : 0;
    };
    here
      .map((task, n) => ({ task, order: middle(task.base) + n / 1000 }))
      .sort((a, b) => a.order - b.order)
      .forEach(({ task }, row) => placed.set(task.index, { column, row }));
  }
  return placed;
}
