import { ArrowLeftOutlined, BellOutlined } from '@ant-design/icons';
import { App, Button, Dropdown, Segmented } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';

import { useTopic } from '../../api/channel';
import { api, problemOf, type Problem } from '../../api/client';
import type { AgentShape } from '../../api/types';
import { useAction, useGet } from '../../api/use';
import { useLanguage, useT, type Translate } from '../../i18n';
import { Empty } from '../../parts/Empty';
import { Loading } from '../../parts/Loading';
import { Markdown } from '../../parts/Markdown';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag, Tag } from '../../parts/StateTag';
import { useFilters } from '../../parts/useFilters';
import { usePages } from '../../parts/usePages';
import { usePhone } from '../../parts/useWidth';
import { When } from '../../parts/When';
import './inbox.css';

type Kind = 'message' | 'reminder' | 'alert' | 'approval';

interface Message {
  id: string;
  seq: number;
  kind: Kind;
  subject: string;
  text: string;
  sender: string;
  run: string;
  agent: string;
  at: string;
  read: string | null;
}

interface Delivery {
  delivery: string;
  channel: string;
  recipient: string;
  name: string;
  status: string;
  attempts: number;
  error: string;
  text: string;
  updated: string;
}

const TABS = ['all', 'unread', 'reminder', 'approval', 'alert'] as const;
const TONES = { message: 'info', reminder: 'good', approval: 'wait', alert: 'bad' } as const;

/** The user's messages, as they arrive. */
export default function Inbox() {
  const t = useT();
  const phone = usePhone();
  const filters = useFilters(['tab', 'message']);
  const tab = TABS.find((one) => one === filters.get('tab')) ?? 'all';
  const query = tab === 'all' ? {} : tab === 'unread' ? { unread: true } : { kind: tab };
  const pages = usePages<Message>('/api/inbox', 'messages', query);
  const { reload, patch } = pages;
  useTopic('inbox', null, ({ event, position }) => {
    if (event === 'message' && position !== null) reload();
  });
  const [problem, setProblem] = useState<Problem>();
  const mark = async (one: Message, read: boolean) => {
    const before = one.read;
    patch((row) => row.id === one.id, (row) => ({ ...row, read: read ? (before ?? new Date().toISOString()) : null }));
    try {
      await api.post(`/api/inbox/${encodeURIComponent(one.id)}/read`, { read });
    } catch (fault) {
      patch((row) => row.id === one.id, (row) => ({ ...row, read: before }));
      setProblem(problemOf(fault));
    }
  };
  const all = useAction(() => api.post('/api/inbox/read', {}));
  const chosen = pages.rows.find((one) => one.id === filters.get('message'));
  const choose = (one: Message) => {
    filters.set({ message: one.id });
  };
  const unread = pages.rows.some((one) => one.read === null);
  return (
    <Page wide>
      <PageHeader
        title={t('shell.inbox')}
        hint={t('inbox.hint')}
        actions={
          <>
            <Notifications />
            <Button disabled={!unread} loading={all.busy} onClick={() => void all.run().then(reload)}>
              {t('inbox.allRead')}
            </Button>
          </>
        }
      />
      <div className="inbox-tabs">
        <Segmented
          aria-label={t('inbox.show')}
          value={tab}
          onChange={(next) => filters.set({ tab: next === 'all' ? null : next, message: null })}
          options={TABS.map((one) => ({ value: one, label: t(`inbox.tab_${one}`) }))}
        />
      </div>
      {pages.problem && <ProblemView problem={pages.problem} onRetry={reload} />}
      {problem && <ProblemView problem={problem} compact />}
      {all.problem && <ProblemView problem={all.problem} compact />}
      {pages.rows.length === 0 && pages.loading && <Loading />}
      {pages.rows.length === 0 && !pages.loading && !pages.problem && (
        <Empty title={t(tab === 'all' ? 'inbox.none' : 'inbox.noneHere')} hint={t('inbox.noneHint')} icon={<BellOutlined />} />
      )}
      {pages.rows.length > 0 && (
        <div className="split">
          {(!phone || !chosen) && (
            <div className="tight">
              <ol className="picks inbox-list" aria-label={t('shell.inbox')}>
                {pages.rows.map((one) => (
                  <li key={one.id}>
                    <button
                      type="button"
                      className={one.read === null ? 'pick unread' : 'pick'}
                      aria-current={one.id === chosen?.id}
                      onClick={() => choose(one)}
                    >
                      <span className="apart">
                        <Tag tone={TONES[one.kind]}>{t(`inbox.kind_${one.kind}`)}</Tag>
                        <span className="soft">
                          <When at={one.at} />
                        </span>
                      </span>
                      <span className="inbox-subject">
                        {one.read === null && <span className="sr-only">{t('inbox.tab_unread')}: </span>}
                        {one.subject || firstLine(one.text)}
                      </span>
                      {saysMore(one) && <span className="cut soft">{firstLine(one.text)}</span>}
                    </button>
                  </li>
                ))}
              </ol>
              {pages.more && (
                <Button loading={pages.loading} onClick={pages.next}>
                  {t('parts.more')}
                </Button>
              )}
            </div>
          )}
          {chosen ? (
            <Shown
              key={chosen.id}
              message={chosen}
              onMark={(read) => void (read === (chosen.read !== null) ? undefined : mark(chosen, read))}
              {...(phone && { onBack: () => filters.set({ message: null }) })}
            />
          ) : (
            !phone && <Empty title={t('inbox.pick')} />
          )}
        </div>
      )}
    </Page>
  );
}

