import { useCallback, useEffect, useRef, useState } from 'react';

import { useReturn } from '../api/channel';
import { api, problemOf, type Problem, type Query } from '../api/client';

type Cursor = string | number | null;
type Answer = { before: Cursor } & Record<string, unknown>;

export interface Pages<Row> {
  rows: Row[];
  problem: Problem | undefined;
  loading: boolean;
  /** There are older rows on the server. */
  more: boolean;
  next: () => void;
  reload: () => void;
  /** Change a row in place; undefined removes it. */
  patch: (match: (row: Row) => boolean, change: (row: Row) => Row | undefined) => void;
}

/** A list that the server gives a page at a time (`{<name>: [...], before}`), newest first. `null` asks nothing. */
export function usePages<Row>(path: string | null, name: string, query: Query, limit = 50): Pages<Row> {
  const key = (path ?? '') + JSON.stringify(query);
  const [state, setState] = useState<{
    key: string;
    rows: Row[];
    before: Cursor;
    loading: boolean;
    problem?: Problem;
  }>({ key, rows: [], before: null, loading: path !== null });
  const latest = useRef({ key, path, name, query, limit, stop: new AbortController() });
  useEffect(() => {
    Object.assign(latest.current, { key, path, name, query, limit });
  });

  const load = useCallback(
    (before: Cursor, fresh: boolean) => {
      const asked = latest.current; // a reload may be called that an earlier render gave
      const { key } = asked;
      if (asked.path === null) return;
      asked.stop.abort();
      const stop = (asked.stop = new AbortController());
      api
        .get<Answer>(asked.path, { ...asked.query, limit: asked.limit, before }, stop.signal)
        .then((answer) => {
          const rows = answer[asked.name] as Row[];
          setState((former) => ({
            key,
            rows: fresh ? rows : [...former.rows, ...rows],
            before: answer.before,
            loading: false,
          }));
        })
        .catch((fault: unknown) => {
          if (stop.signal.aborted) return;
          setState((former) => ({
            key,
            rows: former.key === key ? former.rows : [],
            before: former.key === key ? former.before : null,
            loading: false,
            problem: problemOf(fault),
          }));
        });
    },
    [],
  );
  useEffect(() => {
    load(null, true);
    const { current } = latest;
    return () => current.stop.abort();
  }, [load, key]);
  const again = (before: Cursor, fresh: boolean) => {
    setState((former) => ({ ...former, loading: true }));
    load(before, fresh);
  };

  useReturn(() => {
    if (state.problem?.status === 0) again(null, true);
  });

  const { before, loading } = state;
  return {
    rows: state.key === key ? state.rows : [],
    problem: state.problem,
    loading: state.key !== key || loading,
    more: before !== null,
    next: () => {
      if (before !== null && !loading) again(before, false);
    },
    reload: () => again(null, true),
    patch: useCallback((match, change) => {
      setState((former) => ({
        ...former,
        rows: former.rows.flatMap((row) => {
          if (!match(row)) return [row];
          const changed = change(row);
          return changed === undefined ? [] : [changed];
        }),
      }));
    }, []),
  };
}
