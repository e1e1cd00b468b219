import { Input } from 'antd';
import { useMemo, useState } from 'react';

import { useZone } from '../../app/session';
import { useT } from '../../i18n';
import { JsonView } from '../../parts/JsonView';
import type { RunEvent } from '../chat/events';

const SKIPPED = new Set(['type', 'at', 'position']);

/** Every event of the journal on a line, with all of it on demand. */
export function EventLog({ events }: { events: readonly RunEvent[] }) {
  const t = useT();
  const timeZone = useZone();
  const [wanted, setWanted] = useState('');
  const clock = useMemo(
    () =>
      new Intl.DateTimeFormat('en-GB', {
        timeZone, hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3,
      }),
    [timeZone],
  );
  const lines = useMemo(
    () =>
      events.map((event, n) => ({
        event,
        since: Date.parse(event.at) - Date.parse(events[n - 1]?.at ?? event.at),
        words: summary(event),
      })),
    [events],
  );
  const shown = lines.filter(({ event, words }) =>
    wanted ? `${event.type} ${words}`.toLowerCase().includes(wanted.toLowerCase()) : true,
  );
  return (
    <div className="tight">
      <Input
        allowClear
        style={{ maxWidth: 320 }}
        placeholder={t('runs.filterLog')}
        aria-label={t('runs.filterLog')}
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      <ol className="log" aria-label={t('runs.log')}>
        {shown.map(({ event, since, words }) => (
          <li key={event.position}>
            <details>
              <summary>
                <span className="soft">{event.position}</span>
                <span className="soft">{clock.format(new Date(event.at))}</span>
                <span className="soft">{since > 0 ? `+${since} ms` : ''}</span>
                <code>{event.type}</code>
                <span>{words}</span>
              </summary>
              <JsonView value={event} label={event.type} />
            </details>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The plain fields of an event, in short. */
function summary(event: RunEvent): string {
  return Object.entries(event)
    .filter(([name, value]) => !SKIPPED.has(name) && value !== null && typeof value !== 'object')
    .map(([name, value]) => `${name}=${String(value).slice(0, 120)}`)
    .join('  ');
}
