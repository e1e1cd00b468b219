import { DatePicker, InputNumber, Segmented, Select } from 'antd';
import dayjs from 'dayjs';
import { useMemo, useState } from 'react';
import { Link, useNavigate } from 'react-router';

import { address } from '../../api/client';
import type { AgentShape } from '../../api/types';
import { useGet } from '../../api/use';
import { useSession, useZoneName } from '../../app/session';
import { keep, kept } from '../../app/storage';
import { useTheme } from '../../app/theme';
import { useLanguage, useT } from '../../i18n';
import { Empty } from '../../parts/Empty';
import { Loading } from '../../parts/Loading';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { amount, seriesColours } from '../../parts/scale';
import { span } from '../../parts/time';
import { TimeChart, type Series } from '../../parts/TimeChart';
import { useFilters } from '../../parts/useFilters';
import { useIntentNames } from '../runs/useIntentNames';
import './usage.css';

interface Figures {
  conversations: number;
  runs: number;
  failed: number;
  prompt: number;
  cached: number;
  completion: number;
  reasoning: number;
  asks: number;
  confirmations: number;
  approvals: number;
  denials: number;
  up: number;
  down: number;
  p50_ms: number | null;
  p95_ms: number | null;
  tool_calls: number;
  tool_ok: number;
}

interface UsageReport {
  from: string;
  to: string;
  step: 'hour' | 'day';
  series: (Figures & { at: string })[];
  totals: Figures;
  intents: { intent: string; count: number }[];
  tools: { tool: string; calls: number; ok: number }[];
  agents: { agent: string; runs: number; failed: number; prompt: number; completion: number }[];
  caught_up: boolean;
}

const RANGES = { '1': 1, '7': 7, '30': 30, '90': 90 } as const;
const HOUR = 3_600_000;

/** What was used and how it went, over time. */
export default function Usage() {
  const t = useT();
  const { may } = useSession();
  const timezone = useZoneName();
  const filters = useFilters(['range', 'from', 'to', 'agent', 'user', 'step']);
  const { data: known } = useGet<{ agents: AgentShape[] }>('/api/agents');
  const [opened] = useState(() => Date.now());
  const range = filters.get('range') || '7';
  const days = range in RANGES ? RANGES[range as keyof typeof RANGES] : 7;
  const custom = filters.get('from') && filters.get('to');
  const from = custom ? filters.get('from') : dayjs(opened).subtract(days - 1, 'day').startOf('day').toISOString();
  const to = custom ? filters.get('to') : new Date(opened + 60_000).toISOString();
  const length = Date.parse(to) - Date.parse(from);
  const step = filters.get('step') || (length <= 3 * 24 * HOUR ? 'hour' : 'day');
  const scope = { agent: filters.get('agent'), user: filters.get('user') };
  const { data, problem, loading, reload } = useGet<UsageReport>('/api/usage/report', { from, to, step, timezone, ...scope });
  const { data: people } = useGet<{ users: { login: string }[] }>(may('admin') ? '/api/users' : null);
  return (
    <Page wide>
      <PageHeader title={t('shell.usage')} hint={`${t(may('operator') ? 'usage.hintAll' : 'usage.hint')} ${t('parts.zone', { zone: timezone })}`} />
      <div className="filters" role="search">
        <Segmented
          aria-label={t('usage.range')}
          value={custom ? 'custom' : range}
          onChange={(next) => filters.set({ range: next === '7' ? null : next, from: null, to: null, step: null })}
          options={[
            ...Object.entries(RANGES).map(([value, n]) => ({ value, label: t('usage.days', { n }) })),
            ...(custom ? [{ value: 'custom', label: t('usage.custom') }] : []),
          ]}
        />
        <DatePicker.RangePicker
          aria-label={t('usage.range')}
          placeholder={[t('usage.from'), t('usage.to')]}
          showTime={{ format: 'HH:mm' }}
          format="YYYY-MM-DD HH:mm"
          value={custom ? [dayjs(from), dayjs(to)] : null}
          onChange={(next) =>
            filters.set({ from: next?.[0]?.toISOString() ?? null, to: next?.[1]?.toISOString() ?? null, step: null })
          }
        />
        <Select
          allowClear
          style={{ minWidth: 150 }}
          aria-label={t('work.agent')}
          placeholder={t('work.agent')}
          value={filters.get('agent') || undefined}
          onChange={(agent: string | undefined) => filters.set({ agent: agent ?? null })}
          options={(known?.agents ?? []).map((one) => ({ value: one.agent, label: one.title }))}
        />
        {people && (
          <Select
            allowClear
            showSearch
            style={{ minWidth: 140 }}
            aria-label={t('work.user')}
            placeholder={t('work.user')}
            value={filters.get('user') || undefined}
            onChange={(user: string | undefined) => filters.set({ user: user ?? null })}
            options={people.users.map(({ login }) => ({ value: login, label: login }))}
          />
        )}
        <Segmented
          aria-label={t('usage.step')}
          value={step}
          onChange={(next) => filters.set({ step: next })}
          options={[
            { value: 'hour', label: t('usage.hourly') },
            { value: 'day', label: t('usage.daily') },
          ]}
        />
      </div>
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {loading && <Loading rows={10} />}
      {data && !data.caught_up && <p className="note tone-wait">{t('work.catching')}</p>}
      {data && data.totals.runs === 0 && <Empty title={t('usage.none')} hint={t('usage.noneHint')} />}
      {data && data.totals.runs > 0 && (
        <Charts report={data} scope={scope} agents={known?.agents ?? NOBODY} onBrush={(a, b) => filters.set({ from: iso(a), to: iso(b), step: null })} />
      )}
    </Page>
  );
}

