import { Tooltip } from 'antd';
import { useSyncExternalStore } from 'react';

import { useZone } from '../app/session';
import { useLanguage } from '../i18n';
import { exact, relative } from './time';

const watchers = new Set<() => void>();
let now = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;

function watch(watcher: () => void): () => void {
  if (watchers.size === 0) now = Date.now();
  watchers.add(watcher);
  ticking ??= setInterval(() => {
    now = Date.now();
    for (const one of watchers) one();
  }, 15_000);
  return () => {
    watchers.delete(watcher);
    if (watchers.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
    }
  };
}

/** Milliseconds since the epoch; changes every 15 seconds. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => now);
}

/** An instant: how long ago or ahead, and the exact one in the viewer's zone on hover. */
export function When({ at, plain = false }: { at: string | null | undefined; plain?: boolean }) {
  const current = useNow();
  const { language } = useLanguage();
  const zone = useZone();
  if (!at) return <span>—</span>;
  const instant = new Date(at);
  const locale = language === 'zh' ? 'zh-CN' : 'en-GB';
  const whole = exact(instant, locale, zone);
  if (plain) return <time dateTime={at}>{whole}</time>;
  return (
    <Tooltip title={whole}>
      <time dateTime={at}>{relative(instant, current, locale)}</time>
    </Tooltip>
  );
}
