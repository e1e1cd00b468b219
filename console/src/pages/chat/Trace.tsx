/** What happened to one run, step by step, as it happens. */
import { memo, useState, type ReactNode } from 'react';

import type { AgentShape, IntentShape, Source } from '../../api/types';
import { useT, useTitle, type TextKey } from '../../i18n';
import { useEngineWords } from '../../i18n/useEngineWords';
import { CopyId } from '../../parts/CopyId';
import { Empty } from '../../parts/Empty';
import { JsonView } from '../../parts/JsonView';
import { Loading } from '../../parts/Loading';
import { ProblemView } from '../../parts/ProblemView';
import { StateIcon, StateTag, Tag } from '../../parts/StateTag';
import { lookOf } from '../../parts/state';
import { span } from '../../parts/time';
import { useToolTitle } from '../../parts/useToolTitle';
import { When } from '../../parts/When';
import { Arguments } from './Arguments';
import { failureWords } from './failures';
import type { CallView, Step } from './fold';
import type { Live, RunLog } from './runLog';
import './trace.css';
import { useRun, type Mark } from './useRun';

/** The trace of a run of this page; of none, what will be there. */
export function Trace(props: {
  log: RunLog | undefined;
  agent: AgentShape | undefined;
  intents: readonly IntentShape[];
  markOf: (source: Source, run: string) => Mark | null;
}) {
  const { log, ...rest } = props;
  const t = useT();
  if (log === undefined) return <Empty title={t('chat.noTrace')} hint={t('chat.noTraceHint')} />;
  return <Followed key={log.run} log={log} {...rest} />;
}

function Followed({ log, agent, intents, markOf }: Parameters<typeof Trace>[0] & { log: RunLog }) {
  const t = useT();
  const live = useRun(log);
  const { view, problem, loaded } = live;
  if (problem && !loaded) return <ProblemView compact problem={problem} onRetry={() => void log.read()} />;
  if (!loaded) return <Loading />;
  return (
    <>
      <div className="trace-head">
        <StateTag state={view.kind === 'question' ? 'asking' : view.status} />
        <span className="soft">
          {span(view.ms)} · {t('chat.tokens', { n: view.usage.total })}
        </span>
        <CopyId id={log.run} label={t('chat.traceId')} />
      </div>
      <TraceSteps live={live} agent={agent} intents={intents} markOf={(source) => markOf(source, log.run)} />
    </>
  );
}

/** The steps of a run. */
export function TraceSteps(props: {
  live: Live;
  agent: AgentShape | undefined;
  intents: readonly IntentShape[];
  /** The words that a source names, where the page shows them. */
  markOf?: (source: Source) => Mark | null;
}) {
  const { live, agent, intents, markOf = unmarked } = props;
  return (
    <ol className="trace">
      {live.view.steps.map((step) => (
        <StepView
          key={step.key}
          step={step}
          size={step.events.length}
          state={step.state}
          agent={agent}
          intents={intents}
          find={markOf}
        />
      ))}
    </ol>
  );
}

function unmarked(): null {
  return null;
}

interface StepProps {
  step: Step;
  /** Both tell whether the step, which grows in place, has changed. */
  size: number;
  state: string;
  agent: AgentShape | undefined;
  intents: readonly IntentShape[];
  find: (source: Source) => Mark | null;
}

