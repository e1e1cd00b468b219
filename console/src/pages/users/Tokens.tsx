import { Button, Checkbox, Input, InputNumber } from 'antd';
import { useState } from 'react';

import { api } from '../../api/client';
import { useAction, useGet } from '../../api/use';
import { useSession } from '../../app/session';
import { useT } from '../../i18n';
import { Loading } from '../../parts/Loading';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag, Tag } from '../../parts/StateTag';
import { useConfirm } from '../../parts/useConfirm';
import { useNow, When } from '../../parts/When';
import { Secret } from './Secret';
import { SCOPES, type Token } from './shapes';

/** The API tokens of a user, below `path`: made, shown once, revoked. */
export function Tokens({ path }: { path: string }) {
  const t = useT();
  const now = useNow();
  const confirm = useConfirm();
  const { data, problem, loading, reload } = useGet<{ tokens: Token[] }>(path);
  const [made, setMade] = useState<Token & { token: string }>();
  const revoke = useAction((token: Token) => api.del(`${path}/${encodeURIComponent(token.id)}`).then(() => true));
  const act = async (token: Token) => {
    const sure = await confirm({ title: t('users.revokeTitle', { name: token.name }), ok: t('users.revoke'), danger: true });
    if (sure && (await revoke.run(token))) reload();
  };
  return (
    <div className="stack">
      <Make
        path={path}
        onMade={(token) => {
          setMade(token);
          reload();
        }}
      />
      {made && <Secret text={made.token} label={t('users.tokenMade', { name: made.name })} hint={t('users.onceHint')} />}
      {problem && <ProblemView problem={problem} onRetry={reload} compact />}
      {revoke.problem && <ProblemView problem={revoke.problem} compact />}
      {loading && <Loading />}
      {data?.tokens.length === 0 && <p className="soft">{t('users.noTokens')}</p>}
      <ul className="tokens">
        {data?.tokens.map((one) => {
          const over = Date.parse(one.expires) < now;
          return (
            <li key={one.id} className="apart">
              <div className="tight">
                <span className="row">
                  <strong>{one.name}</strong>
                  <code className="soft">{one.prefix}…</code>
                  {over && <StateTag state="expired" />}
                  {one.scopes.map((scope) => (
                    <Tag key={scope}>{scope}</Tag>
                  ))}
                </span>
                <span className="soft">
                  {t('users.expires')} <When at={one.expires} /> · {t('users.lastUsed')}{' '}
                  {one.last_used ? <When at={one.last_used} /> : t('users.never')}
                </span>
              </div>
              <Button size="small" danger aria-label={t('users.revokeNamed', { name: one.name })} onClick={() => void act(one)}>
                {t('users.revoke')}
              </Button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Make({ path, onMade }: { path: string; onMade: (token: Token & { token: string }) => void }) {
  const t = useT();
  const { may } = useSession();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['chat']);
  const [days, setDays] = useState<number | null>(90);
  const make = useAction(() => api.post<Token & { token: string }>(path, { name: name.trim(), scopes, days: days ?? 90 }));
  const allowed = SCOPES.filter(
    (one) => one === 'chat' || one === 'approve' || may(one === 'operate' ? 'operator' : 'admin'),
  );
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void make.run().then((token) => {
          if (token === undefined) return;
          setName('');
          onMade(token);
        });
      }}
    >
      <div className="row token-form">
        <div className="field">
          <label htmlFor="token-name">{t('users.tokenName')}</label>
          <Input id="token-name" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        </div>
        <div className="field">
          <label htmlFor="token-days">{t('users.tokenDays')}</label>
          <InputNumber id="token-days" min={1} max={366} value={days} onChange={setDays} />
        </div>
      </div>
      <Checkbox.Group
        aria-label={t('users.scopes')}
        value={scopes}
        onChange={setScopes}
        options={allowed.map((value) => ({ value, label: t(`users.scope_${value}`) }))}
      />
      <Button type="primary" htmlType="submit" loading={make.busy} disabled={!name.trim() || scopes.length === 0} style={{ justifySelf: 'start' }}>
        {t('users.makeToken')}
      </Button>
      {make.problem && <ProblemView problem={make.problem} compact />}
    </form>
  );
}
