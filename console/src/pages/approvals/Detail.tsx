import { ArrowLeftOutlined } from '@ant-design/icons';
import { Button, Collapse, Input } from 'antd';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router';

import { api } from '../../api/client';
import type { AgentShape, Approval, IntentShape, Source } from '../../api/types';
import { useAction, useGet } from '../../api/use';
import { useKeys, writing } from '../../app/keys';
import { useT, type Translate } from '../../i18n';
import { ArgumentsEditor, type Values } from '../../parts/Arguments';
import { CopyId } from '../../parts/CopyId';
import { Diff } from '../../parts/Diff';
import { JsonView } from '../../parts/JsonView';
import { Loading } from '../../parts/Loading';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import { useConfirm } from '../../parts/useConfirm';
import { useToolTitle } from '../../parts/useToolTitle';
import { When } from '../../parts/When';
import { Arguments } from '../chat/Arguments';
import { RunLog } from '../chat/runLog';
import '../chat/chat.css';
import { Trace } from '../chat/Trace';
import { TakeOver } from '../runs/deeds';

interface Decision {
  decision: 'approve' | 'deny';
  reason: string;
  arguments?: Values;
}

interface DetailProps {
  id: string;
  /** Changes when something happened to any approval. */
  round: number;
  agents: readonly AgentShape[];
  onMoved: (approval: string) => void;
  onChanged: () => void;
  onBack?: () => void;
}

/** One approval: what, why, with which values, what is unusual, and the decision. */
export function ApprovalDetail({ id, round, agents, onMoved, onChanged, onBack }: DetailProps) {
  const t = useT();
  const toolTitle = useToolTitle();
  const path = `/api/approvals/${encodeURIComponent(id)}`;
  const { data, problem, reload, set } = useGet<Approval>(path);
  const seen = useRef(round);
  useEffect(() => {
    if (seen.current === round) return;
    seen.current = round;
    reload();
  }, [round, reload]);
  return (
    <article className="card stack" aria-label={t('approvals.detail')}>
      {onBack && (
        <Button type="text" icon={<ArrowLeftOutlined />} onClick={onBack} style={{ justifySelf: 'start' }}>
          {t('work.back')}
        </Button>
      )}
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {data === undefined && !problem && <Loading />}
      {data && (
        <>
          <Head approval={data} title={toolTitle(agents.find((known) => known.agent === data.agent), data.tool)} />
          <Standing approval={data} onMoved={onMoved} />
          <What approval={data} agents={agents} />
          {data.state === 'pending' && (
            <Decide
              approval={data}
              agents={agents}
              onDecided={(next) => {
                onChanged();
                if (next.approval === data.approval) set(() => next);
                else onMoved(next.approval);
              }}
              onStale={reload}
            />
          )}
        </>
      )}
    </article>
  );
}

function Head({ approval: one, title }: { approval: Approval; title: string }) {
  const t = useT();
  return (
    <header className="tight">
      <div className="row">
        <h2 className="approval-tool">{title}</h2>
        <code className="soft">{one.tool}</code>
        <StateTag state={one.risk} />
      </div>
      <p className="prose approval-question">{one.question}</p>
      <div className="row soft">
        <span>{t('approvals.asks', { requester: one.requester, agent: one.agent })}</span>
        <When at={one.asked} />
        <span>{t('approvals.forRole', { by: one.by === 'user' ? one.requester : one.by })}</span>
        <Link to={`/runs/${one.run}`}>{t('approvals.openRun')}</Link>
        <CopyId id={one.approval} />
      </div>
    </header>
  );
}

