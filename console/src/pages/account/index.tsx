import { Button, Input, Segmented, Select } from 'antd';
import { useState } from 'react';

import { api } from '../../api/client';
import { useAction } from '../../api/use';
import { useSession } from '../../app/session';
import { useLanguage, useT } from '../../i18n';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import { Tokens } from '../users/Tokens';
import '../../parts/work.css';
import '../users/users.css';

/** The viewer's own account: name, language, zone, password, tokens. */
export default function Account() {
  const t = useT();
  const { session } = useSession();
  return (
    <Page>
      <PageHeader title={t('shell.account')} hint={`${session?.login ?? ''} · ${session?.roles.join(', ') ?? ''}`} />
      {session?.signed_in ? (
        <div className="account">
          <div className="stack">
            <Self />
            <Password />
          </div>
          <section className="card stack">
            <h2>{t('users.tokens')}</h2>
            <p className="soft">{t('users.tokensHint')}</p>
            <Tokens path="/api/tokens" />
          </section>
        </div>
      ) : (
        <p className="note tone-wait">{t('users.notSignedIn')}</p>
      )}
    </Page>
  );
}

function Self() {
  const t = useT();
  const { session, change } = useSession();
  const { language, setLanguage } = useLanguage();
  const [name, setName] = useState(session?.name ?? '');
  const [zone, setZone] = useState(session?.timezone ?? '');
  const [done, setDone] = useState(false);
  const save = useAction(async () => {
    await change({ name, timezone: zone });
    setDone(true);
  });
  return (
    <section className="card stack">
      <h2>{t('users.self')}</h2>
      <div className="field">
        <label htmlFor="own-name">{t('work.name')}</label>
        <Input
          id="own-name"
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            setDone(false);
          }}
        />
      </div>
      <div className="field">
        <label htmlFor="own-zone">{t('reminders.zone')}</label>
        <Select
          id="own-zone"
          showSearch
          value={zone}
          onChange={(next) => {
            setZone(next);
            setDone(false);
          }}
          options={[
            { value: '', label: t('users.browserZone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone }) },
            ...Intl.supportedValuesOf('timeZone').map((value) => ({ value, label: value })),
          ]}
        />
      </div>
      <div className="field">
        <span className="label">{t('users.language')}</span>
        <Segmented
          aria-label={t('users.language')}
          style={{ justifySelf: 'start' }}
          value={language}
          onChange={(next) => void setLanguage(next).then(() => change({ language: next })).catch(() => undefined)}
          options={[
            { value: 'zh' as const, label: '中文' },
            { value: 'en' as const, label: 'English' },
          ]}
        />
      </div>
      <div className="row">
        <Button type="primary" loading={save.busy} onClick={() => void save.run()}>
          {t('work.save')}
        </Button>
        {done && <StateTag state="ok" word={t('users.saved')} />}
      </div>
      {save.problem && <ProblemView problem={save.problem} compact />}
    </section>
  );
}

function Password() {
  const t = useT();
  const { session } = useSession();
  const [old, setOld] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const [done, setDone] = useState(false);
  const save = useAction(() => api.patch('/api/session', { password: { old, new: next } }).then(() => true));
  const differs = again !== '' && again !== next;
  return (
    <form
      className="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run().then((ok) => {
          if (!ok) return;
          setDone(true);
          for (const clear of [setOld, setNext, setAgain]) clear('');
        });
      }}
    >
      <h2>{t('users.password')}</h2>
      <input type="text" hidden autoComplete="username" readOnly value={session?.login ?? ''} />
      {(
        [
          ['old-password', t('users.oldPassword'), old, setOld, 'current-password'],
          ['new-password', t('users.newPassword'), next, setNext, 'new-password'],
          ['new-again', t('users.newAgain'), again, setAgain, 'new-password'],
        ] as const
      ).map(([id, label, value, set, autoComplete]) => (
        <div key={id} className="field">
          <label htmlFor={id}>{label}</label>
          <Input.Password id={id} value={value} autoComplete={autoComplete} onChange={(event) => set(event.target.value)} />
        </div>
      ))}
      {differs && <span className="tone-text-bad" role="alert">{t('users.differ')}</span>}
      <div className="row">
        <Button htmlType="submit" loading={save.busy} disabled={!old || !next || again !== next}>
          {t('users.changePassword')}
        </Button>
        {done && <StateTag state="ok" word={t('users.passwordDone')} />}
      </div>
      {save.problem && <ProblemView problem={save.problem} compact />}
    </form>
  );
}
