import type { Dayjs } from 'dayjs';
import { useMemo } from 'react';

import { useTopic } from '../../api/channel';
import { useGet } from '../../api/use';
import { useZone } from '../../app/session';
import { useLanguage, useT } from '../../i18n';
import { Loading } from '../../parts/Loading';
import { ProblemView } from '../../parts/ProblemView';
import { StateIcon } from '../../parts/StateTag';
import { useNow } from '../../parts/When';
import { usePhone } from '../../parts/useWidth';

interface Due {
  at: string;
  reminder: string;
  title: string;
  state: 'due' | 'fired' | 'late' | 'missed' | 'failed';
}

interface Span {
  due: Due[];
  cut: boolean;
}

/** What is due on each day of a month or a week, and what became of what was. Days are the viewer's. */
export function Calendar(props: {
  view: 'month' | 'week';
  day: Dayjs;
  round: number;
  onOpen: (reminder: string) => void;
  onDay: (day: string) => void;
}) {
  const { view, day, round, onOpen, onDay } = props;
  const t = useT();
  const phone = usePhone();
  const zone = useZone();
  const { language } = useLanguage();
  const locale = language === 'zh' ? 'zh-CN' : 'en-GB';
  const days = useMemo(() => daysOf(view, day), [view, day]);
  const [first, last] = [days[0] ?? day, days.at(-1) ?? day];
  const { data, problem, reload } = useGet<Span>('/api/calendar', {
    // a day more on both sides: the viewer's zone may be another than the browser's
    from: first.subtract(1, 'day').toISOString(),
    to: last.add(2, 'day').toISOString(),
    round,
  });
  useTopic('reminders', null, reload);
  const now = useNow();
  const { byDay, clock, keyOf } = useMemo(() => {
    const name = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
    const found = new Map<string, Due[]>();
    for (const one of data?.due ?? []) {
      const key = name.format(new Date(one.at));
      found.set(key, [...(found.get(key) ?? []), one]);
    }
    return {
      byDay: found,
      clock: new Intl.DateTimeFormat(locale, { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
      keyOf: (at: number) => name.format(new Date(at)),
    };
  }, [data, zone, locale]);
  if (problem) return <ProblemView problem={problem} onRetry={reload} />;
  const today = keyOf(now);
  const most = view === 'month' ? 3 : 50;
  const dayName = new Intl.DateTimeFormat(locale, { weekday: 'short' });
  const title = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long' }).format(day.toDate());
  const shown = phone ? days.filter((one) => byDay.has(one.format('YYYY-MM-DD')) || one.format('YYYY-MM-DD') === today) : days;
  return (
    <section aria-label={t('reminders.calendar')}>
      <h2 className="calendar-title">{title}</h2>
      {data === undefined && <Loading />}
      {data?.cut && <p className="soft">{t('reminders.cut')}</p>}
      <ol className={`calendar ${view}`}>
        {shown.map((one) => {
          const key = one.format('YYYY-MM-DD');
          const due = byDay.get(key) ?? [];
          return (
            <li key={key} className={one.month() === day.month() || view === 'week' ? '' : 'other'} aria-current={key === today ? 'date' : undefined}>
              <div className="calendar-day">
                <span className="soft">{dayName.format(one.toDate())}</span>
                <b>{one.date()}</b>
              </div>
              {due.slice(0, most).map((it) => (
                <button key={it.reminder + it.at} type="button" className="calendar-due" onClick={() => onOpen(it.reminder)}>
                  <StateIcon state={it.state === 'due' ? 'pending' : it.state} />
                  <span>{clock.format(new Date(it.at))}</span>
                  <span className="cut">{it.title}</span>
                  {it.state !== 'due' && <span className="sr-only">{t(`reminders.was_${it.state}`)}</span>}
                </button>
              ))}
              {due.length > most && (
                <button type="button" className="link" onClick={() => onDay(key)}>
                  {t('reminders.moreDue', { n: due.length - most })}
                </button>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** Whole weeks, which begin on Monday. */
function daysOf(view: 'month' | 'week', day: Dayjs): Dayjs[] {
  const start = view === 'week' ? day : day.startOf('month');
  const monday = start.subtract((start.day() + 6) % 7, 'day').startOf('day');
  const end = view === 'week' ? monday.add(6, 'day') : day.endOf('month');
  const count = view === 'week' ? 7 : Math.ceil((end.diff(monday, 'day') + 1) / 7) * 7;
  return Array.from({ length: count }, (_, n) => monday.add(n, 'day'));
}
