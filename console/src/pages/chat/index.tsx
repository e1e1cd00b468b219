import { DownOutlined, HistoryOutlined, PartitionOutlined } from '@ant-design/icons';
import { Button, Drawer, Select } from 'antd';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router';

import { api, newKey } from '../../api/client';
import type { AgentShape, IntentShape, Source } from '../../api/types';
import { useAction, useGet } from '../../api/use';
import { useKeys } from '../../app/keys';
import { useSession } from '../../app/session';
import { keep, kept, rename } from '../../app/storage';
import { useLanguage, useT } from '../../i18n';
import { Loading } from '../../parts/Loading';
import { ProblemView } from '../../parts/ProblemView';
import { useMedia, usePhone } from '../../parts/useWidth';
import { Beginning } from './Beginning';
import { Composer } from './Composer';
import { Conversations } from './Conversations';
import { Exchange, type Doing } from './Exchange';
import { Trace } from './Trace';
import { useRows } from './useRows';
import { PointingContext, useRun, useRunLogs, type Mark } from './useRun';
import { useScroll } from './useScroll';
import { markOf } from './values';
import './chat.css';
import type { RunLog } from './runLog';

export default function Chat() {
  const { conversation } = useParams();
  const { key: visit } = useLocation();
  // a new conversation that gets its id keeps its page: the key changes only between conversations
  const [made, setMade] = useState<{ id: string; key: string }>();
  const known = conversation === made?.id ? made?.key : conversation;
  const key = conversation === undefined ? visit : (known ?? conversation);
  return <Talk key={key} conversation={conversation} onMade={(id) => setMade({ id, key })} />;
}

