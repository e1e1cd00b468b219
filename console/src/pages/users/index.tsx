import { UserAddOutlined } from '@ant-design/icons';
import { Button, Input, Modal, Select, Table, Tabs } from 'antd';
import { useState } from 'react';

import { api } from '../../api/client';
import { useAction, useGet } from '../../api/use';
import { useSession } from '../../app/session';
import { useT, type Translate } from '../../i18n';
import { DataTable } from '../../parts/DataTable';
import { Loading } from '../../parts/Loading';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag, Tag } from '../../parts/StateTag';
import { useFilters } from '../../parts/useFilters';
import { usePhone } from '../../parts/useWidth';
import { When } from '../../parts/When';
import { UserDrawer } from './Detail';
import { Directory } from './Directory';
import { Secret } from './Secret';
import { ROLES, type Entry, type UserRow } from './shapes';
import './users.css';

/** Users: who there is, what each may do; and what happened to accounts. */
export default function Users() {
  const t = useT();
  const filters = useFilters(['tab', 'user', 'q', 'invite']);
  const { data, problem, loading, reload } = useGet<{ users: UserRow[] }>('/api/users');
  const open = data?.users.find((one) => one.login === filters.get('user'));
  const tab = filters.get('tab') || 'users';
  return (
    <Page wide>
      <PageHeader
        title={t('shell.users')}
        hint={t('users.hint')}
        actions={
          <Button type="primary" icon={<UserAddOutlined />} onClick={() => filters.set({ invite: '1' })}>
            {t('users.invite')}
          </Button>
        }
      />
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {loading && <Loading />}
      {data && (
        <Tabs
          activeKey={tab}
          onChange={(next) => filters.set({ tab: next === 'users' ? null : next })}
          items={[
            {
              key: 'users',
              label: t('users.all', { n: data.users.length }),
              children: <List users={data.users} q={filters.get('q')} onSearch={(q) => filters.set({ q })} onOpen={(login) => filters.set({ user: login })} />,
            },
            { key: 'directory', label: t('users.directory'), children: <Directory /> },
            { key: 'log', label: t('users.log'), children: <Log /> },
          ]}
          destroyOnHidden
        />
      )}
      {open && <UserDrawer key={open.login} user={open} onClose={() => filters.set({ user: null })} onChanged={reload} />}
      {filters.get('invite') && <Invite onClose={() => filters.set({ invite: null })} onDone={reload} />}
    </Page>
  );
}

export function userState(one: UserRow, t: Translate) {
  const look = { active: 'ok', disabled: 'off', invited: 'pending', locked: 'warning' }[one.state];
  return <StateTag state={look} word={t(`users.is_${one.state}`)} />;
}

function List(props: { users: readonly UserRow[]; q: string; onSearch: (q: string) => void; onOpen: (login: string) => void }) {
  const { users, q, onSearch, onOpen } = props;
  const t = useT();
  const phone = usePhone();
  const { session } = useSession();
  const shown = users.filter((one) => `${one.login} ${one.name} ${one.effective.join(' ')}`.toLowerCase().includes(q.toLowerCase()));
  const roles = (one: UserRow) => (
    <span className="row">
      {one.effective.map((role) => (
        <Tag key={role} tone={one.roles.includes(role) ? 'info' : 'neutral'}>
          {role}
        </Tag>
      ))}
    </span>
  );
  const name = (one: UserRow) => (
    <button className="link" onClick={() => onOpen(one.login)}>
      {one.name || one.login}
      {one.login === session?.login && ` (${t('users.you')})`}
    </button>
  );
  return (
    <div className="stack">
      <Input.Search
        allowClear
        style={{ maxWidth: 280 }}
        aria-label={t('users.search')}
        placeholder={t('users.search')}
        defaultValue={q}
        onChange={(event) => onSearch(event.target.value)}
      />
      {shown.length === 0 && <p className="soft">{t('parts.noneFound')}</p>}
      {phone ? (
        <ul className="cards">
          {shown.map((one) => (
            <li key={one.login} className="tight">
              <span className="apart">
                {name(one)} {userState(one, t)}
              </span>
              <code className="soft">{one.login}</code>
              {roles(one)}
            </li>
          ))}
        </ul>
      ) : (
        shown.length > 0 && (
          <Table<UserRow>
            size="small"
            rowKey="login"
            dataSource={[...shown]}
            virtual
            scroll={{ x: 800, y: Math.max(260, window.innerHeight - 340) }}
            pagination={false}
            columns={[
              { title: t('work.name'), width: 200, render: (_, one) => name(one) },
              { title: t('users.login'), width: 160, dataIndex: 'login', ellipsis: true },
              { title: t('users.roles'), width: 260, render: (_, one) => roles(one) },
              { title: t('work.state'), width: 120, render: (_, one) => userState(one, t) },
              { title: t('users.lastSeen'), width: 140, render: (_, one) => (one.last_seen ? <When at={one.last_seen} /> : t('users.never')) },
              { title: t('users.source'), width: 130, render: (_, one) => t(`users.from_${one.source}`) },
            ]}
          />
        )
      )}
    </div>
  );
}

