import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';

export interface Filters {
  /** The values of a filter; none when it is not set. */
  all: (name: string) => string[];
  /** Its first value, or empty. */
  get: (name: string) => string;
  /** Set filters; empty values remove them. The page's address changes with them. */
  set: (changes: Record<string, string | readonly string[] | null | undefined>) => void;
  clear: () => void;
  /** How many of `names` are set. */
  query: Record<string, string[]>;
}

/** The filters of a list, which live in the page's address, so that a link brings others here. */
export function useFilters(names: readonly string[]): Filters {
  const [search, setSearch] = useSearchParams();
  const key = names.join(' ');
  const query = useMemo(() => {
    const found: Record<string, string[]> = {};
    for (const name of key.split(' ')) {
      const values = search.getAll(name);
      if (values.length > 0) found[name] = values;
    }
    return found;
  }, [search, key]);
  const set = useCallback<Filters['set']>(
    (changes) =>
      setSearch(
        (former) => {
          const next = new URLSearchParams(former);
          for (const [name, value] of Object.entries(changes)) {
            next.delete(name);
            for (const one of Array.isArray(value) ? (value as string[]) : [value as string | null]) {
              if (one) next.append(name, one);
            }
          }
          return next;
        },
        { replace: true },
      ),
    [setSearch],
  );
  const clear = useCallback(
    () => set(Object.fromEntries(key.split(' ').map((name) => [name, null]))),
    [set, key],
  );
  return useMemo(
    () => ({
      all: (name) => query[name] ?? [],
      get: (name) => query[name]?.[0] ?? '',
      set,
      clear,
      query,
    }),
    [query, set, clear],
  );
}
