import { Segmented } from 'antd';
import { useState, type ReactNode } from 'react';

import { useZone } from '../app/session';
import { useLanguage, useT } from '../i18n';
import { amount, labelEvery, ticks } from './scale';
import { useWidthOf } from './useSize';
import './work.css';

export interface Series {
  name: string;
  /** A CSS colour. */
  colour: string;
  values: readonly (number | null)[];
}

export interface TimeChartProps {
  title: ReactNode;
  label: string;
  /** Instants at which the steps begin, oldest first. */
  at: readonly string[];
  /** Milliseconds of a step. */
  step: number;
  series: readonly Series[];
  /** Bars stand on one another; lines don't. */
  kind: 'bars' | 'lines';
  height?: number;
  format?: (value: number) => string;
  /** A step was clicked or a span brushed: from, and up to, in milliseconds. */
  onPick?: (from: number, to: number) => void;
}

const LEFT = 46;
const BOTTOM = 22;
const TOP = 8;

/** Values over time: hover, brush, click, arrow keys; and the same as a table. */
export function TimeChart(props: TimeChartProps) {
  const { title, label, at, step, series, onPick } = props;
  const t = useT();
  const { language } = useLanguage();
  const [view, setView] = useState<'chart' | 'table'>('chart');
  const locale = language === 'zh' ? 'zh-CN' : 'en-GB';
  const format = props.format ?? ((value: number) => amount(value, locale));
  const when = useInstants(step, locale);
  return (
    <figure className="plot" aria-label={label}>
      <div className="plot-head">
        <div className="row">
          {title}
          <span className="plot-legend">
            {series.length > 1 &&
              series.map((one) => (
                <span key={one.name}>
                  <i style={{ background: one.colour }} />
                  {one.name}
                </span>
              ))}
          </span>
        </div>
        <Segmented
          size="small"
          aria-label={t('work.viewOf', { what: label })}
          value={view}
          onChange={setView}
          options={[
            { value: 'chart' as const, label: t('work.chart') },
            { value: 'table' as const, label: t('work.table') },
          ]}
        />
      </div>
      {view === 'chart' ? (
        <Plot {...props} format={format} when={when} locale={locale} />
      ) : (
        <div className="plot-table" tabIndex={0} role="region" aria-label={label}>
          <table className="plain">
            <thead>
              <tr>
                <th scope="col">{t('work.time')}</th>
                {series.map((one) => (
                  <th key={one.name} scope="col" className="n">
                    {one.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {at.map((instant, n) => (
                <tr key={instant}>
                  <td>
                    {onPick ? (
                      <button className="link" onClick={() => onPick(Date.parse(instant), Date.parse(instant) + step)}>
                        {when(instant)}
                      </button>
                    ) : (
                      when(instant)
                    )}
                  </td>
                  {series.map((one) => (
                    <td key={one.name} className="n">
                      {shown(one.values[n], format)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </figure>
  );
}

function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '—' : format(value);
}

function useInstants(step: number, locale: string): (at: string) => string {
  const timeZone = useZone();
  const day = { month: 'numeric', day: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const shown = step >= 86_400_000 ? day : step >= 60_000 ? { ...day, ...clock } : { ...clock, second: '2-digit' as const };
  const short = new Intl.DateTimeFormat(locale, { timeZone, ...shown });
  return (at) => short.format(new Date(at));
}

interface PlotProps extends TimeChartProps {
  format: (value: number) => string;
  when: (at: string) => string;
  locale: string;
}

function Plot(props: PlotProps) {
  const { at, step, series, kind, label, height = 150, format, when, onPick } = props;
  const t = useT();
  const [watch, width] = useWidthOf();
  const [cursor, setCursor] = useState<number>();
  const [from, setFrom] = useState<number>();
  const n = at.length;
  const inner = Math.max(1, width - LEFT - 8);
  const slot = inner / Math.max(1, n);
  const totals = at.map((_, k) => series.reduce((sum, one) => sum + (one.values[k] ?? 0), 0));
  const peak =
    kind === 'bars' ? Math.max(0, ...totals) : Math.max(0, ...series.flatMap((one) => one.values.map((v) => v ?? 0)));
  const marks = ticks(peak);
  const most = marks.at(-1) ?? 1;
  const y = (value: number) => TOP + (height - TOP - BOTTOM) * (1 - value / most);
  const every = labelEvery(n, inner, step >= 86_400_000 ? 52 : 84);
  const brush = from !== undefined && cursor !== undefined ? [Math.min(from, cursor), Math.max(from, cursor)] : undefined;
  const pick = (a: number, b: number) => {
    const [first, last] = [at[Math.min(a, b)], at[Math.max(a, b)]];
    if (onPick && first && last) onPick(Date.parse(first), Date.parse(last) + step);
  };
  const place = (event: React.PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(n - 1, Math.max(0, Math.floor((event.clientX - box.left) / slot)));
  };
  const said = (k: number) =>
    [when(at[k] ?? ''), ...series.map((one) => `${one.name} ${shown(one.values[k], format)}`)].join(', ');
  const onKeyDown = (event: React.KeyboardEvent) => {
    const move = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    const current = cursor ?? n - 1;
    if (move !== undefined) setCursor(Math.min(n - 1, Math.max(0, current + move)));
    else if (event.key === 'Home') setCursor(0);
    else if (event.key === 'End') setCursor(n - 1);
    else if (event.key === 'Enter') pick(current, current);
    else return;
    event.preventDefault();
  };
  return (
    <div className="plot-plot" ref={watch} style={{ height }}>
      {width > 0 && (
        <>
          <svg width={width} height={height} aria-hidden="true">
            {marks.map((mark) => (
              <g key={mark}>
                <line className="grid" x1={LEFT} x2={width - 8} y1={y(mark)} y2={y(mark)} />
                <text x={LEFT - 6} y={y(mark) + 4} textAnchor="end">
                  {format(mark)}
                </text>
              </g>
            ))}
            {at.map(
              (instant, k) =>
                k % every === 0 && (
                  <text key={instant} x={LEFT + slot * (k + 0.5)} y={height - 6} textAnchor="middle">
                    {when(instant)}
                  </text>
                ),
            )}
            {brush && (
              <rect
                className="brush"
                x={LEFT + slot * (brush[0] ?? 0)}
                width={slot * ((brush[1] ?? 0) - (brush[0] ?? 0) + 1)}
                y={TOP}
                height={height - TOP - BOTTOM}
              />
            )}
            {kind === 'bars' ? (
              <Bars series={series} slot={slot} y={y} n={n} />
            ) : (
              <Lines series={series} slot={slot} y={y} />
            )}
            {cursor !== undefined && (
              <line className="cursor" x1={LEFT + slot * (cursor + 0.5)} x2={LEFT + slot * (cursor + 0.5)} y1={TOP} y2={height - BOTTOM} />
            )}
          </svg>
          <div
            className="plot-over"
            style={{ left: LEFT, right: 8, bottom: BOTTOM, touchAction: 'pan-y' }}
            tabIndex={0}
            role="slider"
            aria-label={label}
            aria-description={onPick ? t('work.chartHint') : undefined}
            aria-valuemin={0}
            aria-valuemax={Math.max(0, n - 1)}
            aria-valuenow={cursor ?? Math.max(0, n - 1)}
            aria-valuetext={n > 0 ? said(cursor ?? n - 1) : t('parts.empty')}
            onKeyDown={onKeyDown}
            onPointerMove={(event) => setCursor(place(event))}
            onPointerLeave={() => {
              setCursor(undefined);
              setFrom(undefined);
            }}
            onPointerDown={(event) => onPick && setFrom(place(event))}
            onPointerUp={(event) => {
              if (from !== undefined) pick(from, place(event));
              setFrom(undefined);
            }}
          />
          {cursor !== undefined && at[cursor] !== undefined && (
            <div
              className="plot-tip"
              style={cursor > n / 2 ? { right: width - (LEFT + slot * cursor) + 6 } : { left: LEFT + slot * (cursor + 1) + 6 }}
            >
              <strong>{when(at[cursor])}</strong>
              {series.map((one) => (
                <div key={one.name}>
                  <span>
                    <i className="plot-dot" style={{ color: one.colour }} aria-hidden="true">
                      ●
                    </i>{' '}
                    {one.name}
                  </span>
                  <b>{shown(one.values[cursor], format)}</b>
                </div>
              ))}
            </div>
          )}
        </>
      )}
    </div>
  );
}

interface Drawn {
  series: readonly Series[];
  slot: number;
  y: (value: number) => number;
}

function Bars({ series, slot, y, n }: Drawn & { n: number }) {
  const gap = slot > 6 ? 2 : 0.5;
  return Array.from({ length: n }, (_, k) => {
    let sum = 0;
    return series.map((one) => {
      const value = one.values[k] ?? 0;
      const top = y(sum + value);
      const high = Math.max(value > 0 ? 1.5 : 0, y(sum) - top);
      sum += value;
      return value > 0 ? (
        <rect
          key={`${k} ${one.name}`}
          x={LEFT + slot * k + gap / 2}
          width={Math.max(1, slot - gap)}
          y={top}
          height={high}
          fill={one.colour}
          rx={slot > 10 ? 2 : 0}
        />
      ) : null;
    });
  });
}

function Lines({ series, slot, y }: Drawn) {
  return series.map((one) => {
    const points = one.values.flatMap((value, k): [number, number][] =>
      value === null ? [] : [[LEFT + slot * (k + 0.5), y(value)]],
    );
    return (
      <g key={one.name}>
        <polyline
          points={points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(' ')}
          fill="none"
          stroke={one.colour}
          strokeWidth={2}
        />
        {points.length < 60 && points.map(([px, py], k) => <circle key={k} cx={px} cy={py} r={2.5} fill={one.colour} />)}
      </g>
    );
  });
}
