/** What the user said, and what came of it. */
import {
  CheckOutlined,
  CopyOutlined,
  DislikeFilled,
  DislikeOutlined,
  EditOutlined,
  LikeFilled,
  LikeOutlined,
  PartitionOutlined,
  RedoOutlined,
} from '@ant-design/icons';
import { Bubble } from '@ant-design/x';
import { Button, Input, Tooltip } from 'antd';
import { lazy, memo, Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from 'react';

import { api } from '../../api/client';
import type { AgentShape, IntentShape, RunRow, Source } from '../../api/types';
import { useAction } from '../../api/use';
import { useT, type TextKey } from '../../i18n';
import { useCopy } from '../../parts/CopyId';
import { Markdown } from '../../parts/Markdown';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import { useToolTitle } from '../../parts/useToolTitle';
import { When } from '../../parts/When';
import { Decided, Decision } from './Decision';
import { failureWords } from './failures';
import { Results, Tasks } from './Results';
import type { Live, RunLog } from './runLog';
import { usePointing, useRun, type Mark } from './useRun';

const Missing = lazy(async () => ({ default: (await import('./Missing')).Missing }));

export interface Doing {
  say: (text: string) => void;
  show: (run: string) => void;
  resume: (run: string) => void;
  rated: (run: string, rating: 'up' | 'down' | null) => void;
}

interface Props {
  row: RunRow;
  log: RunLog;
  agent: AgentShape | undefined;
  intents: readonly IntentShape[];
  last: boolean;
  shown: boolean;
  doing: Doing;
  markOf: (source: Source, run: string) => Mark | null;
}

export const Exchange = memo(function Exchange(props: Props) {
  const { row, log, doing, shown } = props;
  const t = useT();
  const live = useRun(log);
  const seen = useSeen(() => void log.read());
  return (
    <article ref={seen} className={shown ? 'exchange shown' : 'exchange'} aria-label={t('chat.exchange')}>
      <Said row={row} onResend={doing.say} />
      <Answer {...props} live={live} />
    </article>
  );
});

/** Calls once, when the element comes near the window. */
function useSeen(onSeen: () => void) {
  const ref = useRef<HTMLElement>(null);
  const call = useRef(onSeen);
  useEffect(() => {
    call.current = onSeen;
  });
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((one) => one.isIntersecting)) return;
        observer.disconnect();
        call.current();
      },
      { rootMargin: '200px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return ref;
}

function Said({ row, onResend }: { row: RunRow; onResend: (text: string) => void }) {
  const t = useT();
  const { mark } = usePointing();
  const [editing, setEditing] = useState<string>();
  const [copied, copy] = useCopy();
  if (editing !== undefined) {
    const send = () => {
      if (!editing.trim()) return;
      setEditing(undefined);
      onResend(editing.trim());
    };
    return (
      <div className="edit">
        <Input.TextArea
          autoFocus
          autoSize={{ minRows: 2, maxRows: 10 }}
          value={editing}
          aria-label={t('chat.edit')}
          onChange={(event) => setEditing(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              event.stopPropagation();
              setEditing(undefined);
            }
          }}
        />
        <div className="decide">
          <Button type="primary" onClick={send}>
            {t('chat.resend')}
          </Button>
          <Button onClick={() => setEditing(undefined)}>{t('parts.cancel')}</Button>
        </div>
      </div>
    );
  }
  return (
    <div className="said">
      <Bubble
        placement="end"
        variant="filled"
        content={row.input}
        contentRender={() => (
          <span className="words">{mark?.run === row.run ? <Marked text={row.input} mark={mark} /> : row.input}</span>
        )}
      />
      <div className="tools">
        <span className="soft">
          <When at={row.created} />
        </span>
        <Tool title={t(copied ? 'parts.copied' : 'parts.copy')} icon={copied ? <CheckOutlined /> : <CopyOutlined />} onClick={() => copy(row.input)} />
        <Tool title={t('chat.edit')} icon={<EditOutlined />} onClick={() => setEditing(row.input)} />
      </div>
    </div>
  );
}

/** A text with some of its characters marked. */
function Marked({ text, mark }: { text: string; mark: Mark }) {
  const all = Array.from(text);
  return (
    <>
      {all.slice(0, mark.start).join('')}
      <mark>{all.slice(mark.start, mark.end).join('')}</mark>
      {all.slice(mark.end).join('')}
    </>
  );
}

