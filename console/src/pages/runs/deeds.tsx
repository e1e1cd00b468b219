/** What a person may do about a run, each in a window of its own. */
import { Button, Drawer, Input, Modal, Segmented, Select } from 'antd';
import { useEffect, useState } from 'react';

import { api } from '../../api/client';
import { useAction, useGet } from '../../api/use';
import { useSession } from '../../app/session';
import { useLanguage, useT } from '../../i18n';
import { JsonView } from '../../parts/JsonView';
import { Loading } from '../../parts/Loading';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import type { Wait } from '../chat/fold';
import type { CaseMade, Explanation, Replayed } from './shapes';

interface Deed {
  run: string;
  onClose: () => void;
}

const VERDICTS: Record<string, string> = {
  ran: 'ok', failed: 'failed', uncertain: 'uncertain', by_hand: 'ok', not_run: 'skipped', waiting: 'waiting', open_call: 'running',
};

export function Explain({ run, onClose }: Deed) {
  const t = useT();
  const { language } = useLanguage();
  const scope = useSession().may('operator') ? 'all' : 'mine';
  const { data, problem, reload } = useGet<Explanation>(`/api/runs/${run}/explain`, { language, scope });
  return (
    <Drawer open onClose={onClose} title={t('runs.explainTitle')} size={620}>
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {data === undefined && !problem && <Loading />}
      {data && (
        <div className="stack">
          {data.opening.map((line, n) => (
            <p key={n} className="prose">{line}</p>
          ))}
          {data.calls.map((one) => (
            <section key={one.call} className="card tight">
              <div className="row">
                <StateTag state={VERDICTS[one.verdict] ?? one.verdict} word={one.said} />
                <code>{one.line}</code>
              </div>
              <ul>
                {one.sentences.map((line, n) => (
                  <li key={n} className="prose">{line}</li>
                ))}
              </ul>
            </section>
          ))}
          {data.ending.map((line, n) => (
            <p key={n} className="prose">{line}</p>
          ))}
        </div>
      )}
    </Drawer>
  );
}