const NOBODY: AgentShape[] = [];

function iso(at: number): string {
  return new Date(at).toISOString();
}

interface ChartsProps {
  report: UsageReport;
  scope: { agent: string; user: string };
  agents: readonly AgentShape[];
  onBrush: (from: number, to: number) => void;
}

function Charts({ report, scope, agents, onBrush }: ChartsProps) {
  const t = useT();
  const { language } = useLanguage();
  const { blue, green, amber, red, purple, grey } = seriesColours[useTheme().theme];
  const navigate = useNavigate();
  const locale = language === 'zh' ? 'zh-CN' : 'en-GB';
  const { totals, series } = report;
  const at = series.map((one) => one.at);
  const step = report.step === 'hour' ? HOUR : 24 * HOUR;
  const of = (name: string, colour: string, pick: (one: Figures) => number | null): Series => ({
    name,
    colour,
    values: series.map(pick),
  });
  const runs = (from: number, to: number, more: Record<string, string> = {}) =>
    void navigate(address('/runs', { from: iso(from), to: iso(to), ...scope, ...more }));
  /** A step opens its runs; a longer span becomes the range. */
  const pick = (more?: Record<string, string>) => (from: number, to: number) =>
    to - from > step ? onBrush(from, to) : runs(from, to, more);
  const chart = (title: string, kind: 'bars' | 'lines', list: Series[], more?: Record<string, string>, format?: (n: number) => string) => (
    <div className="card">
      <TimeChart
        title={<h2>{title}</h2>}
        label={title}
        at={at}
        step={step}
        kind={kind}
        height={170}
        series={list}
        onPick={pick(more)}
        {...(format && { format })}
      />
    </div>
  );
  const all = { from: report.from, to: report.to, ...scope };
  return (
    <div className="stack">
      <Totals totals={totals} />
      <div className="usage-charts">
        {chart(t('usage.tokens'), 'bars', [
          of(t('usage.prompt'), blue, (one) => one.prompt - one.cached),
          of(t('usage.cached'), grey, (one) => one.cached),
          of(t('usage.completion'), green, (one) => one.completion - one.reasoning),
          of(t('usage.reasoning'), purple, (one) => one.reasoning),
        ])}
        {chart(t('usage.runs'), 'bars', [
          of(t('usage.fine'), blue, (one) => one.runs - one.failed),
          of(t('usage.failed'), red, (one) => one.failed),
        ])}
        {chart(t('usage.conversations'), 'bars', [of(t('usage.conversations'), blue, (one) => one.conversations)])}
        {chart(t('usage.latency'), 'lines', [of('p50', blue, (one) => one.p50_ms), of('p95', amber, (one) => one.p95_ms)], {}, span)}
        {chart(t('usage.toolCalls'), 'bars', [
          of(t('usage.ok'), green, (one) => one.tool_ok),
          of(t('usage.notOk'), red, (one) => one.tool_calls - one.tool_ok),
        ])}
        {chart(t('usage.people'), 'bars', [
          of(t('usage.asks'), blue, (one) => one.asks),
          of(t('usage.confirmations'), amber, (one) => one.confirmations),
          of(t('usage.approvals'), purple, (one) => one.approvals),
          of(t('usage.denials'), red, (one) => one.denials),
        ])}
      </div>
      <div className="usage-charts">
        <Ranked
          title={t('usage.intents')}
          rows={useIntentRows(report.intents, agents).map(({ intent, name, count }) => ({
            name, value: count, shown: amount(count, locale), to: address('/runs', { ...all, intent }),
          }))}
        />
        <Ranked
          title={t('usage.tools')}
          rows={report.tools.map((one) => ({
            name: one.tool,
            value: one.calls,
            part: one.ok,
            shown: `${amount(one.calls, locale)} · ${((one.ok / Math.max(1, one.calls)) * 100).toFixed(1)} %`,
            to: address('/runs', { ...all, tool: one.tool }),
          }))}
        />
        <Ranked
          title={t('usage.agents')}
          rows={report.agents.map((one) => ({
            name: one.agent,
            value: one.runs,
            part: one.runs - one.failed,
            shown: `${amount(one.runs, locale)} · ${amount(one.prompt + one.completion, locale)} ${t('usage.tokensShort')}`,
            to: address('/runs', { ...all, agent: one.agent }),
          }))}
        />
        <Cost totals={totals} />
      </div>
    </div>
  );
}

