import { ExpandOutlined, MinusOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Drawer } from 'antd';
import { useMemo, useRef, useState } from 'react';

import type { GraphShape, TaskShape } from '../api/types';
import { useT } from '../i18n';
import { layers } from './layers';
import { lookOf } from './state';
import { StateIcon, StateTag } from './StateTag';
import { span } from './time';
import { useWidthOf } from './useSize';
import { When } from './When';
import './work.css';
import './graph.css';

const CELL = { width: 230, height: 84 };
const BOX = { width: 186, height: 60 };
const PAD = 14;

interface View {
  x: number;
  y: number;
  scale: number;
}

/** The tasks that a request was split into: what needs what, and how each stands. */
export function TaskGraph(props: { graph: GraphShape; height?: number; onOpenRun?: (run: string) => void }) {
  const { graph, onOpenRun } = props;
  const t = useT();
  const [watch, width] = useWidthOf();
  const places = useMemo(() => layers(graph.tasks), [graph.tasks]);
  const [moved, setMoved] = useState<View>();
  const [open, setOpen] = useState<string>();
  const drag = useRef<{ x: number; y: number; view: View }>(undefined);
  const columns = Math.max(0, ...[...places.values()].map((one) => one.column)) + 1;
  const rows = Math.max(0, ...[...places.values()].map((one) => one.row)) + 1;
  const size = { width: columns * CELL.width + PAD, height: rows * CELL.height + PAD };
  const height = props.height ?? Math.min(440, Math.max(160, size.height + 20));
  const scale = Math.min(1, Math.max(0.3, Math.min(width / size.width, height / size.height)));
  const fit = { x: Math.max(0, (width - size.width * scale) / 2), y: Math.max(0, (height - size.height * scale) / 2), scale };
  const view = moved ?? fit;
  const zoom = (factor: number) => {
    const next = Math.min(2.5, Math.max(0.2, view.scale * factor));
    const k = next / view.scale;
    setMoved({ x: width / 2 - (width / 2 - view.x) * k, y: height / 2 - (height / 2 - view.y) * k, scale: next });
  };
  const at = (index: string) => {
    const place = places.get(index) ?? { column: 0, row: 0 };
    return { x: PAD + place.column * CELL.width, y: PAD + place.row * CELL.height };
  };
  const task = graph.tasks.find((one) => one.index === open);
  return (
    <div className="graph" ref={watch}>
      <div className="graph-tools">
        <StateTag state={graph.overall === 'partial_failure' ? 'warning' : graph.overall === 'open' ? 'running' : graph.overall} />
        <Button size="small" icon={<PlusOutlined />} aria-label={t('work.graphIn')} onClick={() => zoom(1.25)} />
        <Button size="small" icon={<MinusOutlined />} aria-label={t('work.graphOut')} onClick={() => zoom(0.8)} />
        <Button size="small" icon={<ExpandOutlined />} onClick={() => setMoved(undefined)}>
          {t('work.graphFit')}
        </Button>
      </div>
      <div
        className="graph-window"
        style={{ height }}
        onPointerDown={(event) => {
          if ((event.target as Element).closest('button')) return;
          drag.current = { x: event.clientX, y: event.clientY, view };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          const { current } = drag;
          if (current)
            setMoved({ ...current.view, x: current.view.x + event.clientX - current.x, y: current.view.y + event.clientY - current.y });
        }}
        onPointerUp={() => (drag.current = undefined)}
        onPointerCancel={() => (drag.current = undefined)}
      >
        <div
          className="graph-sheet"
          style={{ ...size, transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
        >
          <svg width={size.width} height={size.height} aria-hidden="true">
            {graph.tasks.flatMap((one) =>
              one.base
                .filter((base) => places.has(base))
                .map((base) => {
                  const from = at(base);
                  const to = at(one.index);
                  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
                  const [x2, y2] = [to.x, to.y + BOX.height / 2];
                  return (
                    <path key={`${base} ${one.index}`} d={`M${x1},${y1} C${x1 + 28},${y1} ${x2 - 28},${y2} ${x2 - 2},${y2}`} />
                  );
                }),
            )}
          </svg>
          {graph.tasks.map((one) => (
            <button
              key={one.index}
              type="button"
              className={`graph-task tone-${lookOf(one.state)?.tone ?? 'neutral'}`}
              style={{ left: at(one.index).x, top: at(one.index).y, ...BOX }}
              title={one.desc}
              onClick={() => setOpen(one.index)}
            >
              <span className="graph-name">
                <StateIcon state={one.state} />
                <b>{one.index}</b>
                <span>{wordOf(one, t)}</span>
              </span>
              <span className="graph-desc">{one.desc}</span>
            </button>
          ))}
        </div>
      </div>
      <Drawer
        open={task !== undefined}
        onClose={() => setOpen(undefined)}
        title={t('work.graphTask', { index: open ?? '' })}
        size={420}
      >
        {task && <TaskFacts task={task} {...(onOpenRun && { onOpenRun })} />}
      </Drawer>
    </div>
  );
}

function wordOf(task: TaskShape, t: ReturnType<typeof useT>): string {
  const look = lookOf(task.state);
  return look ? t(look.word) : task.state;
}

function TaskFacts({ task, onOpenRun }: { task: TaskShape; onOpenRun?: (run: string) => void }) {
  const t = useT();
  const { run, started, ended } = task;
  return (
    <div className="stack">
      <div className="row">
        <StateTag state={task.state} />
        {task.optional && <span className="soft">{t('work.graphOptional')}</span>}
        {task.attempt > 1 && <span className="soft">{t('work.graphAttempt', { n: task.attempt })}</span>}
      </div>
      <p className="prose">{task.desc}</p>
      <dl className="facts">
        {task.base.length > 0 && (
          <>
            <dt>{t('work.graphDeps')}</dt>
            <dd>{task.base.join(', ')}</dd>
          </>
        )}
        {started && (
          <>
            <dt>{t('work.graphStarted')}</dt>
            <dd>
              <When at={started} />
            </dd>
          </>
        )}
        {started && ended && (
          <>
            <dt>{t('work.graphTook')}</dt>
            <dd>{span(Date.parse(ended) - Date.parse(started))}</dd>
          </>
        )}
        {task.tokens > 0 && (
          <>
            <dt>{t('work.graphTokens')}</dt>
            <dd>{task.tokens}</dd>
          </>
        )}
        {task.why && (
          <>
            <dt>{t('work.graphWhy')}</dt>
            <dd>{task.why}</dd>
          </>
        )}
        {task.cause && (
          <>
            <dt>{t('work.graphWhy')}</dt>
            <dd>{t('work.graphCause', { index: task.cause })}</dd>
          </>
        )}
        {task.questions.length > 0 && (
          <>
            <dt>{t('work.graphQuestions')}</dt>
            <dd>{task.questions.join('\n')}</dd>
          </>
        )}
      </dl>
      {task.result && (
        <section>
          <h2 className="sub">{t('work.graphResult')}</h2>
          <p className="prose">{task.result}</p>
        </section>
      )}
      {run && onOpenRun && (
        <Button onClick={() => onOpenRun(run)} style={{ justifySelf: 'start' }}>
          {t('work.graphOpenRun')}
        </Button>
      )}
    </div>
  );
}
