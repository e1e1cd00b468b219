import { useEffect, useState } from 'react';

import { api, problemOf, type Problem } from '../../api/client';
import { useLanguage, useT } from '../../i18n';
import { ProblemView } from '../../parts/ProblemView';
import { exact } from '../../parts/time';
import type { Reading } from './shapes';

interface Previewed {
  readings: Reading[];
  problem: string;
}

/** What words for a time mean, as they are written. */
export function Preview(props: { when: string; timezone: string; onPick: (when: string) => void }) {
  const { when, timezone, onPick } = props;
  const t = useT();
  const { language } = useLanguage();
  const [seen, setSeen] = useState<{ when: string; data?: Previewed; problem?: Problem }>();
  useEffect(() => {
    const words = when.trim();
    if (!words) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api
        .post<Previewed>('/api/reminders/preview', { when: words, timezone, language })
        .then((data) => {
          if (!stop.signal.aborted) setSeen({ when: words, data });
        })
        .catch((fault: unknown) => {
          if (!stop.signal.aborted) setSeen({ when: words, problem: problemOf(fault) });
        });
    }, 250);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [when, timezone, language]);
  if (!when.trim()) return <p className="soft">{t('reminders.previewHint')}</p>;
  if (seen?.problem) return <ProblemView problem={seen.problem} compact />;
  const readings = seen?.data?.readings ?? [];
  return (
    <div className="card tight reminder-preview" role="status" aria-label={t('reminders.preview')}>
      {seen?.data?.problem && <p className="tone-text-wait">{seen.data.problem}</p>}
      {readings.map((reading) => (
        <div key={reading.words + reading.start} className="tight">
          <div className="apart">
            <strong>{reading.words}</strong>
            {readings.length > 1 && (
              <button type="button" className="link" onClick={() => onPick(reading.rule || reading.start)}>
                {t('reminders.meant')}
              </button>
            )}
          </div>
          <Instants at={reading.next} timezone={timezone} />
        </div>
      ))}
      <span className="soft">{t('parts.zone', { zone: timezone })}</span>
    </div>
  );
}

/** The next times, in the reminder's zone. */
export function Instants({ at, timezone }: { at: readonly string[]; timezone: string }) {
  const t = useT();
  const { language } = useLanguage();
  if (at.length === 0) return <span className="soft">{t('reminders.noNext')}</span>;
  return (
    <ol className="reminder-next" aria-label={t('reminders.nextTimes')}>
      {at.map((instant) => (
        <li key={instant}>{weekday(instant, timezone, language)}</li>
      ))}
    </ol>
  );
}

/** An instant with its weekday, in a zone. */
export function weekday(instant: string, timeZone: string, language: 'zh' | 'en'): string {
  const at = new Date(instant);
  const locale = language === 'zh' ? 'zh-CN' : 'en-GB';
  try {
    return new Intl.DateTimeFormat(locale, {
      timeZone,
      weekday: 'short',
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }).format(at);
  } catch {
    return exact(at, locale, undefined);
  }
}