function Answer({ row, live, agent, intents, last, doing, markOf, log }: Props & { live: Live }) {
  const t = useT();
  const { view, piece, thinking, problem } = live;
  const status = live.loaded ? view.status : row.status;
  const text = live.loaded ? [view.text, piece].filter(Boolean).join('\n\n') : row.reply;
  const over = status === 'done' || status === 'failed' || status === 'cancelled';
  const find = useCallback((source: Source) => markOf(source, row.run), [markOf, row.run]);
  const waits = view.waiting.map((one) => one.approval);
  const asked = view.tasks.filter((one) => one.approval).map((one) => one.approval);
  const decided = view.calls.flatMap((call) =>
    call.waits.filter((one) => one.decision !== '').map((wait) => ({ wait, tool: call.tool })),
  );
  // what waits is shown as a card; the sentence that says so would be there twice
  const body = waits.length > 0 && !piece ? '' : text;
  const titleOf = useToolTitle();
  const title = (tool: string) => titleOf(agent, tool);
  return (
    <div className="answer" aria-busy={!over}>
      {thinking && <Thinking text={thinking} />}
      {body && (
        <Bubble
          variant="borderless"
          content={body}
          streaming={piece !== ''}
          contentRender={() => <Markdown text={body} />}
        />
      )}
      {!over && !body && waits.length === 0 && <Working live={live} title={title} />}
      <Results calls={view.calls} />
      {view.hasPlan && <Tasks run={row.run} version={view.planVersion} />}
      {decided.map(({ wait, tool }) => (
        <Decided key={wait.approval} wait={wait} tool={title(tool)} />
      ))}
      {[...waits, ...asked].map((approval, n) => (
        <Decision key={approval} approval={approval} agent={agent} keys={last && n === 0} markOf={find} />
      ))}
      {view.tasks
        .filter((one) => !one.approval)
        .map((one) => (
          <p key={one.node} className="note tone-wait">
            {one.text}
          </p>
        ))}
      {last && view.asked && (
        <Suspense fallback={null}>
          <Missing asked={view.asked} agent={agent} intents={intents} language={view.language} onAnswer={doing.say} />
        </Suspense>
      )}
      {view.failure && <Failure live={live} onRetry={() => doing.say(row.input)} onShow={() => doing.show(row.run)} />}
      {status === 'parked' && (
        <div className="failure">
          <StateTag state="parked" /> {t('chat.parked')}
          <Button size="small" onClick={() => doing.resume(row.run)}>
            {t('chat.resume')}
          </Button>
        </div>
      )}
      {status === 'cancelled' && <StateTag state="cancelled" />}
      {problem && <ProblemView compact problem={problem} onRetry={() => void log.read()} />}
      <Footer row={row} over={over} text={text} last={last} doing={doing} />
    </div>
  );
}

function Thinking({ text }: { text: string }) {
  const t = useT();
  return (
    <details className="thinking">
      <summary>{t('chat.thinking')}</summary>
      <p>{text}</p>
    </details>
  );
}

const DOING: Record<string, TextKey> = {
  intent: 'chat.doingRoute',
  route: 'chat.doingRoute',
  message: 'chat.doingRoute',
  model: 'chat.doingModel',
};

/** What goes on while there is nothing to read. */
function Working({ live, title }: { live: Live; title: (tool: string) => string }) {
  const t = useT();
  const step = live.view.steps.at(-1);
  const progress = step?.call ? live.progress[step.call.key] : undefined;
  const words = step?.call
    ? t('chat.doingCall', { tool: title(step.call.tool) })
    : t(DOING[step?.kind ?? 'message'] ?? 'chat.doingRoute');
  return (
    <p className="working" role="status">
      <span className="pulse" aria-hidden="true" /> {words}
      {progress && (
        <span className="soft">
          {progress.fraction !== null && ` ${Math.round(progress.fraction * 100)} %`} {progress.message}
        </span>
      )}
    </p>
  );
}

function Failure({ live, onRetry, onShow }: { live: Live; onRetry: () => void; onShow: () => void }) {
  const t = useT();
  const { failure, steps } = live.view;
  const step = steps.findLast((one) => one.kind !== 'reply' && one.state === 'failed');
  const words = step?.call ? step.call.tool : step ? t(`chat.step_${step.kind}` as TextKey) : t('chat.step_reply');
  return (
    <div className="failure" role="alert">
      <p>
        <StateTag state="failed" /> {t('chat.failedAt', { step: words })}
      </p>
      <p>
        {[failure && failureWords(failure.reason, t), failure?.detail].filter(Boolean).join(': ')}
      </p>
      <div className="decide">
        <Button size="small" icon={<RedoOutlined />} onClick={onRetry}>
          {t('chat.retry')}
        </Button>
        <Button size="small" type="link" onClick={onShow}>
          {t('chat.showTrace')}
        </Button>
      </div>
    </div>
  );
}

function Footer(props: { row: RunRow; over: boolean; text: string; last: boolean; doing: Doing }) {
  const { row, over, text, doing } = props;
  const t = useT();
  const [copied, copy] = useCopy();
  const rate = useAction(async (rating: 'up' | 'down' | null) => {
    doing.rated(row.run, rating);
    await api.post(`/api/runs/${row.run}/rate`, { rating });
  });
  const vote = (rating: 'up' | 'down') => void rate.run(row.rating === rating ? null : rating);
  return (
    <>
      <div className="tools">
        {over && (
          <>
            <Tool title={t(copied ? 'parts.copied' : 'chat.copyReply')} icon={copied ? <CheckOutlined /> : <CopyOutlined />} onClick={() => copy(text)} />
            <Tool title={t('chat.regenerate')} icon={<RedoOutlined />} onClick={() => doing.say(row.input)} />
            <Tool title={t('chat.good')} icon={row.rating === 'up' ? <LikeFilled /> : <LikeOutlined />} pressed={row.rating === 'up'} onClick={() => vote('up')} />
            <Tool title={t('chat.bad')} icon={row.rating === 'down' ? <DislikeFilled /> : <DislikeOutlined />} pressed={row.rating === 'down'} onClick={() => vote('down')} />
          </>
        )}
        <Tool title={t('chat.showTrace')} icon={<PartitionOutlined />} onClick={() => doing.show(row.run)} />
      </div>
      {rate.problem && <ProblemView compact problem={rate.problem} />}
    </>
  );
}

function Tool(props: { title: string; icon: ReactNode; pressed?: boolean; onClick: () => void }) {
  return (
    <Tooltip title={props.title}>
      <Button
        size="small"
        type="text"
        icon={props.icon}
        aria-label={props.title}
        {...(props.pressed !== undefined && { 'aria-pressed': props.pressed })}
        onClick={props.onClick}
      />
    </Tooltip>
  );
}
