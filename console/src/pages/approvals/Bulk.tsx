import { CloseOutlined } from '@ant-design/icons';
import { Button, Input, Modal, type GetRef } from 'antd';
import { useRef, useState } from 'react';

import { api } from '../../api/client';
import type { Approval } from '../../api/types';
import { useAction } from '../../api/use';
import { useT } from '../../i18n';
import { useEngineWords } from '../../i18n/useEngineWords';
import { ProblemView } from '../../parts/ProblemView';
import { told, type Outcome, type Told } from './together';

interface Asked {
  decision: Told['decision'];
  approvals: readonly Approval[];
}

/** Decide on several calls of one tool. */
export function Bulk(props: {
  marked: readonly Approval[];
  /** How many more of the same tool may be marked. */
  others: number;
  title: string;
  onMarkAll: () => void;
  onClear: () => void;
  onTold: (came: Told | undefined) => void;
}) {
  const { marked, others, title, onMarkAll, onClear, onTold } = props;
  const t = useT();
  // what is asked about stays as it was when others decide on some of it meanwhile
  const [asked, setAsked] = useState<Asked>();
  const ask = (decision: Told['decision']) => {
    onTold(undefined);
    setAsked({ decision, approvals: marked });
  };
  return (
    <>
      {marked.length > 0 && (
        <div className="card tight approval-bulk" role="group" aria-label={t('approvals.bulk')}>
          <span aria-live="polite">{t('approvals.marked', { n: marked.length, tool: title })}</span>
          <div className="row">
            <Button size="small" type="primary" onClick={() => ask('approve')}>
              {t('approvals.approve')}
            </Button>
            <Button size="small" danger onClick={() => ask('deny')}>
              {t('approvals.deny')}
            </Button>
            {others > 0 && (
              <Button size="small" onClick={onMarkAll}>
                {t('approvals.markAll', { n: marked.length + others })}
              </Button>
            )}
            <Button size="small" type="text" onClick={onClear}>
              {t('approvals.clear')}
            </Button>
          </div>
        </div>
      )}
      {asked && (
        <Question
          {...asked}
          title={title}
          onClose={() => setAsked(undefined)}
          onDone={(outcomes) => {
            onTold(told(asked.decision, asked.approvals, outcomes));
            setAsked(undefined);
            onClear();
          }}
        />
      )}
    </>
  );
}

/** Asks once more, and for a reason. */
function Question(props: Asked & { title: string; onClose: () => void; onDone: (outcomes: Outcome[]) => void }) {
  const { decision, approvals, title, onClose, onDone } = props;
  const t = useT();
  const [reason, setReason] = useState('');
  const field = useRef<GetRef<typeof Input.TextArea>>(null);
  const deny = decision === 'deny';
  const decide = useAction(() =>
    api.post<{ results: Outcome[] }>('/api/approvals', {
      decisions: approvals.map(({ approval }) => ({ approval, decision, reason })),
    }),
  );
  return (
    <Modal
      open
      title={t(deny ? 'approvals.bulkDeny' : 'approvals.bulkApprove', { n: approvals.length, tool: title })}
      okText={t(deny ? 'approvals.deny' : 'approvals.approve')}
      cancelText={t('parts.cancel')}
      okButtonProps={{ danger: deny, loading: decide.busy }}
      onOk={() => void decide.run().then((answer) => answer && onDone(answer.results))}
      onCancel={onClose}
      afterOpenChange={(open) => open && field.current?.focus()}
    >
      <div className="stack">
        <ul className="approval-list" tabIndex={0} aria-label={t('approvals.bulk')}>
          {approvals.map((one) => (
            <li key={one.approval} className="prose">
              {one.question}
            </li>
          ))}
        </ul>
        <div className="field">
          <label htmlFor="bulk-reason">{t('approvals.reason')}</label>
          <Input.TextArea
            id="bulk-reason"
            ref={field}
            value={reason}
            autoSize={{ minRows: 1, maxRows: 6 }}
            onChange={(event) => setReason(event.target.value)}
          />
        </div>
        {decide.problem && <ProblemView problem={decide.problem} compact />}
      </div>
    </Modal>
  );
}

/** What came of it: how many, and which not. */
export function BulkTold({ came, onClose }: { came: Told; onClose: () => void }) {
  const t = useT();
  const words = useEngineWords();
  const { decision, done, failed } = came;
  return (
    <div className={`note tight approval-told tone-${failed.length > 0 ? 'wait' : 'good'}`} role="status">
      <div className="apart">
        <strong>{t(decision === 'deny' ? 'approvals.bulkDenied' : 'approvals.bulkApproved', { n: done })}</strong>
        <Button size="small" type="text" icon={<CloseOutlined />} aria-label={t('parts.close')} onClick={onClose} />
      </div>
      {failed.length > 0 && (
        <>
          <span>{t('approvals.bulkFailed', { n: failed.length })}</span>
          <ul className="approval-list">
            {failed.map(({ approval, why }) => (
              <li key={approval.approval}>
                <span className="approval-words">{approval.question}</span>
                <strong>{words(why)}</strong>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
