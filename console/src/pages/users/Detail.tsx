import { Button, Drawer, Input, Select } from 'antd';
import { useState } from 'react';

import { api } from '../../api/client';
import { useAction } from '../../api/use';
import { useT } from '../../i18n';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag, Tag } from '../../parts/StateTag';
import { useConfirm } from '../../parts/useConfirm';
import { When } from '../../parts/When';
import { DirectoryEntry } from './Directory';
import { userState } from './index';
import { Secret } from './Secret';
import { ROLES, type UserRow } from './shapes';
import { Tokens } from './Tokens';

/** One user: roles, state, password, sessions, tokens. */
export function UserDrawer(props: { user: UserRow; onClose: () => void; onChanged: () => void }) {
  const { user, onClose, onChanged } = props;
  const t = useT();
  const confirm = useConfirm();
  const path = `/api/users/${encodeURIComponent(user.login)}`;
  const [roles, setRoles] = useState(user.roles);
  const [name, setName] = useState(user.name);
  const [link, setLink] = useState<string>();
  const [ended, setEnded] = useState<number>();
  const save = useAction(async (changes: object) => {
    await api.patch(path, changes);
    onChanged();
    return true;
  });
  const reset = useAction(() => api.post<{ link: string }>(`${path}/reset`, {}));
  const end = useAction(() => api.del<{ ended: number }>(`${path}/sessions`));
  const sure = (title: string, ok: string) => confirm({ title, ok, danger: true });
  const given = user.effective.filter((role) => !user.roles.includes(role));
  const changed = name !== user.name || roles.join() !== user.roles.join();
  const problem = save.problem ?? reset.problem ?? end.problem;
  return (
    <Drawer open onClose={onClose} size={560} title={user.name || user.login}>
      <div className="stack">
        <div className="row">
          {userState(user, t)}
          <code>{user.login}</code>
          <span className="soft">
            {t('users.created')} <When at={user.created} /> · {t('users.lastSeen')}{' '}
            {user.last_seen ? <When at={user.last_seen} /> : t('users.never')}
          </span>
        </div>
        <div className="field">
          <label htmlFor="user-name">{t('work.name')}</label>
          <Input id="user-name" value={name} onChange={(event) => setName(event.target.value)} />
        </div>
        <div className="field">
          <label htmlFor="user-roles">{t('users.roles')}</label>
          <Select
            id="user-roles"
            mode="tags"
            value={roles}
            onChange={setRoles}
            options={ROLES.map((value) => ({ value, label: t(`users.role_${value}`) }))}
          />
          {given.length > 0 && (
            <span className="row soft">
              {t('users.alsoFrom')}
              {given.map((role) => (
                <Tag key={role}>{role}</Tag>
              ))}
            </span>
          )}
        </div>
        <Button type="primary" style={{ justifySelf: 'start' }} disabled={!changed} loading={save.busy} onClick={() => void save.run({ name, roles })}>
          {t('work.save')}
        </Button>
        {problem && <ProblemView problem={problem} />}
        <div className="row">
          {user.state === 'disabled' ? (
            <Button disabled={save.busy} onClick={() => void save.run({ state: 'active' })}>
              {t('users.enable')}
            </Button>
          ) : (
            <Button
              danger
              disabled={save.busy}
              onClick={() => void sure(t('users.disableTitle', { login: user.login }), t('users.disable')).then((yes) => yes && save.run({ state: 'disabled' }))}
            >
              {t('users.disable')}
            </Button>
          )}
          {user.source === 'password' && (
            <Button
              loading={reset.busy}
              onClick={() =>
                void sure(t('users.resetTitle', { login: user.login }), t('users.reset')).then(async (yes) => {
                  const made = yes ? await reset.run() : undefined;
                  if (made) setLink(new URL(made.link, location.origin).href);
                })
              }
            >
              {t('users.reset')}
            </Button>
          )}
          <Button loading={end.busy} onClick={() => void end.run().then((done) => done && setEnded(done.ended))}>
            {t('users.endSessions')}
          </Button>
          {ended !== undefined && <StateTag state="ok" word={t('users.ended', { n: ended })} />}
        </div>
        {link && <Secret text={link} label={t('users.linkFor', { login: user.login })} hint={t('users.linkHint')} />}
        <DirectoryEntry login={user.login} />
        <section className="stack">
          <h2 className="sub">{t('users.tokens')}</h2>
          <Tokens path={`${path}/tokens`} />
        </section>
      </div>
    </Drawer>
  );
}
