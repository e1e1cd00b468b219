/** Bars, lines and pies of a few series, drawn as SVG; each is also there as a table. */
import { useId, useState } from 'react';

import type { ChartShape } from '../api/types';
import { useT } from '../i18n';
import './chart.css';

const WIDTH = 560;
const HEIGHT = 240;
const LEFT = 56;
const BOTTOM = 44;
const TOP = 12;

/** Round steps from zero (or below) that hold all values: [lowest, highest, step]. */
export function scale(values: readonly number[]): [number, number, number] {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const rough = (high - low || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10);
  return [Math.floor(low / step) * step, Math.ceil(high / step) * step || step, step];
}

export function short(value: number): string {
  return new Intl.NumberFormat(undefined, { notation: Math.abs(value) >= 10_000 ? 'compact' : 'standard', maximumFractionDigits: 2 }).format(value);
}

export function Chart({ chart }: { chart: ChartShape }) {
  const t = useT();
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  const named = chart.title || chart.series.map((one) => one.name).join(', ');
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>
        <span>
          {named}
          {chart.unit && <span className="soft"> ({chart.unit})</span>}
        </span>
        <button type="button" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {t(asTable ? 'chat.asChart' : 'chat.asTable')}
        </button>
      </figcaption>
      {asTable ? (
        <Figures chart={chart} />
      ) : chart.kind === 'pie' ? (
        <Pie chart={chart} />
      ) : (
        <Axes chart={chart} />
      )}
      {!asTable && (chart.series.length > 1 || chart.kind === 'pie') && (
        <ul className="legend">
          {(chart.kind === 'pie' ? chart.labels : chart.series.map((one) => one.name)).map((name, n) => (
            <li key={n}>
              <span className={`swatch c${n % 8}`} aria-hidden="true" />
              {name}
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

function Axes({ chart }: { chart: ChartShape }) {
  const all = chart.series.flatMap((one) => one.values.filter((value) => value !== null));
  const [low, high, step] = scale(all);
  const y = (value: number) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const slot = (WIDTH - LEFT) / Math.max(1, chart.labels.length);
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, n) => low + n * step);
  const every = Math.ceil(chart.labels.length / 9);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={chart.title}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line className="grid" x1={LEFT} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
            {short(tick)}
          </text>
        </g>
      ))}
      {chart.labels.map((label, n) =>
        n % every === 0 ? (
          <text key={n} x={LEFT + slot * (n + 0.5)} y={HEIGHT - BOTTOM + 18} textAnchor="middle">
            {label.length > 9 ? `${label.slice(0, 8)}…` : label}
            <title>{label}</title>
          </text>
        ) : null,
      )}
      {chart.kind === 'bar'
        ? chart.series.map((one, s) =>
            one.values.map((value, n) => {
              if (value === null) return null;
              const width = Math.min(46, (slot * 0.7) / chart.series.length);
              const x = LEFT + slot * (n + 0.5) + (s - chart.series.length / 2) * width;
              return (
                <rect
                  key={`${s}.${n}`}
                  className={`fill c${s % 8}`}
                  x={x}
                  width={Math.max(1, width - 2)}
                  y={Math.min(y(value), y(0))}
                  height={Math.max(1, Math.abs(y(value) - y(0)))}
                >
                  <title>{`${chart.labels[n] ?? ''} · ${one.name}: ${value} ${chart.unit}`}</title>
                </rect>
              );
            }),
          )
        : chart.series.map((one, s) => (
            <g key={s}>
              <polyline
                className={`stroke c${s % 8}`}
                points={one.values
                  .flatMap((value, n) => (value === null ? [] : [`${LEFT + slot * (n + 0.5)},${y(value)}`]))
                  .join(' ')}
              />
              {one.values.map((value, n) =>
                value === null ? null : (
                  <circle key={n} className={`fill c${s % 8}`} cx={LEFT + slot * (n + 0.5)} cy={y(value)} r={3}>
                    <title>{`${chart.labels[n] ?? ''} · ${one.name}: ${value} ${chart.unit}`}</title>
                  </circle>
                ),
              )}
            </g>
          ))}
    </svg>
  );
}

function Pie({ chart }: { chart: ChartShape }) {
  const values = (chart.series[0]?.values ?? []).map((value) => value ?? 0);
  const sum = values.reduce((total, value) => total + value, 0) || 1;
  const ends = values.map((_, n) => values.slice(0, n + 1).reduce((total, value) => total + value, 0) / sum);
  const at = (turn: number) => [100 + 90 * Math.sin(2 * Math.PI * turn), 100 - 90 * Math.cos(2 * Math.PI * turn)];
  return (
    <svg viewBox="0 0 200 200" className="pie" role="img" aria-label={chart.title}>
      {values.map((value, n) => {
        const from = ends[n - 1] ?? 0;
        const to = Math.min(ends[n] ?? 1, from + 0.9999);
        const [x1, y1] = at(from);
        const [x2, y2] = at(to);
        return (
          <path
            key={n}
            className={`fill c${n % 8}`}
            d={`M100,100 L${x1},${y1} A90,90 0 ${to - from > 0.5 ? 1 : 0} 1 ${x2},${y2} Z`}
          >
            <title>{`${chart.labels[n] ?? ''}: ${value} ${chart.unit} (${((100 * value) / sum).toFixed(1)} %)`}</title>
          </path>
        );
      })}
    </svg>
  );
}

function Figures({ chart }: { chart: ChartShape }) {
  return (
    <div className="scroll-x" tabIndex={0} role="group" aria-label={chart.title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{chart.label}</th>
            {chart.series.map((one, n) => (
              <th key={n} scope="col">
                {one.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {chart.labels.map((label, n) => (
            <tr key={n}>
              <th scope="row">{label}</th>
              {chart.series.map((one, s) => (
                <td key={s}>{one.values[n] ?? '—'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
