import { useT, type Translate } from '../../i18n';
import type { Tone } from '../../app/palette';
import { lookOf } from '../../parts/state';
import { StateIcon } from '../../parts/StateTag';
import { span } from '../../parts/time';
import { useNow } from '../../parts/When';
import type { RunView, Step } from '../chat/fold';

interface Bar {
  from: number;
  ms: number;
  tone: Tone;
  title: string;
}

/** The steps of a run over the time that they took; waits for people are shown too. */
export function Timeline({ view }: { view: RunView }) {
  const t = useT();
  const now = useNow();
  const start = Date.parse(view.steps[0]?.at ?? '') || 0;
  const rows = view.steps.map((step) => ({ step, bars: barsOf(step, now, t) }));
  const end = Math.max(start + 1, start + view.ms, ...rows.flatMap(({ bars }) => bars.map((bar) => bar.from + bar.ms)));
  const place = (at: number) => `${(Math.max(0, at - start) / (end - start)) * 100}%`;
  return (
    <ol className="gantt" aria-label={t('runs.timeline')}>
      {rows.map(({ step, bars }) => (
        <li key={step.key}>
          <span className="gantt-name">
            <StateIcon state={step.state} />
            <span className="cut" title={nameOf(step, t)}>
              {nameOf(step, t)}
            </span>
          </span>
          <span className="gantt-track">
            {bars.map((bar, n) => (
              <span
                key={n}
                className={`gantt-bar ${bar.tone}`}
                style={{ left: `min(calc(100% - 3px), ${place(bar.from)})`, width: `${(bar.ms / (end - start)) * 100}%` }}
                title={bar.title}
              />
            ))}
          </span>
          <span className="gantt-ms">{bars.length > 0 ? span(bars.reduce((sum, bar) => sum + bar.ms, 0)) : ''}</span>
        </li>
      ))}
    </ol>
  );
}

function barsOf(step: Step, now: number, t: Translate): Bar[] {
  const tone = lookOf(step.state)?.tone ?? 'neutral';
  const at = Date.parse(step.at);
  const { call } = step;
  if (call === undefined) {
    const ms = step.ms ?? 0;
    return [{ from: at, ms, tone, title: `${nameOf(step, t)} ${span(ms)}` }];
  }
  const bars = call.waits.map((wait): Bar => {
    const from = Date.parse(wait.asked);
    const ms = (wait.decidedAt ? Date.parse(wait.decidedAt) : now) - from;
    return { from, ms: Math.max(0, ms), tone: 'wait', title: t('runs.waits', { what: span(Math.max(0, ms)) }) };
  });
  for (const attempt of call.attempts) {
    const from = Date.parse(attempt.started);
    const ms = attempt.ms ?? Math.max(0, now - from);
    const status = attempt.result?.status ?? 'running';
    bars.push({ from, ms, tone: lookOf(status)?.tone ?? 'info', title: `${call.tool} #${attempt.attempt} ${status} ${span(ms)}` });
  }
  return bars.length > 0 ? bars : [{ from: at, ms: 0, tone, title: nameOf(step, t) }];
}

/** What a step is called in a list. */
export function nameOf(step: Step, t: Translate): string {
  switch (step.kind) {
    case 'message':
      return t('runs.stepMessage');
    case 'intent':
      return t('runs.stepIntent');
    case 'route':
      return t('runs.stepRoute');
    case 'model':
      return t('runs.stepModel');
    case 'check':
      return t('runs.stepCheck');
    case 'reply':
      return t('runs.stepReply');
    case 'note':
      return t('runs.stepNote');
    case 'call':
      return step.call?.tool ?? '';
  }
}
