/** Reading and changing what the server holds, from components. */
import { useCallback, useEffect, useRef, useState } from 'react';

import { useReturn } from './channel';
import { api, problemOf, type Problem, type Query } from './client';

export interface Got<T> {
  data: T | undefined;
  problem: Problem | undefined;
  /** Nothing has come yet. */
  loading: boolean;
  /** Ask again; what is there stays until the answer comes. So it is when the connection returns. */
  reload: () => void;
  /** Put a changed copy in place, without asking. */
  set: (change: (data: T) => T) => void;
}

/** What a GET answers; asked again when path or query change. `null` asks nothing. */
export function useGet<T>(path: string | null, query?: Query): Got<T> {
  const key = path === null ? null : path + JSON.stringify(query ?? {});
  const [round, setRound] = useState(0);
  const [got, setGot] = useState<{ key: string | null; data?: T; problem?: Problem }>({ key });
  const asked = useRef({ path, query });
  useEffect(() => {
    asked.current = { path, query };
  });
  useEffect(() => {
    const { path, query } = asked.current;
    if (key === null || path === null) return undefined;
    const stop = new AbortController();
    api
      .get<T>(path, query, stop.signal)
      .then((data) => setGot({ key, data }))
      .catch((fault: unknown) => {
        if (stop.signal.aborted) return;
        setGot((former) => ({
          key,
          ...(former.key === key && former.data !== undefined && { data: former.data }),
          problem: problemOf(fault),
        }));
      });
    return () => stop.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((n) => n + 1), []);
  const set = useCallback(
    (change: (data: T) => T) =>
      setGot((former) => (former.data === undefined ? former : { ...former, data: change(former.data) })),
    [],
  );
  const current = got.key === key ? got : { key };
  useReturn(() => {
    if (current.problem?.status === 0) reload();
  });
  return {
    data: current.data,
    problem: current.problem,
    loading: key !== null && current.data === undefined && current.problem === undefined,
    reload,
    set,
  };
}

export interface Action<A extends unknown[], T> {
  /** Do it; undefined when it failed, and then `problem` says why. */
  run: (...args: A) => Promise<T | undefined>;
  busy: boolean;
  /** That the server could not be reached is forgotten when the connection returns. */
  problem: Problem | undefined;
  clear: () => void;
}

/** Something that changes what the server holds. */
export function useAction<A extends unknown[], T>(act: (...args: A) => Promise<T>): Action<A, T> {
  const [state, setState] = useState<{ busy: boolean; problem?: Problem }>({ busy: false });
  const current = useRef(act);
  useEffect(() => {
    current.current = act;
  });
  const run = useCallback(async (...args: A): Promise<T | undefined> => {
    setState({ busy: true });
    try {
      const result = await current.current(...args);
      setState({ busy: false });
      return result;
    } catch (fault) {
      setState({ busy: false, problem: problemOf(fault) });
      return undefined;
    }
  }, []);
  const clear = useCallback(() => setState({ busy: false }), []);
  useReturn(() => {
    if (state.problem?.status === 0) clear();
  });
  return { run, busy: state.busy, problem: state.problem, clear };
}