const StepView = memo(
  function StepView({ step, agent, intents, find }: StepProps) {
    const t = useT();
    const titleOf = useToolTitle();
    const [json, setJson] = useState(false);
    const look = lookOf(step.state);
    const title = step.call
      ? titleOf(agent, step.call.tool)
      : t(`chat.step_${step.kind}` as TextKey);
    return (
      <li className={step.state === 'failed' ? 'step failed' : 'step'}>
        <div className="step-head">
          <StateIcon state={step.state} />
          <span className="step-title">
            {step.call && <span className="soft">{t(step.call.plan ? 'chat.step_plan' : 'chat.step_call')} </span>}
            {title}
          </span>
          <span className="sr-only">{look ? t(look.word) : step.state}</span>
          <span className="soft ms">{step.ms === null ? '' : span(step.ms)}</span>
          <button type="button" className="json-toggle" aria-expanded={json} aria-label={t('chat.jsonOf', { what: title })} onClick={() => setJson(!json)}>
            {'{ }'}
          </button>
        </div>
        <div className="step-body">
          {step.call ? (
            <CallSteps call={step.call} agent={agent} find={find} />
          ) : (
            <Plain step={step} intents={intents} />
          )}
        </div>
        {json && <JsonView value={step.events} label={title} />}
      </li>
    );
  },
  (former, next) =>
    former.step === next.step &&
    former.size === next.size &&
    former.state === next.state &&
    former.agent === next.agent &&
    former.intents === next.intents,
);

