import { createContext, useContext, useRef, useSyncExternalStore } from 'react';

import type { RunRow } from '../../api/types';
import { RunLog, type Live } from './runLog';

const OVER = new Set(['done', 'failed', 'cancelled']);

/** The logs of this page's runs, one for each, made when first asked for. */
export function useRunLogs(): (row: Pick<RunRow, 'run' | 'status'>) => RunLog {
  const logs = useRef(new Map<string, RunLog>());
  const find = useRef((row: Pick<RunRow, 'run' | 'status'>): RunLog => {
    const known = logs.current.get(row.run);
    if (known) return known;
    const log = new RunLog(row.run, !OVER.has(row.status));
    logs.current.set(row.run, log);
    return log;
  });
  // eslint-disable-next-line react-hooks/refs -- never changed after the first render
  return find.current;
}

/** A run as it stands now. */
export function useRun(log: RunLog): Live {
  return useSyncExternalStore(log.watch, log.state);
}

/** Words of a user's message that a value came from; places count characters, not UTF-16 units. */
export interface Mark {
  run: string;
  start: number;
  end: number;
}

export interface Pointing {
  mark: Mark | null;
  /** Mark the words a source names, or none. */
  point: (mark: Mark | null) => void;
}

export const PointingContext = createContext<Pointing>({ mark: null, point: () => undefined });

export function usePointing(): Pointing {
  return useContext(PointingContext);
}
