import { Button, Input, Modal, Select, Segmented } from 'antd';
import { useMemo, useState } from 'react';

import { api } from '../../api/client';
import type { AgentShape } from '../../api/types';
import { useAction, useGet } from '../../api/use';
import { useLanguage, useT } from '../../i18n';
import { Empty } from '../../parts/Empty';
import { Loading } from '../../parts/Loading';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag, Tag } from '../../parts/StateTag';
import { span } from '../../parts/time';
import { useFilters } from '../../parts/useFilters';
import { ToolDrawer } from './Detail';
import { keyOf, stateOf, type ToolRow, type Tools as Listed } from './shapes';
import './tools.css';

const DAYS = ['1', '7', '30'] as const;

/** Every tool of every agent: how it fares, what the gate does with it, and its switch. */
export default function Tools() {
  const t = useT();
  const { language } = useLanguage();
  const filters = useFilters(['agent', 'days', 'q', 'only', 'tool']);
  const days = DAYS.find((one) => one === filters.get('days')) ?? '7';
  const { data, problem, loading, reload } = useGet<Listed>('/api/tools', { agent: filters.get('agent'), days, language });
  const { data: known } = useGet<{ agents: AgentShape[] }>('/api/agents');
  const [switching, setSwitching] = useState<ToolRow>();
  const only = filters.get('only');
  const words = filters.get('q').toLowerCase();
  const shown = useMemo(
    () =>
      (data?.tools ?? []).filter(
        (one) =>
          (!words || `${one.tool} ${one.title} ${one.description}`.toLowerCase().includes(words)) &&
          (only !== 'unwell' || stateOf(one) !== 'ok') &&
          (!['read', 'write', 'critical'].includes(only) || one.risk === only),
      ),
    [data, words, only],
  );
  const broken = (data?.sources ?? []).filter((one) => one.state !== 'ready');
  const open = data?.tools.find((one) => keyOf(one) === filters.get('tool'));
  return (
    <Page wide>
      <PageHeader title={t('shell.tools')} hint={t('tools.hint')} />
      <div className="filters" role="search">
        <Input.Search
          allowClear
          style={{ width: 220 }}
          placeholder={t('tools.search')}
          aria-label={t('tools.search')}
          defaultValue={filters.get('q')}
          onSearch={(q) => filters.set({ q })}
        />
        <Select
          allowClear
          style={{ minWidth: 150 }}
          placeholder={t('work.agent')}
          aria-label={t('work.agent')}
          value={filters.get('agent') || undefined}
          onChange={(agent: string | undefined) => filters.set({ agent: agent ?? null })}
          options={(known?.agents ?? []).map((one) => ({ value: one.agent, label: one.title }))}
        />
        <Select
          allowClear
          style={{ minWidth: 150 }}
          placeholder={t('tools.only')}
          aria-label={t('tools.only')}
          value={only || undefined}
          onChange={(next: string | undefined) => filters.set({ only: next ?? null })}
          options={[
            { value: 'unwell', label: t('tools.unwell') },
            ...(['read', 'write', 'critical'] as const).map((value) => ({ value, label: t(`parts.${value}`) })),
          ]}
        />
        <Segmented
          aria-label={t('tools.span')}
          value={days}
          onChange={(next) => filters.set({ days: next === '7' ? null : next })}
          options={DAYS.map((value) => ({ value, label: t('tools.days', { n: Number(value) }) }))}
        />
      </div>
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {loading && <Loading rows={8} />}
      {broken.map((one) => (
        <p key={one.agent + one.source} className={`note tool-source ${one.state === 'starting' ? 'tone-info' : 'tone-bad'}`} role="status">
          <StateTag state={one.state === 'starting' ? 'running' : 'failed'} word={`${one.agent} / ${one.source}`} />{' '}
          {one.state === 'starting' ? t('tools.starting') : one.state}
        </p>
      ))}
      {data && shown.length === 0 && (
        <Empty title={t(data.tools.length === 0 ? 'tools.none' : 'parts.noneFound')} hint={t('tools.noneHint')} />
      )}
      {shown.length > 0 && (
        <ul className="tool-cards">
          {shown.map((one) => (
            <li key={keyOf(one)} className="card tight">
              <div className="apart">
                <button className="link tool-name" onClick={() => filters.set({ tool: keyOf(one) })}>
                  {one.title || one.tool}
                </button>
                <StateTag state={stateOf(one)} />
              </div>
              <code className="soft cut">
                {one.agent} / {one.tool}
              </code>
              <p className="tool-about">{one.description}</p>
              <div className="row">
                <StateTag state={one.risk} />
                <Tag>{t(`tools.does_${one.verdict as 'allow'}`)}</Tag>
              </div>
              <dl className="tool-figures">
                <div>
                  <dt>{t('tools.calls')}</dt>
                  <dd>{one.calls.toLocaleString()}</dd>
                </div>
                <div>
                  <dt>{t('tools.rate')}</dt>
                  <dd className={rateTone(one)}>{one.calls ? `${((one.ok / one.calls) * 100).toFixed(one.ok === one.calls ? 0 : 1)} %` : '—'}</dd>
                </div>
                <div>
                  <dt>p50</dt>
                  <dd>{one.p50_ms === null ? '—' : span(one.p50_ms)}</dd>
                </div>
                <div>
                  <dt>p95</dt>
                  <dd>{one.p95_ms === null ? '—' : span(one.p95_ms)}</dd>
                </div>
              </dl>
              <div className="row tool-foot">
                <Button size="small" onClick={() => filters.set({ tool: keyOf(one) })}>
                  {t('tools.openTry')}
                </Button>
                <Button size="small" danger={!one.off} onClick={() => setSwitching(one)}>
                  {t(one.off ? 'tools.switchOn' : 'tools.switchOff')}
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {open && <ToolDrawer tool={open} onClose={() => filters.set({ tool: null })} onSwitch={() => setSwitching(open)} />}
      {switching && (
        <Switch
          tool={switching}
          onClose={() => setSwitching(undefined)}
          onDone={() => {
            setSwitching(undefined);
            reload();
          }}
        />
      )}
    </Page>
  );
}

function rateTone(one: ToolRow): string {
  if (one.calls === 0) return '';
  const rate = one.ok / one.calls;
  return rate < 0.8 ? 'tone-text-bad' : rate < 0.98 ? 'tone-text-wait' : 'tone-text-good';
}

function Switch({ tool, onClose, onDone }: { tool: ToolRow; onClose: () => void; onDone: () => void }) {
  const t = useT();
  const [reason, setReason] = useState('');
  const on = tool.off !== null;
  const act = useAction(() =>
    api
      .post(`/api/tools/${encodeURIComponent(tool.agent)}/${encodeURIComponent(tool.tool)}/switch`, { on, reason })
      .then(() => true),
  );
  return (
    <Modal
      open
      title={t(on ? 'tools.onTitle' : 'tools.offTitle', { tool: tool.title || tool.tool })}
      okText={t(on ? 'tools.switchOn' : 'tools.switchOff')}
      cancelText={t('parts.cancel')}
      okButtonProps={{ danger: !on, loading: act.busy, disabled: !on && !reason.trim() }}
      onOk={() => void act.run().then((done) => done && onDone())}
      onCancel={onClose}
    >
      <p>{t(on ? 'tools.onWhat' : 'tools.offWhat')}</p>
      <div className="field">
        <label htmlFor="switch-reason">{t('work.reason')}</label>
        <Input.TextArea id="switch-reason" maxLength={500} value={reason} autoSize={{ minRows: 2 }} onChange={(event) => setReason(event.target.value)} />
      </div>
      {act.problem && <ProblemView problem={act.problem} compact />}
    </Modal>
  );
}