function Log() {
  const t = useT();
  const about = (one: Entry) =>
    Object.entries(one.about)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', ');
  return (
    <DataTable<Entry>
      path="/api/audit/accounts"
      rows="entries"
      rowKey="seq"
      label={t('users.log')}
      filters={[{ name: 'login', label: t('users.login'), kind: 'text' }]}
      columns={[
        { title: t('work.time'), width: 150, render: (_, one) => <When at={one.at} /> },
        { title: t('users.event'), width: 180, dataIndex: 'event' },
        { title: t('users.login'), width: 140, dataIndex: 'login' },
        { title: t('users.by'), width: 140, dataIndex: 'by' },
        { title: t('users.address'), width: 140, dataIndex: 'address' },
        { title: t('users.about'), width: 260, ellipsis: true, render: (_, one) => about(one) },
      ]}
      card={(one) => (
        <div className="tight">
          <span className="apart">
            <strong>{one.event}</strong>
            <span className="soft">
              <When at={one.at} />
            </span>
          </span>
          <span className="soft">
            {one.login} · {one.by} · {one.address} {about(one)}
          </span>
        </div>
      )}
    />
  );
}

function Invite({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const t = useT();
  const [login, setLogin] = useState('');
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<string[]>(['user']);
  const { session } = useSession();
  const [source, setSource] = useState<'password' | 'oidc'>('password');
  const [link, setLink] = useState<string>();
  const [added, setAdded] = useState(false);
  const add = useAction(() => api.post<{ invitation: string | null }>('/api/users', { login: login.trim(), name: name.trim(), roles, source }));
  const send = () =>
    void add.run().then((made) => {
      if (made === undefined) return;
      setAdded(true);
      if (made.invitation) setLink(new URL(made.invitation, location.origin).href);
      onDone();
    });
  return (
    <Modal
      open
      title={t('users.invite')}
      okText={t(added ? 'parts.close' : 'users.makeLink')}
      cancelText={t('parts.cancel')}
      okButtonProps={{ loading: add.busy, disabled: !login.trim() }}
      cancelButtonProps={{ style: added ? { display: 'none' } : {} }}
      onOk={added ? onClose : send}
      onCancel={onClose}
    >
      {added ? (
        link ? (
          <Secret text={link} label={t('users.linkFor', { login })} hint={t('users.linkHint')} />
        ) : (
          <p>{t('users.oidcAdded', { login })}</p>
        )
      ) : (
        <div className="stack">
          <div className="field">
            <label htmlFor="invite-login">{t('users.login')}</label>
            <Input id="invite-login" autoFocus value={login} onChange={(event) => setLogin(event.target.value)} />
          </div>
          <div className="field">
            <label htmlFor="invite-name">{t('work.name')}</label>
            <Input id="invite-name" value={name} onChange={(event) => setName(event.target.value)} />
          </div>
          <div className="field">
            <label htmlFor="invite-roles">{t('users.roles')}</label>
            <Select
              id="invite-roles"
              mode="tags"
              value={roles}
              onChange={setRoles}
              options={ROLES.map((value) => ({ value, label: t(`users.role_${value}`) }))}
            />
          </div>
          {session?.oidc && (
            <div className="field">
              <label htmlFor="invite-source">{t('users.source')}</label>
              <Select
                id="invite-source"
                value={source}
                onChange={setSource}
                options={[
                  { value: 'password', label: t('users.from_password') },
                  { value: 'oidc', label: session.oidc.name },
                ]}
              />
            </div>
          )}
          {add.problem && <ProblemView problem={add.problem} compact />}
        </div>
      )}
    </Modal>
  );
}
