import { Checkbox, Select } from 'antd';
import { useEffect, useMemo, useRef, useState } from 'react';

import { useTopic } from '../../api/channel';
import type { AgentShape, Approval } from '../../api/types';
import { useGet } from '../../api/use';
import { useKeys, writing } from '../../app/keys';
import { useLanguage, useT, type Translate } from '../../i18n';
import { Empty } from '../../parts/Empty';
import { Loading } from '../../parts/Loading';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import { relative } from '../../parts/time';
import { useFilters } from '../../parts/useFilters';
import { useToolTitle } from '../../parts/useToolTitle';
import { usePhone } from '../../parts/useWidth';
import { useNow, When } from '../../parts/When';
import { Bulk, BulkTold } from './Bulk';
import { ApprovalDetail } from './Detail';
import { canBulk, type Told } from './together';
import './approvals.css';

const ORDERS = ['risk', 'expiry', 'age', 'requester', 'tool'] as const;
type Order = (typeof ORDERS)[number];
const RISK = { critical: 0, write: 1, read: 2 };

const COMPARE: Record<Order, (a: Approval, b: Approval) => number> = {
  risk: (a, b) => RISK[a.risk] - RISK[b.risk] || Date.parse(a.expires) - Date.parse(b.expires),
  expiry: (a, b) => Date.parse(a.expires) - Date.parse(b.expires),
  age: (a, b) => Date.parse(a.asked) - Date.parse(b.asked),
  requester: (a, b) => a.requester.localeCompare(b.requester),
  tool: (a, b) => a.tool.localeCompare(b.tool),
};

/** What waits for a decision of the viewer, and what he makes of it. */
export default function Approvals() {
  const t = useT();
  const phone = usePhone();
  const { data, problem, loading, reload } = useGet<{ approvals: Approval[] }>('/api/approvals');
  const { data: known } = useGet<{ agents: AgentShape[] }>('/api/agents');
  const filters = useFilters(['approval', 'order', 'risk']);
  const [round, setRound] = useState(0);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [came, setCame] = useState<Told>();
  useTopic('approvals', null, () => {
    reload();
    setRound((n) => n + 1);
  });
  const wanted = filters.get('order');
  const order = ORDERS.find((one) => one === wanted) ?? 'risk';
  const risk = filters.get('risk');
  const shown = useMemo(
    () => (data?.approvals ?? []).filter((one) => !risk || one.risk === risk).sort(COMPARE[order]),
    [data, order, risk],
  );
  // what is shown stays when it is decided elsewhere and leaves the list
  const [held, hold] = useState('');
  if (held === '' && shown[0]) hold(shown[0].approval);
  const chosen = filters.get('approval') || (phone ? '' : held);
  const choose = (approval: string | null) => filters.set({ approval });
  useKeys((event) => {
    const step = { j: 1, k: -1 }[event.key];
    if (step === undefined || writing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = shown.findIndex((one) => one.approval === chosen);
    const next = shown[at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + step))];
    if (next) choose(next.approval);
  });
  const bulk = shown.filter((one) => marked.has(one.approval));
  const markable = bulk.length > 0 ? shown.filter((one) => canBulk(one, bulk)) : [];
  const toolTitle = useToolTitle();
  const titleOf = (one: Approval) => toolTitle(known?.agents.find(({ agent }) => agent === one.agent), one.tool);
  const toggle = (approval: string, on: boolean) =>
    setMarked((former) => {
      const next = new Set(former);
      if (on) next.add(approval);
      else next.delete(approval);
      return next;
    });
  const list = (
    <div className="tight">
      <div className="row">
        <Select
          aria-label={t('approvals.order')}
          value={order}
          onChange={(next) => filters.set({ order: next === 'risk' ? null : next })}
          options={ORDERS.map((one) => ({ value: one, label: t(`approvals.by_${one}`) }))}
        />
        <Select
          aria-label={t('approvals.risk')}
          placeholder={t('approvals.risk')}
          allowClear
          style={{ minWidth: 120 }}
          value={risk || undefined}
          onChange={(next: string | undefined) => filters.set({ risk: next ?? null })}
          options={(['critical', 'write', 'read'] as const).map((one) => ({ value: one, label: t(`parts.${one}`) }))}
        />
        <span className="soft" aria-live="polite">
          {t('approvals.waiting', { n: shown.length })}
        </span>
      </div>
      <Bulk
        marked={bulk}
        others={markable.length - bulk.length}
        title={bulk[0] ? titleOf(bulk[0]) : ''}
        onMarkAll={() => setMarked(new Set(markable.map((one) => one.approval)))}
        onClear={() => setMarked(new Set())}
        onTold={(next) => {
          setCame(next);
          reload();
        }}
      />
      {shown.length > 0 && (
        <ol className="picks" aria-label={t('shell.approvals')}>
          {shown.map((one) => (
            <Row
              key={one.approval}
              approval={one}
              current={one.approval === chosen}
              marked={marked.has(one.approval)}
              canMark={canBulk(one, bulk)}
              onMark={(on) => toggle(one.approval, on)}
              onChoose={() => choose(one.approval)}
              title={titleOf(one)}
              t={t}
            />
          ))}
        </ol>
      )}
    </div>
  );
  return (
    <Page wide>
      <PageHeader title={t('shell.approvals')} hint={t('approvals.hint')} />
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {came && <BulkTold came={came} onClose={() => setCame(undefined)} />}
      {loading && <Loading />}
      {data && data.approvals.length === 0 && !chosen && <Empty title={t('approvals.none')} hint={t('approvals.noneHint')} />}
      {data && (data.approvals.length > 0 || chosen) && (
        <div className="split">
          {(!phone || !chosen) && list}
          {chosen ? (
            <ApprovalDetail
              key={chosen}
              id={chosen}
              round={round}
              agents={known?.agents ?? []}
              onMoved={(next) => choose(next)}
              onChanged={reload}
              {...(phone && { onBack: () => choose(null) })}
            />
          ) : (
            !phone && <Empty title={t('approvals.pick')} />
          )}
        </div>
      )}
    </Page>
  );
}

function Row(props: {
  approval: Approval;
  current: boolean;
  marked: boolean;
  canMark: boolean;
  onMark: (on: boolean) => void;
  onChoose: () => void;
  title: string;
  t: Translate;
}) {
  const { approval: one, current, marked, canMark, onMark, onChoose, title, t } = props;
  const { language } = useLanguage();
  const now = useNow();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (current) button.current?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const left = Date.parse(one.expires) - now;
  return (
    <li className="approval-row">
      <Checkbox
        checked={marked}
        disabled={!marked && !canMark}
        aria-label={t('approvals.mark', { tool: title, requester: one.requester })}
        title={!marked && !canMark ? t('approvals.noBulk') : undefined}
        onChange={(event) => onMark(event.target.checked)}
      />
      <button ref={button} type="button" className="pick" aria-current={current} onClick={onChoose}>
        <span className="apart">
          <strong>{title}</strong>
          <StateTag state={one.risk} />
        </span>
        <span className="approval-words">{one.question}</span>
        <span className="apart soft">
          <span>
            {one.requester} · <When at={one.asked} />
          </span>
          <span className={left < 600_000 ? 'tone-text-bad' : ''}>
            {t('approvals.expires', { when: relative(new Date(one.expires), now, language === 'zh' ? 'zh-CN' : 'en-GB') })}
          </span>
        </span>
      </button>
    </li>
  );
}