export function Replay({ run, onClose }: Deed) {
  const t = useT();
  const replay = useAction(() => api.post<Replayed>(`/api/runs/${run}/replay`, {}));
  const [done, setDone] = useState<Replayed>();
  const { run: start } = replay;
  useEffect(() => {
    void start().then(setDone);
  }, [start]);
  return (
    <Drawer open onClose={onClose} title={t('runs.replay')} size={620}>
      <p className="soft">{t('runs.replayHint')}</p>
      {replay.problem && <ProblemView problem={replay.problem} onRetry={() => void start().then(setDone)} />}
      {replay.busy && <Loading />}
      {done?.problem && <p className="problem">{t('runs.replayNot', { why: done.problem })}</p>}
      {done && !done.problem && done.same && <StateTag state="ok" word={t('runs.replaySame')} />}
      {done && !done.problem && !done.same && (
        <>
          <p>{t('runs.replayDiffers')}</p>
          <table className="plain">
            <thead>
              <tr>
                <th scope="col">{t('runs.about')}</th>
                <th scope="col">{t('runs.recorded')}</th>
                <th scope="col">{t('runs.now')}</th>
              </tr>
            </thead>
            <tbody>
              {done.differences.map((one, n) => (
                <tr key={n}>
                  <td>
                    {one.about} {one.call}
                  </td>
                  <td>{one.recorded || '—'}</td>
                  <td>{one.now || '—'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </Drawer>
  );
}

export function MakeCase({ run, agent, onClose }: Deed & { agent: string }) {
  const t = useT();
  const make = useAction((suite: string, id: string) => api.post<CaseMade>(`/api/runs/${run}/case`, { suite, id }));
  const { data: known } = useGet<{ suites: { agent: string; suite: string; file: string }[] }>('/api/evaluations', { agent, limit: 1 });
  const [made, setMade] = useState<CaseMade>();
  const [suite, setSuite] = useState('');
  const [choosing, setChoosing] = useState(false);
  const [id, setId] = useState('');
  const { run: start } = make;
  useEffect(() => {
    void start('', '').then(setMade);
  }, [start]);
  return (
    <Drawer open onClose={onClose} title={t('runs.caseTitle')} size={620}>
      <div className="stack">
        {make.problem && <ProblemView problem={make.problem} />}
        {made === undefined && make.busy && <Loading />}
        {made && <JsonView value={made.text} label={t('runs.case')} />}
        {made?.suite && (
          <p>
            <StateTag state="ok" word={t('runs.caseAdded', { suite: made.suite, n: made.cases })} />
          </p>
        )}
        {made && !made.suite && (
          <div className="tight">
            <div className="field">
              <label htmlFor="case-suite">{t('runs.caseSuite')}</label>
              <Select
                id="case-suite"
                mode="tags"
                maxCount={1}
                value={suite ? [suite] : []}
                options={(known?.suites ?? []).map((one) => ({ value: one.file.replace(/^.*\//, ''), label: one.suite }))}
                open={choosing}
                onOpenChange={setChoosing}
                onChange={(values: string[]) => {
                  setSuite(values.at(-1) ?? '');
                  setChoosing(false);
                }}
              />
            </div>
            <div className="field">
              <label htmlFor="case-id">{t('runs.caseId')}</label>
              <Input id="case-id" value={id} onChange={(event) => setId(event.target.value)} />
            </div>
            <Button
              type="primary"
              disabled={!suite}
              loading={make.busy}
              onClick={() => void start(suite, id).then((next) => next && setMade(next))}
            >
              {t('runs.caseAdd')}
            </Button>
          </div>
        )}
      </div>
    </Drawer>
  );
}

export function CancelRun({ run, onClose }: Deed) {
  const t = useT();
  const [reason, setReason] = useState('');
  const cancel = useAction(() => api.post(`/api/runs/${run}/cancel`, { reason }).then(() => true));
  return (
    <Modal
      open
      title={t('runs.cancelTitle')}
      okText={t('runs.cancel')}
      cancelText={t('parts.close')}
      okButtonProps={{ danger: true, loading: cancel.busy }}
      onOk={() => void cancel.run().then((ok) => ok && onClose())}
      onCancel={onClose}
    >
      <p>{t('runs.cancelWhat')}</p>
      <div className="field">
        <label htmlFor="cancel-note">{t('runs.cancelNote')}</label>
        <Input.TextArea id="cancel-note" value={reason} autoSize={{ minRows: 2 }} onChange={(event) => setReason(event.target.value)} />
      </div>
      {cancel.problem && <ProblemView problem={cancel.problem} compact />}
    </Modal>
  );
}

/** Give the result of a waiting call, or the reply that ends the run. */
export function TakeOver(props: { waits: readonly Pick<Wait, 'approval' | 'question'>[]; onClose: () => void; onDone?: () => void }) {
  const { waits, onClose, onDone } = props;
  const t = useT();
  const [approval, setApproval] = useState(waits[0]?.approval ?? '');
  const [kind, setKind] = useState<'result' | 'reply'>('result');
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const take = useAction(() =>
    api.post(`/api/approvals/${encodeURIComponent(approval)}/take-over`, { [kind]: text, reason }).then(() => true),
  );
  return (
    <Modal
      open
      title={t('runs.takeOverTitle')}
      okText={t('runs.takeOver')}
      cancelText={t('parts.close')}
      okButtonProps={{ disabled: !text.trim(), loading: take.busy }}
      onOk={() =>
        void take.run().then((ok) => {
          if (!ok) return;
          onDone?.();
          onClose();
        })
      }
      onCancel={onClose}
    >
      <div className="stack">
        {waits.length > 1 && (
          <Select
            aria-label={t('work.tool')}
            value={approval}
            onChange={setApproval}
            options={waits.map((one) => ({ value: one.approval, label: one.question }))}
          />
        )}
        <p className="prose">{waits.find((one) => one.approval === approval)?.question}</p>
        <Segmented
          vertical
          aria-label={t('runs.takeOver')}
          value={kind}
          onChange={setKind}
          options={[
            { value: 'result' as const, label: t('runs.takeOverResult') },
            { value: 'reply' as const, label: t('runs.takeOverReply') },
          ]}
        />
        <div className="field">
          <label htmlFor="take-text">{t('runs.takeOverText')}</label>
          <Input.TextArea id="take-text" value={text} autoSize={{ minRows: 3 }} onChange={(event) => setText(event.target.value)} />
        </div>
        <div className="field">
          <label htmlFor="take-why">{t('work.reason')}</label>
          <Input id="take-why" value={reason} onChange={(event) => setReason(event.target.value)} />
        </div>
        {take.problem && <ProblemView problem={take.problem} compact />}
      </div>
    </Modal>
  );
}