/** Whether the text does not begin with its subject, as it does when nobody gave one. */
function saysMore({ subject, text }: Message): boolean {
  const plain = (words: string) => words.replace(/[*_#`>\s…]/g, '');
  return subject !== '' && !plain(text).startsWith(plain(subject));
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function Shown(props: { message: Message; onMark: (read: boolean) => void; onBack?: () => void }) {
  const { message: one, onMark, onBack } = props;
  const t = useT();
  const opened = useRef(onMark);
  useEffect(() => opened.current(true), []); // also when a link has led here
  return (
    <article className="card stack" aria-label={one.subject || t('inbox.kind_message')}>
      {onBack && (
        <Button type="text" icon={<ArrowLeftOutlined />} onClick={onBack} style={{ justifySelf: 'start' }}>
          {t('work.back')}
        </Button>
      )}
      <header className="tight">
        <div className="row">
          <Tag tone={TONES[one.kind]}>{t(`inbox.kind_${one.kind}`)}</Tag>
          <When at={one.at} />
        </div>
        {one.subject && <h2 className="inbox-title">{one.subject}</h2>}
        <div className="row soft">
          {one.sender && <span>{t('inbox.from', { sender: one.sender })}</span>}
          {one.agent && <span>{one.agent}</span>}
        </div>
      </header>
      <Markdown text={one.text} />
      <div className="row">
        {one.run && (
          <Link to={`/runs/${one.run}`}>
            <Button>{t('inbox.openRun')}</Button>
          </Link>
        )}
        {one.kind === 'approval' && (
          <Link to="/approvals">
            <Button type="primary">{t('inbox.toApprovals')}</Button>
          </Link>
        )}
        <Snooze message={one} />
        <Button onClick={() => onMark(one.read === null)}>{t(one.read === null ? 'inbox.markRead' : 'inbox.markUnread')}</Button>
      </div>
      <Deliveries message={one} />
    </article>
  );
}

/** Have the message come again later: a reminder with its text. */
function Snooze({ message: one }: { message: Message }) {
  const t = useT();
  const { message: toast } = App.useApp();
  const { language } = useLanguage();
  const { data: known } = useGet<{ agents: AgentShape[] }>('/api/agents');
  const agent = one.agent || known?.agents[0]?.agent;
  const snooze = useAction((when: string) =>
    api.post<{ next?: string | null }>('/api/reminders', {
      when,
      text: [one.subject, one.text].filter(Boolean).join('\n'),
      agent,
      language,
    }),
  );
  const choices = ['inMinutes', 'inHour', 'tomorrow'] as const;
  return (
    <>
      <Dropdown
        trigger={['click']}
        disabled={agent === undefined}
        menu={{
          items: choices.map((key) => ({ key, label: t(`inbox.${key}`) })),
          onClick: ({ key }) =>
            void snooze
              .run(t(`inbox.${key as 'inHour'}`))
              .then((done) => done && void toast.success(t('inbox.snoozed', { when: t(`inbox.${key as 'inHour'}`) }))),
        }}
      >
        <Button loading={snooze.busy}>{t('inbox.snooze')}</Button>
      </Dropdown>
      {snooze.problem && <ProblemView problem={snooze.problem} compact />}
    </>
  );
}

/** How the same message stands on every channel; only who sent it may see that. */
function Deliveries({ message: one }: { message: Message }) {
  const t = useT();
  const { data, problem } = useGet<{ deliveries: Delivery[] }>(one.run ? '/api/deliveries' : null, { run: one.run });
  const { data: own, problem: foreign } = useGet<Delivery>(one.run ? null : `/api/deliveries/${encodeURIComponent(one.id)}`);
  const found = data?.deliveries ?? (own ? [own] : []);
  if (problem) return <ProblemView problem={problem} compact />;
  return (
    <section className="tight">
      <h3>{t('inbox.deliveries')}</h3>
      {found.length === 0 ? (
        (data || foreign) && <StateTag state="sent" word={t('inbox.here')} />
      ) : (
        <ul className="inbox-deliveries">
          {found.map((delivery) => (
            <li key={delivery.delivery}>
              <StateTag state={delivery.status} />
              <span>
                {channelName(delivery.channel, t)} → {delivery.name || delivery.recipient}
              </span>
              <span className="soft">
                <When at={delivery.updated} />
                {delivery.attempts > 1 && ` · ${t('inbox.attempts', { n: delivery.attempts })}`}
                {delivery.error && ` · ${delivery.error}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function channelName(channel: string, t: Translate): string {
  return channel === 'system' ? t('shell.inbox') : channel;
}

/** Let the browser show what arrives while the page is not seen. */
function Notifications() {
  const t = useT();
  const can = 'Notification' in window;
  const [permission, setPermission] = useState(can ? Notification.permission : 'denied');
  if (!can || permission === 'denied') {
    return can ? <span className="soft inbox-blocked">{t('inbox.blocked')}</span> : null;
  }
  if (permission === 'granted') return <Tag tone="good">{t('inbox.allowed')}</Tag>;
  return (
    <Button icon={<BellOutlined />} onClick={() => void Notification.requestPermission().then(setPermission)}>
      {t('inbox.allow')}
    </Button>
  );
}
