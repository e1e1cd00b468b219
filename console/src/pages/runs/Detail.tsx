import { MoreOutlined } from '@ant-design/icons';
import { Button, Dropdown, Tabs } from 'antd';
import { useMemo, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';

import { api } from '../../api/client';
import type { AgentShape, GraphShape, IntentShape } from '../../api/types';
import { useAction, useGet } from '../../api/use';
import { useSession } from '../../app/session';
import { useT } from '../../i18n';
import { CopyId } from '../../parts/CopyId';
import { JsonView } from '../../parts/JsonView';
import { Loading } from '../../parts/Loading';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { saveText } from '../../parts/save';
import { StateTag } from '../../parts/StateTag';
import { TaskGraph } from '../../parts/TaskGraph';
import { span } from '../../parts/time';
import { useFilters } from '../../parts/useFilters';
import { usePhone } from '../../parts/useWidth';
import { When } from '../../parts/When';
import type { RunView } from '../chat/fold';
import { RunLog, type Live } from '../chat/runLog';
import '../chat/chat.css';
import { Trace } from '../chat/Trace';
import { useRun } from '../chat/useRun';
import { CancelRun, Explain, MakeCase, Replay, TakeOver } from './deeds';
import { EventLog } from './EventLog';
import { Timeline } from './Timeline';
import './runs.css';

type Deed = 'explain' | 'replay' | 'case' | 'cancel' | 'takeOver';

/** One run: its steps, its time, its journal, its tasks, and what a person may do about it. */
export default function RunDetail() {
  const { run = '' } = useParams();
  return <Watched key={run} run={run} />;
}

function Watched({ run }: { run: string }) {
  const t = useT();
  const log = useMemo(() => new RunLog(run, true), [run]);
  const live = useRun(log);
  if (live.problem && live.events.length === 0) {
    return (
      <Page>
        <PageHeader title={t('work.run')} />
        <ProblemView problem={live.problem} />
        <Link to="/runs">{t('work.back')}</Link>
      </Page>
    );
  }
  if (live.events.length === 0) return <Loading rows={10} />;
  return <Shown log={log} live={live} />;
}

const NONE: readonly IntentShape[] = [];

function Shown({ log, live }: { log: RunLog; live: Live }) {
  const { run } = log;
  const t = useT();
  const phone = usePhone();
  const { may, session } = useSession();
  const navigate = useNavigate();
  const filters = useFilters(['view']);
  const [deed, setDeed] = useState<Deed>();
  const resume = useAction(() => api.post(`/api/runs/${run}/resume`, {}));
  const { data: known } = useGet<{ agents: AgentShape[] }>('/api/agents');
  const { view, events } = live;
  const { data: intents } = useGet<{ intents: IntentShape[] }>(view.agent ? `/api/agents/${view.agent}/intents` : null);
  const first = events[0];
  const user = first?.user ?? '';
  const conversation = first?.conversation ?? '';
  const mine = user === session?.login;
  const task = /^task:([0-9a-f-]+)\//.exec(first?.origin ?? '')?.[1];
  const deeds = [
    { key: 'explain', label: t('runs.explain'), shown: true },
    { key: 'replay', label: t('runs.replay'), shown: view.over && may('operator') },
    { key: 'case', label: t('runs.makeCase'), shown: view.over && may('operator') },
    { key: 'takeOver', label: t('runs.takeOver'), shown: view.waiting.length > 0 },
    { key: 'cancel', label: t('runs.cancel'), shown: !view.over },
  ].filter((one) => one.shown);
  const tabs = [
    {
      key: 'tree',
      label: t('runs.tree'),
      children: (
        <div className="run-tree">
          <Trace
            log={log}
            agent={known?.agents.find((one) => one.agent === view.agent)}
            intents={intents?.intents ?? NONE}
            markOf={() => null}
          />
        </div>
      ),
    },
    { key: 'timeline', label: t('runs.timeline'), children: <Timeline view={view} /> },
    { key: 'log', label: t('runs.log'), children: <EventLog events={events} /> },
    { key: 'json', label: 'JSON', children: <JsonView value={events} label={t('runs.events')} /> },
    ...(view.hasPlan ? [{ key: 'graph', label: t('runs.graph'), children: <Tasks run={run} view={view} /> }] : []),
  ];
  const wanted = filters.get('view');
  return (
    <Page wide>
      <PageHeader
        title={view.input.length > 80 ? `${view.input.slice(0, 80)}…` : view.input || t('work.run')}
        actions={
          <>
            {view.status === 'parked' && (
              <Button type="primary" loading={resume.busy} onClick={() => void resume.run()}>
                {t('runs.resume')}
              </Button>
            )}
            {!phone &&
              deeds.map((one) => (
                <Button key={one.key} danger={one.key === 'cancel'} onClick={() => setDeed(one.key as Deed)}>
                  {one.label}
                </Button>
              ))}
            <Dropdown
              trigger={['click']}
              menu={{
                items: [
                  ...(phone ? deeds.map((one) => ({ key: one.key, label: one.label, onClick: () => setDeed(one.key as Deed) })) : []),
                  ...(mine && conversation
                    ? [{ key: 'chat', label: t('runs.openChat'), onClick: () => void navigate(`/chat/${conversation}`) }]
                    : []),
                  {
                    key: 'export',
                    label: t('runs.exportJson'),
                    onClick: () => saveText(`run-${run}.json`, JSON.stringify({ run, events }, null, 2)),
                  },
                ],
              }}
            >
              <Button icon={<MoreOutlined />} aria-label={t('runs.moreActions')} />
            </Dropdown>
          </>
        }
      />
      <div className="row run-head">
        <StateTag state={view.status} word={t(`runs.${view.status as 'done'}`)} />
        <span>{view.agent}</span>
        <span className="soft">{user}</span>
        <span className="soft">{first && <When at={first.at} />}</span>
        <span className="soft">{span(view.ms)}</span>
        <span className="soft">
          {t('runs.tokens')} {view.usage.total.toLocaleString()}
        </span>
        <CopyId id={run} label={t('runs.runNo')} />
        {conversation && <CopyId id={conversation} label={t('runs.conversationNo')} />}
        {task && <Link to={`/runs/${task}`}>{t('runs.parent')}</Link>}
      </div>
      {resume.problem && <ProblemView problem={resume.problem} compact />}
      {live.problem && <ProblemView problem={live.problem} compact />}
      <Tabs
        aria-label={t('runs.views')}
        activeKey={tabs.some((one) => one.key === wanted) ? wanted : 'tree'}
        onChange={(key) => filters.set({ view: key === 'tree' ? null : key })}
        items={tabs}
        destroyOnHidden
      />
      {deed === 'explain' && <Explain run={run} onClose={() => setDeed(undefined)} />}
      {deed === 'replay' && <Replay run={run} onClose={() => setDeed(undefined)} />}
      {deed === 'case' && <MakeCase run={run} agent={view.agent} onClose={() => setDeed(undefined)} />}
      {deed === 'cancel' && <CancelRun run={run} onClose={() => setDeed(undefined)} />}
      {deed === 'takeOver' && <TakeOver waits={view.waiting} onClose={() => setDeed(undefined)} />}
    </Page>
  );
}

function Tasks({ run, view }: { run: string; view: RunView }) {
  const navigate = useNavigate();
  const scope = useSession().may('operator') ? 'all' : 'mine';
  // asked for again whenever something happens to a task
  const { data, problem, reload } = useGet<GraphShape>(`/api/runs/${run}/graph`, { scope, at: view.planVersion });
  if (problem) return <ProblemView problem={problem} onRetry={reload} />;
  if (data === undefined) return <Loading />;
  return <TaskGraph graph={data} onOpenRun={(one) => void navigate(`/runs/${one}`)} />;
}
