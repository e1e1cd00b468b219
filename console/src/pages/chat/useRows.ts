import { useCallback, useState } from 'react';

import { useTopic } from '../../api/channel';
import { api, type Problem } from '../../api/client';
import type { RunRow } from '../../api/types';
import { useGet } from '../../api/use';
import { usePages } from '../../parts/usePages';

interface Rows {
  /** The conversation's runs, newest first. */
  rows: RunRow[];
  problem: Problem | undefined;
  loading: boolean;
  more: boolean;
  older: () => void;
  reload: () => void;
  /** Put a run that was just made in front; one that is there already stays where it is. */
  add: (row: RunRow) => void;
  change: (run: string, change: (row: RunRow) => RunRow) => void;
  /** The messages of the ended runs, by whose places sources name the user's words. */
  messages: readonly { role: string; text?: string }[];
}

const NONE: readonly { role: string }[] = [];

/** The runs of a conversation, with those that were made here. */
export function useRows(conversation: string | undefined): Rows {
  const [first] = useState(conversation);
  const pages = usePages<RunRow>(first === undefined ? null : '/api/runs', 'runs', { conversation: first }, 50);
  const [own, setOwn] = useState<RunRow[]>([]);
  const whole = useGet<{ messages: { role: string; text?: string }[] }>(
    conversation === undefined ? null : `/api/conversations/${conversation}`,
  );
  const { reload } = whole;
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  useTopic('runs', null, () => {
    reload();
    if (conversation === undefined) return;
    // a run that was made elsewhere: another tab, a reminder
    api
      .get<{ runs: RunRow[] }>('/api/runs', { conversation, limit: 5 })
      .then(({ runs }) => {
        setSeen(new Set(runs.map((one) => one.run)));
        setOwn((former) => merged(runs, former));
      })
      .catch(() => undefined); // what is shown stays
  });
  const rows = merged(own, pages.rows);
  const { patch } = pages;
  return {
    rows,
    problem: first !== undefined && seen.size === 0 ? pages.problem : undefined,
    loading: pages.loading && rows.length === 0,
    more: pages.more,
    older: pages.next,
    reload: pages.reload,
    add: useCallback((row) => setOwn((former) => merged(former, [row])), []),
    change: useCallback(
      (run, change) => {
        const apply = (row: RunRow) => (row.run === run ? change(row) : row);
        setOwn((former) => former.map(apply));
        patch((row) => row.run === run, change);
      },
      [patch],
    ),
    messages: whole.data?.messages ?? NONE,
  };
}

/** Both lists, each run once as the first has it, newest first: ids rise with time. */
export function merged(first: readonly RunRow[], second: readonly RunRow[]): RunRow[] {
  const found = new Map<string, RunRow>();
  for (const row of [...first, ...second]) if (!found.has(row.run)) found.set(row.run, row);
  return [...found.values()].sort((a, b) => (a.run < b.run ? 1 : -1));
}
