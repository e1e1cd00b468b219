import { Select, Segmented } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { Link, useParams } from 'react-router';

import { useGet } from '../../api/use';
import { useZone } from '../../app/session';
import { useLanguage, useT, type TextKey, type Translate } from '../../i18n';
import { useEngineWords } from '../../i18n/useEngineWords';
import { JsonView } from '../../parts/JsonView';
import { Loading } from '../../parts/Loading';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag, Tag } from '../../parts/StateTag';
import { exact, span } from '../../parts/time';
import { useFilters } from '../../parts/useFilters';
import { When } from '../../parts/When';
import { Standing } from './index';
import { formed, type CaseShape, type Comparison, type Report, type Row } from './shapes';
import './evaluations.css';

/** What came of one evaluation, alone or beside another. */
export default function EvaluationDetail() {
  const { evaluation = '' } = useParams();
  const t = useT();
  const { language } = useLanguage();
  const zone = useZone();
  const filters = useFilters(['compare', 'show', 'case']);
  const { data, problem, reload } = useGet<Report>(`/api/evaluations/${evaluation}`);
  const running = data?.state === 'running';
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(reload, 1500);
    return () => clearInterval(timer);
  }, [running, reload]);
  const { data: others } = useGet<{ evaluations: Row[] }>(data ? '/api/evaluations' : null, { agent: data?.agent, limit: 100 });
  const same = (others?.evaluations ?? []).filter((one) => one.id !== data?.id && one.suite === data?.suite && one.state === 'done');
  const other = filters.get('compare');
  return (
    <Page wide>
      <PageHeader
        title={data ? `${data.agent} / ${data.suite}` : t('shell.evaluations')}
        actions={
          data?.state === 'done' && (
            <Select
              allowClear
              style={{ minWidth: 220 }}
              popupMatchSelectWidth={false}
              aria-label={t('evaluations.compareWith')}
              placeholder={t('evaluations.compareWith')}
              value={other || undefined}
              onChange={(next: string | undefined) => filters.set({ compare: next ?? null })}
              options={same.map((one) => ({ value: one.id, label: `${exact(new Date(one.started), language === 'zh' ? 'zh-CN' : 'en-GB', zone)} · ${formed(one.score, 'share')}` }))}
            />
          )
        }
      />
      <p>
        <Link to="/evaluations">{t('work.back')}</Link>
      </p>
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {!data && !problem && <Loading rows={8} />}
      {data && (
        <div className="stack">
          <div className="row">
            <Standing row={data} t={t} />
            <span className="soft">
              {data.by} · {data.model} · <When at={data.started} />
              {data.ended && ` · ${span(Date.parse(data.ended) - Date.parse(data.started))}`} · {t('evaluations.tokens', { n: data.usage.total.toLocaleString() })}
            </span>
          </div>
          {other && <Compared report={data} other={other} />}
          {data.metrics.length > 0 && <Metrics report={data} />}
          {data.labels.length > 0 && <Matrix report={data} />}
          {data.cases.length > 0 && <Cases cases={data.cases} />}
        </div>
      )}
    </Page>
  );
}

/** The name of a metric, of a check or of an outcome; one that is not known stays. */
function named(kind: 'metric' | 'check' | 'outcome', name: string, t: Translate): string {
  const key = `evaluations.${kind}_${name}`;
  const text = t(key as TextKey);
  return text === key ? name : text;
}