function useIntentRows(intents: UsageReport['intents'], agents: readonly AgentShape[]) {
  const names = useIntentNames(useSession().may('operator') ? agents : NOBODY);
  return useMemo(
    () => intents.map((one) => ({ ...one, name: names.find((known) => known.value === one.intent)?.label ?? one.intent })),
    [intents, names],
  );
}

function Totals({ totals }: { totals: Figures }) {
  const t = useT();
  const { language } = useLanguage();
  const locale = language === 'zh' ? 'zh-CN' : 'en-GB';
  const share = (part: number, whole: number) => (whole ? `${((part / whole) * 100).toFixed(1)} %` : '—');
  const figures: [string, string, string][] = [
    [t('usage.runs'), amount(totals.runs, locale), t('usage.ofFailed', { share: share(totals.failed, totals.runs) })],
    [t('usage.conversations'), amount(totals.conversations, locale), ''],
    [t('usage.tokens'), amount(totals.prompt + totals.completion, locale), t('usage.ofCached', { share: share(totals.cached, totals.prompt) })],
    [t('usage.latency'), totals.p50_ms === null ? '—' : span(totals.p50_ms), totals.p95_ms === null ? '' : `p95 ${span(totals.p95_ms)}`],
    [t('usage.toolCalls'), amount(totals.tool_calls, locale), t('usage.ofOk', { share: share(totals.tool_ok, totals.tool_calls) })],
    [t('usage.asks'), amount(totals.asks, locale), ''],
    [t('usage.confirmed'), amount(totals.confirmations + totals.approvals, locale), t('usage.ofDenied', { n: totals.denials })],
    [t('usage.rated'), `${totals.up} / ${totals.down}`, t('usage.upDown')],
  ];
  return (
    <dl className="usage-totals">
      {figures.map(([name, value, more]) => (
        <div key={name} className="card">
          <dt>{name}</dt>
          <dd>
            <strong>{value}</strong>
            <span className="soft">{more}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface RankedRow {
  name: string;
  value: number;
  part?: number;
  shown: string;
  to: string;
}

/** A table with bars; every row leads to its runs. */
function Ranked({ title, rows }: { title: string; rows: readonly RankedRow[] }) {
  const t = useT();
  const most = Math.max(1, ...rows.map((one) => one.value));
  return (
    <section className="card">
      <h2>{title}</h2>
      {rows.length === 0 && <p className="soft">{t('parts.empty')}</p>}
      <ol className="ranked">
        {rows.slice(0, 12).map((one) => (
          <li key={one.name}>
            <Link to={one.to} className="cut" title={one.name}>
              {one.name}
            </Link>
            <span className="ranked-track" aria-hidden="true">
              <span className="ranked-all" style={{ width: `${(one.value / most) * 100}%` }} />
              {one.part !== undefined && <span className="ranked-part" style={{ width: `${(one.part / most) * 100}%` }} />}
            </span>
            <span className="ranked-n">{one.shown}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

const PRICES = ['prompt', 'cached', 'completion'] as const;
type Prices = Record<(typeof PRICES)[number], number>;

/** What the tokens cost, by prices that the viewer gives; they are kept in this browser. */
function Cost({ totals }: { totals: Figures }) {
  const t = useT();
  const [prices, setPrices] = useState<Prices>(() => readPrices());
  const cost =
    ((totals.prompt - totals.cached) * prices.prompt + totals.cached * prices.cached + totals.completion * prices.completion) / 1e6;
  return (
    <section className="card stack">
      <h2>{t('usage.cost')}</h2>
      <strong className="usage-cost">{cost.toLocaleString(undefined, { maximumFractionDigits: 2 })}</strong>
      <p className="soft">{t('usage.costHint')}</p>
      <div className="row">
        {PRICES.map((name) => (
          <div key={name} className="field">
            <label htmlFor={`price-${name}`}>{t(`usage.${name}`)}</label>
            <InputNumber
              id={`price-${name}`}
              min={0}
              value={prices[name]}
              onChange={(value) => {
                const next = { ...prices, [name]: value ?? 0 };
                setPrices(next);
                keep('prices', JSON.stringify(next));
              }}
            />
          </div>
        ))}
      </div>
    </section>
  );
}

function readPrices(): Prices {
  try {
    const read = JSON.parse(kept('prices') ?? '{}') as Partial<Prices>;
    return { prompt: Number(read.prompt) || 0, cached: Number(read.cached) || 0, completion: Number(read.completion) || 0 };
  } catch {
    return { prompt: 0, cached: 0, completion: 0 };
  }
}
