import { Button, Drawer, Tabs } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';

import { api } from '../../api/client';
import { useAction } from '../../api/use';
import { useT } from '../../i18n';
import { useEngineWords } from '../../i18n/useEngineWords';
import { ArgumentsEditor, type Values } from '../../parts/Arguments';
import { JsonView } from '../../parts/JsonView';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import { span } from '../../parts/time';
import { When } from '../../parts/When';
import { stateOf, type ToolRow } from './shapes';

interface Tried {
  run: string;
  status: string;
  text: string;
  calls: { call: string; tool: string; stage: string; status: string | null; content: string | null; notes: string[] }[];
  waiting: { approval: string; question: string; by: string }[];
}

/** All of one tool, and a form to try it. */
export function ToolDrawer(props: { tool: ToolRow; onClose: () => void; onSwitch: () => void }) {
  const { tool: one, onClose, onSwitch } = props;
  const t = useT();
  return (
    <Drawer
      open
      onClose={onClose}
      size={640}
      title={one.title || one.tool}
      extra={
        <Button size="small" danger={!one.off} onClick={onSwitch}>
          {t(one.off ? 'tools.switchOn' : 'tools.switchOff')}
        </Button>
      }
    >
      <Tabs
        items={[
          { key: 'health', label: t('tools.health'), children: <Health tool={one} /> },
          { key: 'try', label: t('tools.try'), children: <Try tool={one} /> },
          { key: 'schema', label: t('tools.schema'), children: <JsonView value={one.parameters} label={t('tools.schema')} /> },
        ]}
      />
    </Drawer>
  );
}

function Health({ tool: one }: { tool: ToolRow }) {
  const t = useT();
  const words = useEngineWords();
  return (
    <div className="stack">
      <div className="row">
        <StateTag state={stateOf(one)} />
        <StateTag state={one.risk} />
      </div>
      {one.off && (
        <p className="note tone-wait">
          {t('tools.isOff', { by: one.off.by })} <When at={one.off.at} />
          {one.off.reason && ` — ${one.off.reason}`}
        </p>
      )}
      <p className="prose">{one.description}</p>
      <dl className="facts">
        <dt>{t('tools.name')}</dt>
        <dd>
          <code>
            {one.agent} / {one.tool}
          </code>
        </dd>
        <dt>{t('tools.source')}</dt>
        <dd>
          {one.source} <StateTag state={one.source_state} />
        </dd>
        <dt>{t('tools.breaker')}</dt>
        <dd>
          {one.breaker ? (
            <>
              <StateTag state={one.breaker.state} /> {t('tools.failures', { n: one.breaker.failures })}{' '}
              {one.breaker.since && <When at={one.breaker.since} />}
            </>
          ) : (
            t('tools.noBreaker')
          )}
        </dd>
        <dt>{t('tools.calls')}</dt>
        <dd>{t('tools.callsOk', { n: one.calls, ok: one.ok, failed: one.failed })}</dd>
        <dt>p50 / p95</dt>
        <dd>
          {one.p50_ms === null ? '—' : span(one.p50_ms)} / {one.p95_ms === null ? '—' : span(one.p95_ms)}
        </dd>
      </dl>
      <section className="tight">
        <h2 className="sub">{t('tools.policy')}</h2>
        <ul className="tool-list">
          {one.policy.map((line) => (
            <li key={line}>{words(line)}</li>
          ))}
        </ul>
      </section>
      <section className="tight">
        <h2 className="sub">{t('tools.lastErrors')}</h2>
        {one.last_errors.length === 0 && <p className="soft">{t('tools.noErrors')}</p>}
        <ul className="tool-list">
          {one.last_errors.map((error) => (
            <li key={error.run + error.at}>
              <StateTag state={error.code} /> <When at={error.at} />{' '}
              <Link to={`/runs/${error.run}`}>{t('work.run')}</Link>
              <p className="prose soft">{words(error.message)}</p>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Try({ tool: one }: { tool: ToolRow }) {
  const t = useT();
  const words = useEngineWords();
  const [values, setValues] = useState<Values | undefined>({});
  const [tried, setTried] = useState<Tried>();
  const act = useAction((given: Values) =>
    api.post<Tried>(`/api/tools/${encodeURIComponent(one.agent)}/${encodeURIComponent(one.tool)}/try`, { arguments: given }),
  );
  const decide = useAction((approval: string, decision: 'approve' | 'deny') =>
    api.post(`/api/approvals/${encodeURIComponent(approval)}`, { decision }).then(() => true),
  );
  return (
    <div className="stack">
      <p className="soft">{t('tools.tryHint')}</p>
      <ArgumentsEditor schema={one.parameters} value={values ?? {}} onChange={setValues} />
      <Button
        type="primary"
        style={{ justifySelf: 'start' }}
        loading={act.busy}
        disabled={values === undefined || one.off !== null}
        onClick={() => values && void act.run(values).then(setTried)}
      >
        {t('tools.try')}
      </Button>
      {act.problem && <ProblemView problem={act.problem} />}
      {tried && (
        <section className="card stack" aria-label={t('tools.result')} aria-live="polite">
          <div className="row">
            <StateTag state={tried.status} word={t(`runs.${tried.status as 'done'}`)} />
            <Link to={`/runs/${tried.run}`}>{t('tools.openRun')}</Link>
          </div>
          {tried.calls.map((call) => (
            <div key={call.call} className="tight">
              <div className="row">
                <StateTag state={call.status ?? call.stage} />
                <code>{call.tool}</code>
              </div>
              {call.notes.map((note) => (
                <p key={note} className="soft">{words(note)}</p>
              ))}
              {call.content !== null && <JsonView value={call.content} label={t('tools.result')} />}
            </div>
          ))}
          {tried.calls.length === 0 && <p className="prose">{tried.text}</p>}
          {tried.waiting.map((wait) => (
            <div key={wait.approval} className="note tone-wait tight">
              <p className="prose">{wait.question}</p>
              {wait.by === 'user' ? (
                <div className="row">
                  <Button size="small" type="primary" loading={decide.busy} onClick={() => void decide.run(wait.approval, 'approve').then((ok) => ok && setTried(undefined))}>
                    {t('approvals.approve')}
                  </Button>
                  <Button size="small" danger disabled={decide.busy} onClick={() => void decide.run(wait.approval, 'deny').then((ok) => ok && setTried(undefined))}>
                    {t('approvals.deny')}
                  </Button>
                </div>
              ) : (
                <Link to={`/approvals?approval=${encodeURIComponent(wait.approval)}`}>{t('tools.waitsFor', { by: wait.by })}</Link>
              )}
            </div>
          ))}
          {decide.problem && <ProblemView problem={decide.problem} compact />}
        </section>
      )}
    </div>
  );
}