function Compared({ report, other }: { report: Report; other: string }) {
  const t = useT();
  const filters = useFilters(['case', 'show']);
  const { data, problem, reload } = useGet<Comparison>(`/api/evaluations/${report.id}/compare/${other}`);
  const passes = new Map(report.cases.map((one) => [one.case, one.passed]));
  if (problem) return <ProblemView problem={problem} onRetry={reload} />;
  if (!data) return <Loading />;
  const lists = (['broken', 'fixed', 'new', 'gone'] as const).filter((name) => data[name].length > 0);
  const changed = data.metrics.filter((one) => one.before !== one.after);
  return (
    <section className="card stack">
      <h2>
        {t('evaluations.comparedWith')} <When at={data.other.started} />
      </h2>
      <div className="row">
        <Standing row={data.other} t={t} /> → <Standing row={data.evaluation} t={t} />
      </div>
      {lists.length === 0 && <p className="soft">{t('evaluations.noChange')}</p>}
      {lists.map((name) => (
        <div key={name} className="row">
          <StateTag state={{ broken: 'failed', fixed: 'ok', new: 'pending', gone: 'skipped' }[name]} word={t(`evaluations.is_${name}`, { n: data[name].length })} />
          {data[name].map((one) =>
            passes.has(one) ? (
              <button
                key={one}
                className="link"
                aria-label={t('evaluations.open', { name: one })}
                onClick={() => filters.set({ case: one, show: passes.get(one) ? 'all' : null })}
              >
                <code>{one}</code>
              </button>
            ) : (
              <code key={one}>{one}</code>
            ),
          )}
        </div>
      ))}
      {changed.length > 0 && (
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">{t('evaluations.metric')}</th>
              <th scope="col" className="n">{t('evaluations.before')}</th>
              <th scope="col" className="n">{t('evaluations.after')}</th>
            </tr>
          </thead>
          <tbody>
            {changed.map((one) => {
              const up = (one.after ?? 0) > (one.before ?? 0);
              return (
                <tr key={one.metric}>
                  <td>{named('metric', one.metric, t)}</td>
                  <td className="n">{formed(one.before, one.form)}</td>
                  <td className={`n ${up === one.at_least ? 'tone-text-good' : 'tone-text-bad'}`}>
                    {up ? '▲' : '▼'} {formed(one.after, one.form)}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Metrics({ report }: { report: Report }) {
  const t = useT();
  const measured = report.metrics.filter((one) => one.value !== null);
  return (
    <section className="card">
      <h2>{t('evaluations.metrics')}</h2>
      <dl className="metrics">
        {measured.map((one) => (
          <div key={one.metric}>
            <dt>{named('metric', one.metric, t)}</dt>
            <dd>
              <strong>{formed(one.value, one.form)}</strong>
              {one.wanted !== null && (
                <StateTag
                  state={one.met ? 'ok' : 'failed'}
                  word={t(one.at_least ? 'evaluations.atLeast' : 'evaluations.atMost', { n: formed(one.wanted, one.form) })}
                />
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Matrix({ report }: { report: Report }) {
  const t = useT();
  const { labels, confusion } = report;
  const most = Math.max(1, ...labels.flatMap((row) => labels.map((column) => confusion[row]?.[column] ?? 0)));
  return (
    <section className="card">
      <h2>{t('evaluations.confusion')}</h2>
      <div className="matrix" tabIndex={0} role="region" aria-label={t('evaluations.confusion')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('evaluations.expectedGot')}</th>
              {labels.map((one) => (
                <th key={one} scope="col">{one}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((row) => (
              <tr key={row}>
                <th scope="row">{row}</th>
                {labels.map((column) => {
                  const n = confusion[row]?.[column] ?? 0;
                  const tone = n === 0 ? '' : row === column ? 'good' : 'bad';
                  return (
                    <td key={column} className={tone} style={n > 0 ? { borderWidth: 1 + Math.round((n / most) * 3) } : undefined}>
                      {n || '·'}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Cases({ cases }: { cases: readonly CaseShape[] }) {
  const t = useT();
  const filters = useFilters(['show', 'case']);
  const wanted = filters.get('case');
  const failing = cases.filter((one) => !one.passed);
  const all = filters.get('show') === 'all' || failing.length === 0;
  const [most, setMost] = useState(100);
  const listed = all ? cases : failing;
  const place = listed.findIndex((one) => one.case === wanted);
  const shown = listed.slice(0, Math.max(most, place + 1));
  return (
    <section className="stack">
      <div className="apart">
        <h2 className="evaluation-h2">{t('evaluations.casesHead')}</h2>
        <Segmented
          aria-label={t('evaluations.casesHead')}
          value={all ? 'all' : 'failing'}
          onChange={(next) => filters.set({ show: next === 'all' ? 'all' : null })}
          options={[
            { value: 'failing', label: t('evaluations.failing', { n: failing.length }), disabled: failing.length === 0 },
            { value: 'all', label: t('evaluations.allCases', { n: cases.length }) },
          ]}
        />
      </div>
      {shown.map((one) => (
        <Fold key={`${one.case} ${one.repeat}`} one={one} open={!one.passed && shown.length <= 5} wanted={one.case === wanted} />
      ))}
      {shown.length < listed.length && (
        <button className="link" onClick={() => setMost(most + 200)}>
          {t('parts.more')}
        </button>
      )}
    </section>
  );
}

/** A case, closed to a line; the one that the address names is open and in sight. */
function Fold({ one, open, wanted }: { one: CaseShape; open: boolean; wanted: boolean }) {
  const t = useT();
  const summary = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!wanted) return;
    summary.current?.scrollIntoView({ block: 'start' });
    summary.current?.focus({ preventScroll: true });
  }, [wanted]);
  return (
    <details className="card" open={open || wanted}>
      <summary ref={summary} className="row">
        <StateTag state={one.passed ? 'ok' : 'failed'} word={t(one.passed ? 'evaluations.pass' : 'evaluations.fail')} />
        <strong>{one.title || one.case}</strong>
        {one.title && <code className="soft">{one.case}</code>}
        {one.tags.map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
        <span className="soft">{span(one.ms)}</span>
      </summary>
      <Case one={one} />
    </details>
  );
}

function Case({ one }: { one: CaseShape }) {
  const t = useT();
  const words = useEngineWords();
  return (
    <div className="stack case-body">
      {one.error && <p className="note tone-bad">{one.error}</p>}
      {one.failed.length > 0 && (
        <div className="case-table" tabIndex={0} role="region" aria-label={t('evaluations.failing', { n: one.failed.length })}>
          <table className="plain">
            <thead>
              <tr>
                <th scope="col">{t('evaluations.check')}</th>
                <th scope="col">{t('evaluations.expected')}</th>
                <th scope="col">{t('evaluations.got')}</th>
              </tr>
            </thead>
            <tbody>
              {one.failed.map((check, n) => (
                <tr key={n}>
                  <td>
                    {named('check', check.kind, t)} <span className="soft">#{check.turn}</span>
                  </td>
                  <td className="prose">{words(check.expected)}</td>
                  <td className="prose tone-text-bad">{words(check.got) || '—'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {one.turns.map((turn, n) => (
        <div key={n} className="tight">
          <blockquote className="prose">{turn.say}</blockquote>
          <p className="prose">{turn.reply}</p>
          <span className="soft">
            {named('outcome', turn.outcome, t)} · {turn.intents.join(', ') || '—'} · {span(turn.ms)}
          </span>
          {turn.calls.length > 0 && <JsonView value={turn.calls} label={t('evaluations.calls')} />}
        </div>
      ))}
      {one.story.length > 0 && (
        <details>
          <summary>{t('evaluations.trace')}</summary>
          <pre className="story prose">{one.story.join('\n')}</pre>
        </details>
      )}
    </div>
  );
}
