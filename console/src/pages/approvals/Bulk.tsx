import { Button } from 'antd';
import { useState } from 'react';

import { api } from '../../api/client';
import type { Approval } from '../../api/types';
import { useAction } from '../../api/use';
import { useT } from '../../i18n';
import { ProblemView } from '../../parts/ProblemView';
import { useConfirm } from '../../parts/useConfirm';

interface Outcome {
  approval: string;
  status: number;
  outcome: string;
  detail: string;
}

/** Decide on several calls of one tool. Each is decided by itself; what failed is named. */
export function Bulk(props: { approvals: readonly Approval[]; onDone: () => void; onChanged: () => void }) {
  const { approvals, onDone, onChanged } = props;
  const t = useT();
  const confirm = useConfirm();
  const [failed, setFailed] = useState<Outcome[]>([]);
  const decide = useAction((decision: 'approve' | 'deny') =>
    api.post<{ results: Outcome[] }>('/api/approvals', {
      decisions: approvals.map(({ approval }) => ({ approval, decision })),
    }),
  );
  const tool = approvals[0]?.tool ?? '';
  const act = async (decision: 'approve' | 'deny') => {
    const sure = await confirm({
      title: t(decision === 'approve' ? 'approvals.bulkApprove' : 'approvals.bulkDeny', { n: approvals.length, tool }),
      content: (
        <ul className="approval-list">
          {approvals.map((one) => (
            <li key={one.approval}>{one.question.split('\n')[0]}</li>
          ))}
        </ul>
      ),
      danger: decision === 'deny',
    });
    if (!sure) return;
    const answer = await decide.run(decision);
    if (answer === undefined) return;
    const wrong = answer.results.filter((one) => one.status !== 200);
    setFailed(wrong);
    onChanged();
    if (wrong.length === 0) onDone();
  };
  return (
    <div className="card tight" role="group" aria-label={t('approvals.bulk')}>
      <span>{t('approvals.marked', { n: approvals.length, tool })}</span>
      <div className="row">
        <Button size="small" type="primary" loading={decide.busy} onClick={() => void act('approve')}>
          {t('approvals.approve')}
        </Button>
        <Button size="small" danger disabled={decide.busy} onClick={() => void act('deny')}>
          {t('approvals.deny')}
        </Button>
        <Button size="small" type="text" onClick={onDone}>
          {t('parts.cancel')}
        </Button>
      </div>
      {decide.problem && <ProblemView problem={decide.problem} compact />}
      {failed.map((one) => (
        <p key={one.approval} className="fault" role="alert">
          {one.approval.slice(-6)}: {one.detail || one.outcome}
        </p>
      ))}
    </div>
  );
}
