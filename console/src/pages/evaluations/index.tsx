import { PlayCircleOutlined } from '@ant-design/icons';
import { Button, Checkbox, Progress, Select } from 'antd';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';

import { api } from '../../api/client';
import type { AgentShape } from '../../api/types';
import { useAction, useGet } from '../../api/use';
import { useT, type Translate } from '../../i18n';
import { Empty } from '../../parts/Empty';
import { Loading } from '../../parts/Loading';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import { useFilters } from '../../parts/useFilters';
import { When } from '../../parts/When';
import type { Row, Suite } from './shapes';
import './evaluations.css';

const LOOK = 1500;
const MOST = 200;

interface Listed {
  suites: Suite[];
  evaluations: Row[];
  before: string | null;
}

/** Suites, their evaluations, and how each compares to the one before. */
export default function Evaluations() {
  const t = useT();
  const navigate = useNavigate();
  const filters = useFilters(['agent']);
  const agent = filters.get('agent');
  const { data: known } = useGet<{ agents: AgentShape[] }>('/api/agents');
  const [limit, setLimit] = useState(50);
  const { data, problem, loading, reload } = useGet<Listed>('/api/evaluations', { agent, limit });
  const rows = data?.evaluations ?? [];
  const [marked, setMarked] = useState<readonly string[]>([]);
  const start = useAction((suite: Suite) => api.post<{ id: string }>('/api/evaluations', { agent: suite.agent, suite: suite.suite }));
  const running = rows.some((one) => one.state === 'running');
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(reload, LOOK);
    return () => clearInterval(timer);
  }, [running, reload]);
  const pair = marked.flatMap((id) => rows.find((one) => one.id === id) ?? []);
  const comparable = pair.length === 2 && pair[0]?.suite === pair[1]?.suite && pair[0]?.agent === pair[1]?.agent;
  return (
    <Page wide>
      <PageHeader
        title={t('shell.evaluations')}
        hint={t('evaluations.hint')}
        actions={
          <Select
            allowClear
            style={{ minWidth: 160 }}
            aria-label={t('work.agent')}
            placeholder={t('work.agent')}
            value={agent || undefined}
            onChange={(next: string | undefined) => filters.set({ agent: next ?? null })}
            options={(known?.agents ?? []).map((one) => ({ value: one.agent, label: one.title }))}
          />
        }
      />
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {loading && <Loading />}
      {data?.suites.length === 0 && <Empty title={t('evaluations.noSuites')} hint={t('evaluations.noSuitesHint')} />}
      {data && data.suites.length > 0 && (
        <ul className="suites" aria-label={t('evaluations.suites')}>
          {data.suites.map((one) => (
            <li key={`${one.agent}/${one.file}`} className="card apart">
              <div>
                <strong>{one.suite}</strong>
                <div className="soft">
                  {one.agent} · {t('evaluations.cases', { n: one.cases })}
                </div>
                {one.problem && <div className="tone-text-bad">{one.problem}</div>}
              </div>
              <Button
                icon={<PlayCircleOutlined />}
                disabled={one.problem !== null}
                loading={start.busy}
                onClick={() => void start.run(one).then((made) => made && reload())}
              >
                {t('evaluations.run')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {start.problem && <ProblemView problem={start.problem} />}
      <div className="apart evaluation-head">
        <h2>{t('evaluations.past')}</h2>
        <Button
          disabled={!comparable}
          title={t('evaluations.compareHint')}
          onClick={() => {
            const [a, b] = [...pair].sort((x, y) => Date.parse(y.started) - Date.parse(x.started));
            if (a && b) void navigate(`/evaluations/${a.id}?compare=${b.id}`);
          }}
        >
          {t('evaluations.compare')}
        </Button>
      </div>
      {data && rows.length === 0 && <p className="soft">{t('evaluations.none')}</p>}
      {rows.length > 0 && (
        <ol className="picks">
          {rows.map((one) => (
            <li key={one.id} className="evaluation-row">
              <Checkbox
                checked={marked.includes(one.id)}
                disabled={one.state !== 'done'}
                aria-label={t('evaluations.mark', { suite: one.suite })}
                onChange={(event) =>
                  setMarked((former) =>
                    event.target.checked ? [...former, one.id].slice(-2) : former.filter((id) => id !== one.id),
                  )
                }
              />
              <button type="button" className="pick evaluation-pick" onClick={() => void navigate(`/evaluations/${one.id}`)}>
                <span>
                  <strong>{one.suite}</strong> <span className="soft">{one.agent}</span>
                </span>
                <Standing row={one} t={t} />
                <span className="soft">
                  {one.by} · {one.model} · <When at={one.started} />
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
      {data?.before && limit < MOST && (
        <Button onClick={() => setLimit(Math.min(MOST, limit + 50))}>
          {t('parts.more')}
        </Button>
      )}
    </Page>
  );
}

/** How far it is, or its score and the change over the one before. */
export function Standing({ row, t }: { row: Row; t: Translate }) {
  if (row.state === 'running') {
    return (
      <span className="row">
        <StateTag state="running" />
        <Progress
          size="small"
          style={{ width: 160 }}
          percent={row.total ? Math.round((row.done / row.total) * 100) : 0}
          aria-label={t('evaluations.progress')}
        />
        <span className="soft">
          {row.done} / {row.total}
        </span>
      </span>
    );
  }
  if (row.state === 'failed') {
    return (
      <span className="row">
        <StateTag state="failed" />
        <span>{row.problem}</span>
      </span>
    );
  }
  return (
    <span className="row">
      <StateTag
        state={row.passed === row.total ? 'ok' : 'warning'}
        word={t('evaluations.passed', { passed: row.passed, total: row.total })}
      />
      <strong>{row.score === null ? '—' : `${(row.score * 100).toFixed(1)} %`}</strong>
      <Change change={row.change} t={t} />
    </span>
  );
}

export function Change({ change, t }: { change: number | null; t: Translate }) {
  if (change === null) return null;
  if (Math.abs(change) < 0.0005) return <span className="soft">{t('evaluations.same')}</span>;
  const up = change > 0;
  return (
    <span className={up ? 'tone-text-good' : 'tone-text-bad'}>
      <span aria-hidden="true">{up ? '▲' : '▼'}</span> {t(up ? 'evaluations.better' : 'evaluations.worse', { by: (Math.abs(change) * 100).toFixed(1) })}
    </span>
  );
}