function Talk({ conversation, onMade }: { conversation: string | undefined; onMade: (id: string) => void }) {
  const t = useT();
  const phone = usePhone();
  const wide = useMedia('(min-width: 1280px)');
  const roomy = useMedia('(min-width: 1000px)');
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const { language } = useLanguage();
  const { may } = useSession();
  const agents = useGet<{ agents: AgentShape[] }>('/api/agents');
  const { rows, problem, loading, more, older, reload, add, change, messages } = useRows(conversation);
  const logs = useRunLogs();
  const [mark, setMark] = useState<Mark | null>(null);
  const [drawer, setDrawer] = useState<'history' | 'trace' | null>(null);
  const [chosen, setChosen] = useState<string>();
  const { box, away, jump } = useScroll();

  const names = agents.data?.agents.map((one) => one.agent) ?? [];
  const wanted = search.get('agent') ?? kept('agent') ?? '';
  const agentName = rows[0]?.agent ?? (names.includes(wanted) ? wanted : names[0]);
  const agent = agents.data?.agents.find((one) => one.agent === agentName);
  const intents = useGet<{ intents: IntentShape[] }>(
      agentName && may('operator') ? `/api/agents/${agentName}/intents` : null,
    ).data?.intents ?? NONE;

  const newest = rows[0];
  const here = conversation ?? newest?.conversation; // a new one has its id before the address does
  const newestLog = newest && logs(newest);
  const shownRow = rows.find((one) => one.run === chosen) ?? newest;
  const shownLog = shownRow && logs(shownRow);

  const unheard = useRef({ said: '', key: '' }); // sent, and the answer has not come
  const send = useAction(async (text: string) => {
    const message = { agent: agentName, text, ...(here && { conversation: here }) };
    const said = JSON.stringify(message);
    if (unheard.current.said !== said) unheard.current = { said, key: newKey() };
    const { key } = unheard.current;
    const made = await api.post<{ run: string; conversation: string }>('/api/messages', message, { key });
    unheard.current = { said: '', key: '' };
    setChosen(undefined);
    if (!here) rename('draft:new', `draft:${made.conversation}`); // written meanwhile
    add({
      run: made.run,
      conversation: made.conversation,
      agent: agentName ?? '',
      status: 'queued',
      input: text,
      reply: '',
      created: new Date().toISOString(),
      updated: new Date().toISOString(),
      usage: { prompt: 0, cached: 0, completion: 0, reasoning: 0, total: 0 },
    });
    if (!here) {
      onMade(made.conversation);
      void navigate(`/chat/${made.conversation}`, { replace: true });
    }
    jump();
    return true;
  });
  const { run: post } = send;
  const stop = useAction(async (run: string) => {
    await api.post(`/api/runs/${run}/cancel`, { reason: 'stopped in the console' });
  });

  const doing = useMemo<Doing>(
    () => ({
      say: (text) => void post(text),
      show: (run) => {
        setChosen(run);
        if (!window.matchMedia('(min-width: 1280px)').matches) setDrawer('trace');
      },
      resume: (run) => void api.post(`/api/runs/${run}/resume`).catch(() => undefined),
      rated: (run, rating) => change(run, (row) => ({ ...row, rating })),
    }),
    [post, change],
  );
  const find = useCallback(
    (source: Source, run: string) => markOf(source, run, rows, messages),
    [rows, messages],
  );
  const pointing = useMemo(() => ({ mark, point: setMark }), [mark]);

  useEffect(() => {
    document.title = `${newest?.input.slice(0, 40) ?? t('shell.chat')} · Pointsman`;
  }, [newest, t]);

  const trace = (
    <section className="trace-panel" aria-label={t('chat.trace')}>
      <h2>{t('chat.trace')}</h2>
      <Trace log={shownLog} agent={agent} intents={intents} markOf={find} />
    </section>
  );
  return (
    <PointingContext.Provider value={pointing}>
      <div className="chat">
        {roomy && (
          <aside className="history" aria-label={t('chat.history')}>
            <Conversations current={conversation} />
          </aside>
        )}
        <section className="talk" aria-label={t('shell.chat')}>
          <header className="talk-head">
            <h1 className="sr-only">{t('shell.chat')}</h1>
            {!roomy && (
              <Button type="text" icon={<HistoryOutlined />} aria-label={t('chat.history')} onClick={() => setDrawer('history')} />
            )}
            {rows.length === 0 && names.length > 1 && conversation === undefined ? (
              <Select
                aria-label={t('chat.agent')}
                value={agentName}
                style={{ minWidth: 160 }}
                options={agents.data?.agents.map((one) => ({ value: one.agent, label: one.titles?.[language] ?? one.title }))}
                onChange={(name: string) => {
                  keep('agent', name);
                  setSearch({ agent: name }, { replace: true });
                }}
              />
            ) : (
              <strong className="agent-name">{agent ? (agent.titles?.[language] ?? agent.title) : agentName}</strong>
            )}
            <span className="spring" />
            {!wide && (
              <Button type="text" icon={<PartitionOutlined />} aria-label={t('chat.trace')} onClick={() => setDrawer('trace')} />
            )}
          </header>
          <div className="scroll" ref={box} tabIndex={0} role="log" aria-label={t('chat.messages')} aria-live="off">
            <div className="thread">
              {problem && <ProblemView problem={problem} onRetry={reload} />}
              {agents.problem && <ProblemView problem={agents.problem} onRetry={agents.reload} />}
              {loading && <Loading />}
              {rows.length === 0 && !loading && !problem && <Beginning agent={agent} onPick={doing.say} />}
              {more && (
                <Button type="text" onClick={older}>
                  {t('chat.older')}
                </Button>
              )}
              {[...rows].reverse().map((row) => (
                <Exchange
                  key={row.run}
                  row={row}
                  log={logs(row)}
                  agent={agent}
                  intents={intents}
                  last={row === newest}
                  shown={wide && rows.length > 1 && row === shownRow}
                  doing={doing}
                  markOf={find}
                />
              ))}
            </div>
          </div>
          {away && (
            <Button className="jump-latest" shape="round" icon={<DownOutlined />} onClick={jump}>
              {t('chat.latest')}
            </Button>
          )}
          {send.problem && <ProblemView compact problem={send.problem} />}
          {stop.problem && <ProblemView compact problem={stop.problem} />}
          <Foot
            key={newest?.run ?? 'none'}
            log={newestLog}
            place={here ?? 'new'}
            said={rows.map((one) => one.input)}
            sending={send.busy}
            ready={agentName !== undefined}
            onSend={async (text) => (await send.run(text)) ?? false}
            onStop={(run) => void stop.run(run)}
          />
        </section>
        {wide && <aside className="side-trace">{trace}</aside>}
        <Drawer
          open={drawer === 'trace' && !wide}
          onClose={() => setDrawer(null)}
          placement={phone ? 'bottom' : 'right'}
          size={phone ? '75%' : 420}
          title={t('chat.trace')}
          styles={{ body: { padding: 16 } }}
        >
          <Trace log={shownLog} agent={agent} intents={intents} markOf={find} />
        </Drawer>
        <Drawer open={drawer === 'history' && !roomy} onClose={() => setDrawer(null)} placement="left" size={300} title={t('chat.history')} styles={{ body: { padding: 12 } }}>
          <Conversations current={conversation} onOpen={() => setDrawer(null)} />
        </Drawer>
      </div>
    </PointingContext.Provider>
  );
}

const NONE: readonly IntentShape[] = [];
const RUNNING = new Set(['queued', 'running', 'split']);

interface FootProps {
  log: RunLog | undefined;
  place: string;
  said: readonly string[];
  sending: boolean;
  ready: boolean;
  onSend: (text: string) => Promise<boolean>;
  onStop: (run: string) => void;
}

/** The composer, which knows whether the newest run can be stopped. */
function Foot({ log, ...rest }: FootProps) {
  return log === undefined ? <Composer {...rest} running={false} onStop={() => undefined} /> : <FootOf log={log} {...rest} />;
}

function FootOf({ log, onStop, ...rest }: FootProps & { log: RunLog }) {
  const live = useRun(log);
  const running = log.fresh && !live.ended && RUNNING.has(live.view.status);
  const stop = () => onStop(log.run);
  useKeys((event) => {
    if (event.key === 'Escape' && running && !document.querySelector('.ant-modal-wrap, .ant-drawer-open')) stop();
  });
  return <Composer {...rest} running={running} onStop={stop} />;
}
