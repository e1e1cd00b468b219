/** A call that waits for a person: what exactly will happen, and that person's word. */
import { CheckOutlined, CloseOutlined } from '@ant-design/icons';
import { Button, Input } from 'antd';
import { useState } from 'react';

import { useTopic } from '../../api/channel';
import { api } from '../../api/client';
import type { AgentShape, Approval, Source } from '../../api/types';
import { useAction, useGet } from '../../api/use';
import { useKeys } from '../../app/keys';
import { useT } from '../../i18n';
import { Loading } from '../../parts/Loading';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import { When } from '../../parts/When';
import { Arguments } from './Arguments';
import type { Wait } from './fold';
import type { Mark } from './useRun';

/** The card of an approval by its id; `keys` lets Alt+Y and Alt+N decide. */
export function Decision(props: {
  approval: string;
  agent: AgentShape | undefined;
  keys: boolean;
  markOf: (source: Source) => Mark | null;
}) {
  const t = useT();
  const { data, problem, reload, set } = useGet<Approval>(`/api/approvals/${props.approval}`);
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState('');
  const decision = useAction(async (decision: 'approve' | 'deny') => {
    const next = await api.post<Approval>(`/api/approvals/${props.approval}`, { decision, reason });
    set(() => next);
  });
  useTopic('approvals', null, reload);
  const may = data?.state === 'pending' && !decision.busy ? data.may : [];
  useKeys((event) => {
    if (!props.keys || !event.altKey) return;
    if (event.code === 'KeyY' && may.includes('approve')) void decision.run('approve');
    else if (event.code === 'KeyN' && may.includes('deny')) void decision.run('deny');
    else return;
    event.preventDefault();
  });
  if (problem) return <ProblemView compact problem={problem} onRetry={reload} />;
  if (!data) return <Loading rows={2} />;
  const forUser = data.by === 'user';
  return (
    <section className="decision" aria-label={t('chat.decision')}>
      <header>
        <strong>{t(forUser ? 'chat.confirmTitle' : 'chat.approvalTitle', { role: data.by })}</strong>
        <StateTag state={data.risk} />
      </header>
      <p className="question">{data.question}</p>
      <Arguments
        agent={props.agent}
        tool={data.tool}
        values={data.arguments}
        sources={data.sources}
        tainted={data.tainted}
        markOf={props.markOf}
      />
      {data.state === 'pending' ? (
        <>
          <p className="soft" role="status">
            {!may.includes('approve') && !decision.busy && (
              <>
                {t('chat.waitsFor', { role: data.by })}{' '}
              </>
            )}
            {t('chat.expires')} <When at={data.expires} />
          </p>
          {denying && (
            <Input
              autoFocus
              value={reason}
              maxLength={500}
              aria-label={t('chat.denyReason')}
              placeholder={t('chat.denyReason')}
              onChange={(event) => setReason(event.target.value)}
              onPressEnter={(event) => {
                if (!event.nativeEvent.isComposing) void decision.run('deny');
              }}
            />
          )}
          <div className="decide">
            {data.may.includes('approve') && !denying && (
              <Button
                type="primary"
                icon={<CheckOutlined />}
                loading={decision.busy}
                aria-keyshortcuts="Alt+Y"
                onClick={() => void decision.run('approve')}
              >
                {t(forUser ? 'chat.allow' : 'chat.approve')}
              </Button>
            )}
            {data.may.includes('deny') && (
              <Button
                danger
                icon={<CloseOutlined />}
                disabled={decision.busy}
                aria-keyshortcuts="Alt+N"
                onClick={() => (forUser || denying ? void decision.run('deny') : setDenying(true))}
              >
                {t(forUser ? 'chat.deny' : data.may.includes('approve') ? 'chat.deny' : 'chat.withdraw')}
              </Button>
            )}
          </div>
        </>
      ) : (
        <p className="decided">
          <StateTag state={data.state} /> {data.decided_by && t('chat.decidedBy', { who: data.decided_by })}{' '}
          {data.decided_at && <When at={data.decided_at} />} {data.reason && `— ${data.reason}`}
        </p>
      )}
      {decision.problem && <ProblemView compact problem={decision.problem} onRetry={reload} />}
    </section>
  );
}

/** How a former decision came out, in one line. */
export function Decided({ wait, tool }: { wait: Wait; tool: string }) {
  const t = useT();
  return (
    <p className="decided">
      <StateTag state={wait.decision} /> {tool}{' '}
      {wait.decidedBy && <span className="soft">{t('chat.decidedBy', { who: wait.decidedBy })}</span>}{' '}
      {wait.decidedAt && <When at={wait.decidedAt} />} {wait.reason && `— ${wait.reason}`}
    </p>
  );
}
