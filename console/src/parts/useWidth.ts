import { useSyncExternalStore } from 'react';

function media(query: string): { watch: (call: () => void) => () => void; matches: () => boolean } {
  const list = matchMedia(query);
  return {
    watch: (call) => {
      list.addEventListener('change', call);
      return () => list.removeEventListener('change', call);
    },
    matches: () => list.matches,
  };
}

const known = new Map<string, ReturnType<typeof media>>();

/** Whether a media query holds. */
export function useMedia(query: string): boolean {
  const found = known.get(query) ?? media(query);
  known.set(query, found);
  return useSyncExternalStore(found.watch, found.matches);
}

/** Whether the window is as narrow as a phone. */
export function usePhone(): boolean {
  return useMedia('(max-width: 767px)');
}

/** Whether there is room for a third column. */
export function useWide(): boolean {
  return useMedia('(min-width: 1200px)');
}