function Plain({ step, intents }: { step: Step; intents: readonly IntentShape[] }): ReactNode {
  const t = useT();
  const title = useTitle();
  const words = useEngineWords();
  const event = step.events[0];
  const last = step.events.at(-1);
  if (event === undefined || last === undefined) return null;
  const intentName = (name: string) => title(intents.find((one) => one.intent === name)?.title) || name;
  switch (step.kind) {
    case 'message':
      return (
        <p className="soft">
          <When at={event.at} />
          {event.origin && event.origin !== 'user' && ` · ${event.origin}`}
        </p>
      );
    case 'intent': {
      const scores = Object.entries(event.scores ?? {}).sort((a, b) => b[1] - a[1]);
      return (
        <>
          <p className="soft">
            {t('chat.classifiedBy', { by: words(event.by ?? '') })}
            {event.abstains && ` · ${t('chat.abstains')}`}
          </p>
          <ul className="scores">
            {scores.slice(0, 5).map(([name, score]) => (
              <li key={name}>
                <span>{intentName(name)}</span>
                <meter min={0} max={1} value={score} aria-label={intentName(name)} />
                <span>{score.toFixed(2)}</span>
              </li>
            ))}
          </ul>
        </>
      );
    }
    case 'route':
      return (
        <>
          <p>
            {t(`chat.route_${event.kind ?? 'answer'}` as TextKey)}{' '}
            {[...(event.intents ?? []), ...(event.candidates ?? [])].map((name) => (
              <Tag key={name}>{intentName(name)}</Tag>
            ))}
          </p>
          {event.why && <p className="soft">{words(event.why)}</p>}
        </>
      );
    case 'model': {
      const usage = last.usage;
      return (
        <>
          <p className="soft">
            {[
              last.model,
              usage && t('chat.inOut', { in: usage.prompt, out: usage.completion }),
              usage && usage.cached > 0 && t('chat.cachedTokens', { n: usage.cached }),
              usage && usage.reasoning > 0 && t('chat.thinkingTokens', { n: usage.reasoning }),
              (last.attempts ?? 1) > 1 && t('chat.attempts', { n: last.attempts ?? 1 }),
              last.stop === 'length' && t('chat.cutOff'),
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
          {last.error && (
            <p className="tone-text-bad">
              {last.error}: {last.detail}
            </p>
          )}
          {last.message?.calls && last.message.calls.length > 0 && (
            <p className="soft">{t('chat.proposes', { calls: last.message.calls.map((one) => one.name).join(', ') })}</p>
          )}
        </>
      );
    }
    case 'check':
      return (
        <>
          <ul className="faults">{(event.faults ?? []).map((one, n) => <li key={n}>{words(one)}</li>)}</ul>
          <p className="soft">{t(event.action === 'ask_again' ? 'chat.askAgain' : 'chat.fallBack')}</p>
        </>
      );
    case 'reply':
      return event.reason || event.detail ? (
        <p className={step.state === 'failed' ? 'tone-text-bad' : 'soft'}>
          {[step.state === 'failed' ? failureWords(event.reason ?? '', t) : words(event.reason ?? ''), event.detail].filter(Boolean).join(': ')}
        </p>
      ) : (
        event.by && <p className="soft">{t('chat.decidedBy', { who: event.by })}</p>
      );
    default:
      return <p className="soft">{words(event.reason ?? '')}</p>;
  }
}

function CallSteps({ call, agent, find }: { call: CallView; agent: AgentShape | undefined; find: (source: Source) => Mark | null }) {
  const t = useT();
  const words = useEngineWords();
  const proposal = call.raw?.arguments;
  return (
    <>
      {call.plan ? null : Object.keys(call.arguments).length > 0 ? (
        <Arguments agent={agent} tool={call.tool} values={call.arguments} sources={call.sources} tainted={call.tainted} markOf={find} />
      ) : (
        proposal && proposal !== '{}' && <p className="value">{proposal}</p>
      )}
      <ul className="substeps">
        {call.rejection && (
          <Sub state={call.stage} what={t('chat.sub_checked')}>
            {words(call.content || call.rejection)}
          </Sub>
        )}
        {call.risk && (
          <Sub state="ok" what={t('chat.sub_checked')}>
            <StateTag state={call.risk} /> {call.notes.map(words).join(' · ')}
          </Sub>
        )}
        {call.waits.map((wait) => (
          <Sub
            key={wait.approval}
            state={wait.decision || 'waiting'}
            what={t(wait.by === 'user' ? 'chat.sub_confirm' : 'chat.sub_approval', { role: wait.by })}
          >
            {wait.decision && wait.decidedBy ? (
              <>
                {t('chat.decidedBy', { who: wait.decidedBy })} <When at={wait.decidedAt} /> {wait.reason}
              </>
            ) : (
              <span className="soft">{words(wait.rule)}</span>
            )}
          </Sub>
        ))}
        {call.stage === 'denied' && call.waits.length === 0 && (
          <Sub state="denied" what={t('chat.sub_gate')}>
            {words(call.rule)}
          </Sub>
        )}
        {call.rule && call.stage !== 'denied' && (
          <Sub state="ok" what={t('chat.sub_gate')}>
            <span className="soft">{words(call.rule)}</span>
          </Sub>
        )}
        {call.attempts.map((one) => (
          <Sub
            key={one.attempt}
            state={one.result?.status ?? 'running'}
            what={t('chat.sub_attempt', { n: one.attempt })}
            ms={one.ms}
          >
            {one.retryIn !== null && t('chat.retryIn', { n: one.retryIn.toFixed(1) })}
          </Sub>
        ))}
      </ul>
      {call.result && <ResultText result={call.result} failed={call.result.status !== 'ok'} />}
    </>
  );
}

function Sub(props: { state: string; what: string; ms?: number | null; children?: ReactNode }) {
  const t = useT();
  const look = lookOf(props.state);
  return (
    <li>
      <StateIcon state={props.state} /> <span>{props.what}</span>{' '}
      <span className="sr-only">{look ? t(look.word) : props.state}</span>
      {props.children} <span className="soft ms">{props.ms == null ? '' : span(props.ms)}</span>
    </li>
  );
}

const LONG = 240;

function ResultText({ result, failed }: { result: { content: string; untrusted?: boolean }; failed: boolean }) {
  const t = useT();
  const words = useEngineWords();
  const [whole, setWhole] = useState(false);
  const content = failed ? words(result.content) : result.content;
  const long = content.length > LONG;
  return (
    <div className={failed ? 'result tone-text-bad' : 'result'}>
      {result.untrusted && <Tag tone="wait">{t('chat.untrusted')}</Tag>}
      <p>{whole || !long ? content : `${content.slice(0, LONG)}…`}</p>
      {long && (
        <button type="button" className="more" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {t(whole ? 'chat.less' : 'chat.more')}
        </button>
      )}
    </div>
  );
}
