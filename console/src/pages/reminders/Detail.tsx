import { Button, Drawer, Dropdown, Input } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';

import { useTopic } from '../../api/channel';
import { api } from '../../api/client';
import { useAction, useGet } from '../../api/use';
import { useLanguage, useT } from '../../i18n';
import { CopyId } from '../../parts/CopyId';
import { JsonView } from '../../parts/JsonView';
import { Loading } from '../../parts/Loading';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag, Tag } from '../../parts/StateTag';
import { span } from '../../parts/time';
import { useConfirm } from '../../parts/useConfirm';
import { When } from '../../parts/When';
import { ReminderForm } from './Form';
import { weekday } from './Preview';
import { contentOf, type Occurrence, type Reminder, type Whole } from './shapes';

/** One reminder: what, when, where to, what became of it so far, and what can be done about it. */
export function ReminderDrawer(props: { id: string; onClose: () => void; onChanged: () => void }) {
  const { id, onClose, onChanged } = props;
  const t = useT();
  const { language } = useLanguage();
  const path = `/api/reminders/${encodeURIComponent(id)}`;
  const { data, problem, reload } = useGet<Whole>(path, { language });
  useTopic('reminders', null, reload);
  const changed = () => {
    reload();
    onChanged();
  };
  return (
    <Drawer open onClose={onClose} size={620} title={t('reminders.one')}>
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {data === undefined && !problem && <Loading />}
      {data && (
        <div className="stack">
          <div className="row">
            <StateTag state={data.state} word={t(`reminders.is_${data.state}`)} />
            <Tag>{t(`reminders.kind_${data.kind}`)}</Tag>
            <CopyId id={data.reminder} />
          </div>
          <p className="prose reminder-content">{contentOf(data)}</p>
          <Facts reminder={data} />
          <Deeds reminder={data} path={path} onChanged={changed} />
          <Occurrences occurrences={data.occurrences} timezone={data.timezone} />
        </div>
      )}
    </Drawer>
  );
}

function Facts({ reminder: one }: { reminder: Reminder }) {
  const t = useT();
  const { language } = useLanguage();
  const at = (instant: string) => weekday(instant, one.timezone, language);
  return (
    <dl className="facts">
      <dt>{t('reminders.when')}</dt>
      <dd>
        {one.when} {one.words && one.words !== one.when && <span className="soft">“{one.words}”</span>}
      </dd>
      <dt>{t('reminders.next')}</dt>
      <dd>
        {one.next ? (
          <>
            {at(one.next)} (<When at={one.next} />)
          </>
        ) : (
          '—'
        )}
        {one.snoozed && <Tag tone="wait">{t('reminders.snoozed')}</Tag>}
      </dd>
      <dt>{t('reminders.zone')}</dt>
      <dd>{one.timezone}</dd>
      <dt>{t('work.agent')}</dt>
      <dd>{one.agent}</dd>
      {one.target.length > 0 && (
        <>
          <dt>{t('reminders.target')}</dt>
          <dd>{one.target.map((place) => `${place.channel}: ${place.name}`).join(', ')}</dd>
        </>
      )}
      {one.calls.map((call, n) => (
        <div key={n} style={{ display: 'contents' }}>
          <dt>{t('reminders.covered')}</dt>
          <dd>
            <strong>{call.tool}</strong>
            <JsonView value={call.arguments} label={call.tool} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Deeds({ reminder: one, path, onChanged }: { reminder: Reminder; path: string; onChanged: () => void }) {
  const t = useT();
  const confirm = useConfirm();
  const { language } = useLanguage();
  const [changing, setChanging] = useState(false);
  const [until, setUntil] = useState<string>();
  const act = useAction(async (what: string, body: object) => {
    await api.post(`${path}/${what}`, body);
    onChanged();
    return true;
  });
  const live = one.state === 'active' || one.state === 'paused';
  return (
    <div className="tight">
      <div className="row">
        <Button onClick={() => setChanging(true)} disabled={one.state === 'cancelled'}>
          {t('reminders.change')}
        </Button>
        <Dropdown
          trigger={['click']}
          disabled={one.state !== 'active' && one.state !== 'done'}
          menu={{
            items: [10, 60, 180].map((minutes) => ({
              key: String(minutes),
              label: t('reminders.forMinutes', { span: span(minutes * 60_000) }),
            })).concat([{ key: 'words', label: t('reminders.untilWords') }]),
            onClick: ({ key }) => {
              if (key === 'words') setUntil('');
              else void act.run('snooze', { minutes: Number(key), language });
            },
          }}
        >
          <Button loading={act.busy}>{t('reminders.snooze')}</Button>
        </Dropdown>
        {one.state === 'active' && (
          <Button disabled={act.busy} onClick={() => void act.run('pause', {})}>
            {t('reminders.pause')}
          </Button>
        )}
        {one.state === 'paused' && (
          <Button type="primary" disabled={act.busy} onClick={() => void act.run('resume', {})}>
            {t('reminders.resume')}
          </Button>
        )}
        {live && (
          <Button
            danger
            disabled={act.busy}
            onClick={() =>
              void confirm({ title: t('reminders.cancelTitle'), content: contentOf(one), ok: t('reminders.cancel'), danger: true }).then(
                (sure) => sure && act.run('cancel', {}),
              )
            }
          >
            {t('reminders.cancel')}
          </Button>
        )}
      </div>
      {until !== undefined && (
        <Input.Search
          autoFocus
          aria-label={t('reminders.untilWords')}
          placeholder={t('reminders.untilExample')}
          value={until}
          enterButton={t('reminders.snooze')}
          onChange={(event) => setUntil(event.target.value)}
          onSearch={(text) => {
            if (text.trim()) void act.run('snooze', { until: text, language }).then((done) => done && setUntil(undefined));
          }}
        />
      )}
      {act.problem && <ProblemView problem={act.problem} compact />}
      {changing && (
        <ReminderForm
          former={one}
          onClose={() => setChanging(false)}
          onDone={() => {
            setChanging(false);
            onChanged();
          }}
        />
      )}
    </div>
  );
}

function Occurrences({ occurrences, timezone }: { occurrences: readonly Occurrence[]; timezone: string }) {
  const t = useT();
  const { language } = useLanguage();
  return (
    <section className="tight">
      <h2 className="sub">{t('reminders.occurrences')}</h2>
      {occurrences.length === 0 && <p className="soft">{t('reminders.noOccurrences')}</p>}
      <ul className="reminder-occurrences">
        {occurrences.map((one) => (
          <li key={one.due}>
            <StateTag state={one.state} word={t(`reminders.was_${one.state}`)} />
            <span>{weekday(one.due, timezone, language)}</span>
            <span className="soft">
              {one.late >= 60 && t('reminders.lateBy', { span: span(one.late * 1000) })}
              {one.passed > 0 && ` ${t('reminders.passed', { n: one.passed })}`} {one.note}
            </span>
            {one.run && <Link to={`/runs/${one.run}`}>{t('work.run')}</Link>}
            {one.deliveries.length > 0 && <span className="soft">{t('reminders.delivered', { n: one.deliveries.length })}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
