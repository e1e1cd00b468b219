import { Input, Modal, Segmented, Select } from 'antd';
import { useState } from 'react';

import { api, ProblemError, problemOf, type Problem } from '../../api/client';
import type { AgentShape } from '../../api/types';
import { useGet } from '../../api/use';
import { useZoneName } from '../../app/session';
import { useLanguage, useT } from '../../i18n';
import { ProblemView } from '../../parts/ProblemView';
import { Tag } from '../../parts/StateTag';
import { Instants, Preview } from './Preview';
import { contentOf, type Reading, type Reminder, type ToConfirm } from './shapes';

/** Make a reminder in words, or change one. */
export function ReminderForm(props: { former?: Reminder; onClose: () => void; onDone: (made: Reminder) => void }) {
  const { former, onClose, onDone } = props;
  const t = useT();
  const { language } = useLanguage();
  const own = useZoneName();
  const { data: known } = useGet<{ agents: AgentShape[] }>(former ? null : '/api/agents');
  const [when, setWhen] = useState(former?.words ?? '');
  const [kind, setKind] = useState<'text' | 'action'>(former?.kind ?? 'text');
  const [content, setContent] = useState(former ? contentOf(former) : '');
  const [agent, setAgent] = useState(former?.agent ?? '');
  const [timezone, setTimezone] = useState(former?.timezone ?? own);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const agents = known?.agents ?? [];
  const chosen = agent || (agents[0]?.agent ?? '');
  const toConfirm = problem?.code === 'confirm' ? (problem['to_confirm'] as ToConfirm) : undefined;
  const readings = problem?.code === 'unclear' ? (problem['readings'] as Reading[]) : [];
  const send = async (confirm: string | false) => {
    setBusy(true);
    try {
      const made = former
        ? await api.patch<Reminder>(`/api/reminders/${former.reminder}`, {
            ...(when !== former.words && { when }),
            ...(content !== contentOf(former) && { [kind]: content }),
            language,
            confirm,
          })
        : await api.post<Reminder>('/api/reminders', { when, [kind]: content, agent: chosen, timezone, language, confirm });
      onDone(made);
    } catch (fault) {
      setProblem(problemOf(fault));
      if (!(fault instanceof ProblemError)) throw fault;
    } finally {
      setBusy(false);
    }
  };
  const again = <T,>(set: (value: T) => void) => (value: T) => {
    set(value);
    setProblem(undefined);
  };
  return (
    <Modal
      open
      width={620}
      title={t(former ? 'reminders.changeTitle' : 'reminders.add')}
      okText={t(toConfirm ? 'reminders.confirm' : former ? 'work.save' : 'reminders.make')}
      cancelText={t('parts.cancel')}
      okButtonProps={{ loading: busy, disabled: !when.trim() || !content.trim() || !chosen }}
      onOk={() => void send(toConfirm?.confirm ?? false)}
      onCancel={onClose}
    >
      <div className="stack">
        <div className="field">
          <label htmlFor="reminder-when">{t('reminders.whenWords')}</label>
          <Input
            id="reminder-when"
            value={when}
            autoFocus
            placeholder={t('reminders.whenExample')}
            onChange={(event) => again(setWhen)(event.target.value)}
          />
        </div>
        <Preview when={when} timezone={timezone} onPick={again(setWhen)} />
        {!former && (
          <div className="field">
            <label htmlFor="reminder-zone">{t('reminders.zone')}</label>
            <Select
              id="reminder-zone"
              showSearch
              value={timezone}
              onChange={again(setTimezone)}
              options={[...new Set([own, ...Intl.supportedValuesOf('timeZone')])].map((value) => ({ value, label: value }))}
            />
          </div>
        )}
        <div className="field">
          <span className="label">{t('reminders.kind')}</span>
          <Segmented
            aria-label={t('reminders.kind')}
            disabled={former !== undefined}
            value={kind}
            style={{ justifySelf: 'start' }}
            onChange={again(setKind)}
            options={[
              { value: 'text' as const, label: t('reminders.kind_text') },
              { value: 'action' as const, label: t('reminders.kind_action') },
            ]}
          />
        </div>
        <div className="field">
          <label htmlFor="reminder-content">{t(kind === 'text' ? 'reminders.text' : 'reminders.action')}</label>
          <Input.TextArea
            id="reminder-content"
            value={content}
            maxLength={2000}
            autoSize={{ minRows: 2, maxRows: 8 }}
            onChange={(event) => again(setContent)(event.target.value)}
          />
        </div>
        {!former && agents.length > 1 && (
          <div className="field">
            <label htmlFor="reminder-agent">{t('work.agent')}</label>
            <Select
              id="reminder-agent"
              value={chosen}
              onChange={again(setAgent)}
              options={agents.map((one) => ({ value: one.agent, label: one.title }))}
            />
          </div>
        )}
        {problem && !toConfirm && readings.length === 0 && <ProblemView problem={problem} compact />}
        {readings.length > 0 && <p className="tone-text-wait" role="alert">{problem?.detail}</p>}
        {toConfirm && (
          <section className="note tone-wait stack" role="alert">
            <strong>{t('reminders.confirmTitle')}</strong>
            <p className="prose">{toConfirm.told}</p>
            {toConfirm.calls.map((call, n) => (
              <p key={n} className="prose">
                <Tag tone={call.waits ? 'wait' : 'info'}>{call.title}</Tag> {call.told}
              </p>
            ))}
            <Instants at={toConfirm.next} timezone={timezone} />
          </section>
        )}
      </div>
    </Modal>
  );
}
