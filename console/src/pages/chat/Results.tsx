/** What tools gave, where it is more than words: charts, tables, the graph of tasks. */
import { lazy, Suspense, useEffect } from 'react';
import { useNavigate } from 'react-router';

import type { GraphShape, TableShape } from '../../api/types';
import { useGet } from '../../api/use';
import { useLanguage, useT } from '../../i18n';
import { Chart } from '../../parts/Chart';
import { Loading } from '../../parts/Loading';
import { ProblemView } from '../../parts/ProblemView';
import type { CallView } from './fold';

const ROWS = 50;

/** The table that a tool gave, if it is one. */
export function tableIn(data: unknown): TableShape | null {
  if (data === null || typeof data !== 'object') return null;
  const { columns, rows } = data as Partial<TableShape>;
  return Array.isArray(columns) && Array.isArray(rows) && columns.every((one) => typeof one.name === 'string')
    ? (data as TableShape)
    : null;
}

export function Results({ calls }: { calls: readonly CallView[] }) {
  return calls.map((call) => {
    const table = call.result?.status === 'ok' ? tableIn(call.result.data) : null;
    if (table === null || (table.rows.length < 2 && !table.chart)) return null;
    return table.chart ? <Chart key={call.key} chart={table.chart} /> : <Table key={call.key} table={table} />;
  });
}

function Table({ table }: { table: TableShape }) {
  const t = useT();
  return (
    <figure className="result-table">
      {table.title && <figcaption>{table.title}</figcaption>}
      <div className="scroll-x" tabIndex={0} role="group" aria-label={table.title ?? t('chat.table')}>
        <table>
          <thead>
            <tr>
              {table.columns.map((one, n) => (
                <th key={n} scope="col">
                  {one.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, ROWS).map((row, n) => (
              <tr key={n}>
                {row.map((cell, m) => (
                  <td key={m}>{cell === null ? '—' : String(cell as string | number | boolean)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(table.rows.length > ROWS || table.truncated) && (
        <p className="soft">{t('chat.tableCut', { n: Math.min(ROWS, table.rows.length) })}</p>
      )}
    </figure>
  );
}

const Drawn = lazy(async () => ({ default: (await import('../../parts/TaskGraph')).TaskGraph }));

/** The tasks that the request was split into, as they stand. */
export function Tasks({ run, version }: { run: string; version: number }) {
  const t = useT();
  const navigate = useNavigate();
  const { language } = useLanguage();
  const { data, problem, reload } = useGet<GraphShape>(`/api/runs/${run}/graph`, { language });
  useEffect(() => {
    const timer = setTimeout(reload, 150);
    return () => clearTimeout(timer);
  }, [version, reload]);
  if (problem) return <ProblemView compact problem={problem} onRetry={reload} />;
  if (!data) return null;
  return (
    <section className="tasks" aria-label={t('chat.tasks')}>
      <header>
        <strong>{t('chat.tasks')}</strong>
        <span className="soft">
          {t('chat.tasksDone', {
            done: data.tasks.filter((one) => one.state === 'done').length,
            all: data.tasks.length,
          })}
        </span>
      </header>
      <Suspense fallback={<Loading />}>
        <Drawn graph={data} onOpenRun={(one) => void navigate(`/runs/${one}`)} />
      </Suspense>
    </section>
  );
}
