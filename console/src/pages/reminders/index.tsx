import { LeftOutlined, PlusOutlined, RightOutlined } from '@ant-design/icons';
import { Button, Segmented } from 'antd';
import dayjs from 'dayjs';
import { useState } from 'react';

import { useZoneName } from '../../app/session';
import { useLanguage, useT } from '../../i18n';
import { DataTable } from '../../parts/DataTable';
import { Empty } from '../../parts/Empty';
import { Page, PageHeader } from '../../parts/PageHeader';
import { StateTag, Tag } from '../../parts/StateTag';
import { useFilters } from '../../parts/useFilters';
import { When } from '../../parts/When';
import { Calendar } from './Calendar';
import { ReminderDrawer } from './Detail';
import { ReminderForm } from './Form';
import { contentOf, type Reminder } from './shapes';
import './reminders.css';

const STATES = ['active', 'paused', 'done', 'cancelled'] as const;
const VIEWS = ['list', 'month', 'week'] as const;

/** Reminders as a list and in a calendar; made in words. */
export default function Reminders() {
  const t = useT();
  const { language } = useLanguage();
  const zone = useZoneName();
  const filters = useFilters(['view', 'reminder', 'day', 'new']);
  const [round, setRound] = useState(0);
  const view = VIEWS.find((one) => one === filters.get('view')) ?? 'list';
  const open = (reminder: string) => filters.set({ reminder });
  const add = () => filters.set({ new: '1' });
  const day = dayjs(filters.get('day') || undefined);
  const move = (by: number) =>
    filters.set({ day: day.add(by, view === 'week' ? 'week' : 'month').format('YYYY-MM-DD') });
  return (
    <Page wide>
      <PageHeader
        title={t('shell.reminders')}
        hint={`${t('reminders.hint')} ${t('parts.zone', { zone })}`}
        actions={
          <Button type="primary" icon={<PlusOutlined />} onClick={add}>
            {t('reminders.add')}
          </Button>
        }
      />
      <div className="apart reminder-bar">
        <Segmented
          aria-label={t('reminders.view')}
          value={view}
          onChange={(next) => filters.set({ view: next === 'list' ? null : next })}
          options={VIEWS.map((one) => ({ value: one, label: t(`reminders.${one}`) }))}
        />
        {view !== 'list' && (
          <div className="row">
            <Button icon={<LeftOutlined />} aria-label={t('reminders.earlier')} onClick={() => move(-1)} />
            <Button onClick={() => filters.set({ day: null })}>{t('reminders.today')}</Button>
            <Button icon={<RightOutlined />} aria-label={t('reminders.later')} onClick={() => move(1)} />
          </div>
        )}
      </div>
      {view === 'list' ? (
        <DataTable<Reminder>
          key={round}
          path="/api/reminders"
          rows="reminders"
          rowKey="reminder"
          topic="reminders"
          label={t('shell.reminders')}
          query={{ language }}
          filters={[
            { name: 'state', label: t('work.state'), kind: 'many', options: STATES.map((one) => ({ value: one, label: t(`reminders.is_${one}`) })) },
            { name: 'from', label: t('reminders.dueFrom'), kind: 'time' },
            { name: 'to', label: t('reminders.dueTo'), kind: 'time' },
          ]}
          onOpen={(row) => open(row.reminder)}
          empty={
            <Empty title={t('reminders.none')} hint={t('reminders.noneHint')}>
              <Button onClick={add}>{t('reminders.add')}</Button>
            </Empty>
          }
          columns={[
            { title: t('work.state'), width: 110, render: (_, row) => <StateTag state={row.state} word={t(`reminders.is_${row.state}`)} /> },
            { title: t('reminders.what'), width: 320, ellipsis: true, render: (_, row) => row.title || contentOf(row) },
            { title: t('reminders.kind'), width: 90, render: (_, row) => <Tag>{t(`reminders.kind_${row.kind}`)}</Tag> },
            { title: t('reminders.when'), width: 260, ellipsis: true, dataIndex: 'when' },
            { title: t('reminders.next'), width: 140, render: (_, row) => <When at={row.next} /> },
            { title: t('reminders.zone'), width: 140, ellipsis: true, dataIndex: 'timezone' },
          ]}
          card={(row) => (
            <button className="link plain-link reminder-card" onClick={() => open(row.reminder)}>
              <span className="apart">
                <StateTag state={row.state} word={t(`reminders.is_${row.state}`)} />
                <span className="soft">
                  <When at={row.next} />
                </span>
              </span>
              <strong>{row.title || contentOf(row)}</strong>
              <span className="soft">
                {row.when} · {row.timezone}
              </span>
            </button>
          )}
        />
      ) : (
        <Calendar view={view} day={day} round={round} onOpen={open} onDay={(next) => filters.set({ day: next, view: 'week' })} />
      )}
      {filters.get('new') && (
        <ReminderForm
          onClose={() => filters.set({ new: null })}
          onDone={(made) => {
            setRound((n) => n + 1);
            filters.set({ new: null, reminder: made.reminder });
          }}
        />
      )}
      {filters.get('reminder') && (
        <ReminderDrawer
          key={filters.get('reminder')}
          id={filters.get('reminder')}
          onClose={() => filters.set({ reminder: null })}
          onChanged={() => setRound((n) => n + 1)}
        />
      )}
    </Page>
  );
}