/** Once it is settled: by whom, when, and why. */
function Standing({ approval: one, onMoved }: { approval: Approval; onMoved: (approval: string) => void }) {
  const t = useT();
  if (one.state === 'pending') {
    return one.may.length === 0 ? (
      <p className="note tone-wait" role="status">
        {t('approvals.notYours')}
      </p>
    ) : null;
  }
  return (
    <div className="note tone-info" role="status">
      <div className="row">
        <StateTag state={one.state} word={t(`approvals.is_${one.state as 'approved'}`)} />
        <strong>{one.decided_by ? t('approvals.decidedBy', { who: one.decided_by }) : t('approvals.settled')}</strong>
        {one.decided_at && <When at={one.decided_at} />}
      </div>
      {one.reason && <p className="prose">{one.reason}</p>}
      {one.replaced_by && (
        <button className="link" onClick={() => onMoved(one.replaced_by)}>
          {t('approvals.replacement')}
        </button>
      )}
    </div>
  );
}

function What({ approval: one, agents }: { approval: Approval; agents: readonly AgentShape[] }) {
  const t = useT();
  const agent = agents.find((known) => known.agent === one.agent);
  const odd = oddities(one, t);
  return (
    <>
      <section className="tight">
        <h3>{t('approvals.why')}</h3>
        <blockquote className="prose">{one.why}</blockquote>
      </section>
      <section className="tight">
        <h3>{t('work.arguments')}</h3>
        <Arguments
          agent={agent}
          tool={one.tool}
          values={one.arguments}
          sources={one.sources}
          tainted={one.tainted}
          markOf={() => null}
        />
      </section>
      {odd.length > 0 && (
        <section className="tight">
          <h3>{t('approvals.unusual')}</h3>
          <ul className="approval-odd">
            {odd.map(({ state, text }) => (
              <li key={text}>
                <StateTag state={state} word={text} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {one.edits.map((edit, n) => (
        <section key={n} className="tight">
          <h3>{t('approvals.editedBy', { who: edit.by })}</h3>
          <Diff
            label={t('approvals.editedBy', { who: edit.by })}
            before={JSON.stringify(edit.former, null, 2)}
            after={JSON.stringify(pick(one.arguments, edit.changed), null, 2)}
          />
        </section>
      ))}
      <Collapse
        size="small"
        items={[
          { key: 'json', label: 'JSON', children: <JsonView value={one.arguments} label={t('work.arguments')} /> },
          { key: 'trace', label: t('approvals.trace'), children: <TraceSoFar run={one.run} agent={agent} /> },
          ...(one.refused.length > 0
            ? [
                {
                  key: 'refused',
                  label: t('approvals.refused', { n: one.refused.length }),
                  children: one.refused.map((no, n) => (
                    <p key={n}>
                      {no.by}: {no.wanted} — {no.kind} (<When at={no.at} />)
                    </p>
                  )),
                },
              ]
            : []),
        ]}
      />
    </>
  );
}

function pick(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

/** What somebody who decides should not overlook. */
function oddities(one: Approval, t: Translate): { state: string; text: string }[] {
  const from = (kind: Source['kind']) =>
    Object.entries(one.sources).filter(([, source]) => source.kind === kind).map(([path]) => path);
  const found: { state: string; text: string }[] = [];
  const add = (state: string, text: string) => found.push({ state, text });
  if (one.tainted.length > 0) add('critical', t('approvals.oddTainted', { names: one.tainted.join(', ') }));
  const composed = from('model');
  if (composed.length > 0) add('warning', t('approvals.oddModel', { names: composed.join(', ') }));
  const assumed = from('default');
  if (assumed.length > 0) add('warning', t('approvals.oddDefault', { names: assumed.join(', ') }));
  if (one.edited_from) add('write', t('approvals.oddEdited'));
  return found;
}

function TraceSoFar({ run, agent }: { run: string; agent: AgentShape | undefined }) {
  const log = useMemo(() => new RunLog(run, true), [run]);
  return <Trace log={log} agent={agent} intents={NONE} markOf={() => null} />;
}

const NONE: readonly IntentShape[] = [];

function Decide(props: {
  approval: Approval;
  agents: readonly AgentShape[];
  onDecided: (next: Approval) => void;
  onStale: () => void;
}) {
  const { approval: one, agents, onDecided, onStale } = props;
  const t = useT();
  const confirm = useConfirm();
  const [reason, setReason] = useState('');
  const [editing, setEditing] = useState(false);
  const [values, setValues] = useState<Values | undefined>(one.arguments);
  const [byHand, setByHand] = useState(false);
  const reasonField = useRef<HTMLDivElement>(null);
  const decide = useAction((body: Decision) => api.post<Approval>(`/api/approvals/${encodeURIComponent(one.approval)}`, body));
  const changed = JSON.stringify(values) !== JSON.stringify(one.arguments);
  const may = (what: Approval['may'][number]) => one.may.includes(what);
  const act = async (decision: 'approve' | 'deny') => {
    if (decision === 'approve' && one.risk === 'critical' && !editing) {
      const sure = await confirm({ title: t('approvals.sure'), content: <p className="prose">{one.question}</p>, ok: t('approvals.approve') });
      if (!sure) return;
    }
    const next = await decide.run({
      decision,
      reason,
      ...(editing && decision === 'approve' && changed && values && { arguments: values }),
    });
    if (next) onDecided(next);
    else onStale();
  };
  useKeys((event) => {
    if (writing(event) || event.ctrlKey || event.metaKey || event.altKey || decide.busy) return;
    if (event.key === 'a' && may('approve') && !editing) void act('approve');
    else if (event.key === 'd' && may('deny')) reasonField.current?.querySelector('textarea')?.focus();
    else return;
    event.preventDefault();
  });
  if (one.may.length === 0) return null;
  const schema = agents.find((known) => known.agent === one.agent)?.tools.find((tool) => tool.name === one.tool)?.parameters;
  const faults = Object.fromEntries(
    (decide.problem?.errors ?? []).map((fault) => [fault.field.replace(/^arguments\./, ''), fault.problem]),
  );
  return (
    <section className="stack approval-decide" aria-label={t('approvals.decide')}>
      {editing && (
        <div className="stack">
          <h3>{t('approvals.edit')}</h3>
          <ArgumentsEditor schema={schema} value={values ?? one.arguments} onChange={setValues} faults={faults} />
          {changed && values && (
            <Diff
              label={t('approvals.difference')}
              before={JSON.stringify(one.arguments, null, 2)}
              after={JSON.stringify(values, null, 2)}
            />
          )}
        </div>
      )}
      <div className="field" ref={reasonField}>
        <label htmlFor="approval-reason">{t('approvals.reason')}</label>
        <Input.TextArea
          id="approval-reason"
          value={reason}
          autoSize={{ minRows: 1, maxRows: 6 }}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
      <div className="row">
        {may('approve') && (
          <Button
            type="primary"
            loading={decide.busy}
            disabled={editing && (!changed || values === undefined)}
            onClick={() => void act('approve')}
          >
            {t(editing ? 'approvals.approveEdited' : 'approvals.approve')}
          </Button>
        )}
        {may('deny') && (
          <Button danger disabled={decide.busy} onClick={() => void act('deny')}>
            {t(may('approve') ? 'approvals.deny' : 'chat.withdraw')}
          </Button>
        )}
        {may('approve') && (
          <Button
            disabled={decide.busy}
            onClick={() => {
              setEditing(!editing);
              setValues(one.arguments);
            }}
          >
            {t(editing ? 'approvals.editStop' : 'approvals.edit')}
          </Button>
        )}
        {may('take_over') && (
          <Button disabled={decide.busy} onClick={() => setByHand(true)}>
            {t('approvals.answer')}
          </Button>
        )}
      </div>
      {may('approve') && <p className="soft">{t('approvals.keys')}</p>}
      {decide.problem && <ProblemView problem={decide.problem} />}
      {byHand && <TakeOver waits={[one]} onClose={() => setByHand(false)} onDone={onStale} />}
    </section>
  );
}
