import { DislikeFilled, LikeFilled } from '@ant-design/icons';
import { useMemo } from 'react';
import { useNavigate } from 'react-router';

import { useGet } from '../../api/use';
import type { AgentShape } from '../../api/types';
import { useSession } from '../../app/session';
import { useTheme } from '../../app/theme';
import { useT, type Translate } from '../../i18n';
import { DataTable, type Filter } from '../../parts/DataTable';
import { Empty } from '../../parts/Empty';
import { Page, PageHeader } from '../../parts/PageHeader';
import { seriesColours } from '../../parts/scale';
import { StateTag } from '../../parts/StateTag';
import { span } from '../../parts/time';
import { TimeChart } from '../../parts/TimeChart';
import { useFilters } from '../../parts/useFilters';
import { When } from '../../parts/When';
import type { FoundRun, Histogram } from './shapes';
import { useIntentNames } from './useIntentNames';
import './runs.css';

const STATUSES = ['queued', 'running', 'split', 'waiting', 'parked', 'done', 'failed', 'cancelled'] as const;
const NOBODY: readonly AgentShape[] = [];
const OUTCOMES = [
  'answer', 'question', 'uncertain', 'timeout', 'missing', 'unsourced', 'invalid', 'off_route',
  'unknown_tool', 'repeated', 'limit', 'unavailable',
] as const;

/** All runs: search, over time, one by one. */
export default function Runs() {
  const t = useT();
  const navigate = useNavigate();
  const { may } = useSession();
  const operator = may('operator');
  const { data: known } = useGet<{ agents: AgentShape[] }>('/api/agents');
  const agents = useMemo(() => known?.agents ?? [], [known]);
  const intents = useIntentNames(operator ? agents : NOBODY);
  const specs: Filter[] = [
    { name: 'q', label: t('runs.text'), kind: 'text' },
    { name: 'status', label: t('work.state'), kind: 'many', options: STATUSES.map((one) => ({ value: one, label: t(`runs.${one}`) })) },
    ...(operator
      ? ([
          { name: 'scope', label: t('runs.scope'), kind: 'select', width: 120, options: [{ value: 'mine', label: t('runs.mine') }] },
          { name: 'user', label: t('work.user'), kind: 'text', width: 120 },
        ] as Filter[])
      : []),
    { name: 'agent', label: t('work.agent'), kind: 'select', options: agents.map((one) => ({ value: one.agent, label: one.title })) },
    { name: 'intent', label: t('work.intent'), kind: 'select', options: intents },
    { name: 'tool', label: t('work.tool'), kind: 'select', options: toolsOf(agents) },
    { name: 'outcome', label: t('runs.outcome'), kind: 'select', options: OUTCOMES.map((one) => ({ value: one, label: t(`runs.${one}`) })) },
    { name: 'min_ms', label: t('runs.minMs'), kind: 'number', width: 130 },
    { name: 'from', label: t('runs.from'), kind: 'time' },
    { name: 'to', label: t('runs.to'), kind: 'time' },
  ];
  const filters = useFilters(specs.map((one) => one.name));
  const query = { scope: operator && filters.get('scope') !== 'mine' ? 'all' : 'mine' };
  return (
    <Page wide>
      <PageHeader title={t('shell.runs')} hint={t('runs.hint')} />
      <DataTable<FoundRun>
        path="/api/runs"
        rows="runs"
        rowKey="run"
        topic="runs"
        label={t('shell.runs')}
        filters={specs}
        query={query}
        onOpen={(row) => void navigate(`/runs/${row.run}`)}
        empty={<Empty title={t('runs.none')} hint={t('runs.noneHint')} />}
        height={Math.max(260, window.innerHeight - 520)}
        limit={100}
        extra={() => <OverTime query={{ ...filters.query, ...query }} onPick={(from, to) => filters.set({ from, to })} />}
        columns={[
          { title: t('work.state'), width: 112, render: (_, row) => <StateTag state={row.status} word={t(`runs.${row.status}`)} /> },
          { title: t('runs.began'), width: 128, className: 'nowrap', render: (_, row) => <When at={row.created} /> },
          {
            title: t('runs.input'),
            width: 266,
            render: (_, row) => (
              <div className="run-words">
                <div className="cut" title={row.input}>{row.input || '—'}</div>
                <div className="cut soft" title={row.reply}>{row.reply || row.failure || ' '}</div>
              </div>
            ),
          },
          { title: t('work.agent'), width: 92, ellipsis: true, dataIndex: 'agent' },
          ...(operator ? [{ title: t('work.user'), width: 90, ellipsis: true, dataIndex: 'user' as const }] : []),
          { title: t('work.intent'), width: 120, ellipsis: true, render: (_, row) => titled(row.intents, intents) },
          { title: t('work.tool'), width: 136, ellipsis: true, render: (_, row) => row.tools.join(', ') || '—' },
          { title: t('runs.took'), width: 84, align: 'right', render: (_, row) => span(row.ms) },
          { title: t('runs.tokens'), width: 76, align: 'right', render: (_, row) => row.usage.total.toLocaleString() },
          { title: t('runs.rating'), width: 66, align: 'center', render: (_, row) => <Rating rating={row.rating} t={t} /> },
        ]}
        card={(row) => (
          <button className="link plain-link" onClick={() => void navigate(`/runs/${row.run}`)}>
            <span className="apart">
              <StateTag state={row.status} word={t(`runs.${row.status}`)} />
              <span className="soft">
                <When at={row.created} />
              </span>
            </span>
            <strong>{row.input || '—'}</strong>
            <span className="soft">
              {[row.agent, operator ? row.user : '', titled(row.intents, intents), span(row.ms)].filter((one) => one && one !== '—').join(' · ')}
            </span>
          </button>
        )}
      />
    </Page>
  );
}

function titled(intents: string[], known: readonly { value: string; label: string }[]): string {
  return intents.map((one) => known.find((k) => k.value === one)?.label ?? one).join(', ') || '—';
}

function toolsOf(agents: readonly AgentShape[]): { value: string; label: string }[] {
  const names = new Set(agents.flatMap((one) => one.tools.map((tool) => tool.name)));
  return [...names].sort().map((name) => ({ value: name, label: name }));
}

function Rating({ rating, t }: { rating: FoundRun['rating']; t: Translate }) {
  if (rating === 'up') return <LikeFilled className="tone-text-good" aria-label={t('runs.up')} />;
  if (rating === 'down') return <DislikeFilled className="tone-text-bad" aria-label={t('runs.down')} />;
  return null;
}

function OverTime(props: { query: Record<string, string | string[]>; onPick: (from: string, to: string) => void }) {
  const t = useT();
  const { blue, red } = seriesColours[useTheme().theme];
  const { data } = useGet<Histogram>('/api/runs/histogram', { ...props.query, buckets: 60 });
  const buckets = data?.buckets ?? [];
  if (buckets.length === 0) return null;
  return (
    <div className="card over-time">
      <TimeChart
        title={<h2>{t('runs.overTime', { n: buckets.reduce((sum, one) => sum + one.count, 0).toLocaleString() })}</h2>}
        label={t('runs.overTimeLabel')}
        at={buckets.map((one) => one.at)}
        step={(data?.step_seconds ?? 1) * 1000}
        kind="bars"
        height={110}
        series={[
          { name: t('runs.otherRuns'), colour: blue, values: buckets.map((one) => one.count - one.failed) },
          { name: t('runs.failed'), colour: red, values: buckets.map((one) => one.failed) },
        ]}
        onPick={(from, to) => props.onPick(new Date(from).toISOString(), new Date(to).toISOString())}
      />
    </div>
  );
}
