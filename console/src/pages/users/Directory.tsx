import { Button, Input } from 'antd';
import { Fragment, useState } from 'react';

import { api } from '../../api/client';
import { useAction, useGet } from '../../api/use';
import { useT } from '../../i18n';
import { DataTable } from '../../parts/DataTable';
import { Empty } from '../../parts/Empty';
import { Loading } from '../../parts/Loading';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag, Tag } from '../../parts/StateTag';
import type { Known, Meant } from './shapes';

/** Who is in the directory that messages are addressed by, and whom a description means. */
export function Directory() {
  const t = useT();
  return (
    <div className="stack">
      <Find />
      <DataTable<Known>
        path="/api/directory"
        rows="people"
        rowKey="login"
        label={t('users.directory')}
        empty={<Empty title={t('users.noDirectory')} hint={t('users.noDirectoryHint')} />}
        filters={[{ name: 'q', label: t('users.anything'), kind: 'text', width: 280 }]}
        columns={[
          { title: t('work.name'), width: 150, render: (_, one) => one.name },
          { title: t('users.login'), width: 130, dataIndex: 'login', ellipsis: true },
          { title: t('users.titles'), width: 180, ellipsis: true, render: (_, one) => titles(one) },
          { title: t('users.departments'), width: 200, ellipsis: true, render: (_, one) => one.departments.join('; ') },
          { title: t('users.aliases'), width: 160, ellipsis: true, render: (_, one) => one.aliases.join('; ') },
          { title: t('users.addresses'), width: 280, ellipsis: true, render: (_, one) => addresses(one) },
        ]}
        card={(one) => (
          <div className="tight">
            <span className="apart">
              <strong>{one.name}</strong> <code className="soft">{one.login}</code>
            </span>
            <span className="soft">{[one.departments.join('; '), titles(one)].filter(Boolean).join(' · ')}</span>
            <span className="soft">{addresses(one)}</span>
          </div>
        )}
      />
    </div>
  );
}

/** What the directory says of one login. */
export function DirectoryEntry({ login }: { login: string }) {
  const t = useT();
  const { data, problem, loading, reload } = useGet<{ people: Known[] }>(`/api/directory?login=${encodeURIComponent(login)}`);
  const one = data?.people[0];
  const rows = one
    ? ([
        [t('work.name'), one.name],
        [t('users.aliases'), one.aliases.join('; ')],
        [t('users.titles'), titles(one)],
        [t('users.departments'), one.departments.join('; ')],
        [t('users.manager'), one.manager],
        [t('users.does'), one.description],
        [t('users.number'), one.number],
        [t('users.addresses'), addresses(one)],
      ] as const)
    : [];
  return (
    <section className="stack">
      <h2 className="sub">{t('users.entry')}</h2>
      {problem && <ProblemView problem={problem} onRetry={reload} compact />}
      {loading && <Loading />}
      {data && !one && <p className="soft">{t('users.noEntry')}</p>}
      {one && (
        <dl className="facts">
          {rows
            .filter(([, value]) => value)
            .map(([label, value]) => (
              <Fragment key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </Fragment>
            ))}
        </dl>
      )}
    </section>
  );
}

function Find() {
  const t = useT();
  const [words, setWords] = useState('');
  const find = useAction(async (asked: string) => ({ asked, found: await api.post<Meant>('/api/directory/find', { words: asked }) }));
  const [answer, setAnswer] = useState<{ asked: string; found: Meant }>();
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void find.run(words.trim()).then((made) => made && setAnswer(made));
      }}
    >
      <div className="field">
        <label htmlFor="whom">{t('users.whom')}</label>
        <div className="row whom">
          <Input id="whom" maxLength={500} placeholder={t('users.whomFor')} value={words} onChange={(event) => setWords(event.target.value)} />
          <Button htmlType="submit" loading={find.busy} disabled={!words.trim()}>
            {t('users.find')}
          </Button>
        </div>
      </div>
      {find.problem && <ProblemView problem={find.problem} compact />}
      <div aria-live="polite">{answer && <Answer {...answer} />}</div>
    </form>
  );
}

function Answer({ asked, found }: { asked: string; found: Meant }) {
  const t = useT();
  const open = found.candidates.length + found.departments.length > 0;
  const [state, word] = found.people.length
    ? (['ok', t('users.means', { words: asked, n: found.people.length })] as const)
    : open
      ? (['pending', t('users.unclear', { words: asked })] as const)
      : (['off', t('users.nobody', { words: asked })] as const);
  return (
    <div className="stack">
      <StateTag state={state} word={word} />
      <span className="row">
        {[...found.people, ...found.candidates].map((one) => (
          <Tag key={one.login}>
            {one.name}
            {one.about && ` · ${one.about}`} <code>{one.login}</code>
          </Tag>
        ))}
        {found.departments.map((one) => (
          <Tag key={one}>{one}</Tag>
        ))}
      </span>
    </div>
  );
}

const titles = (one: Known) => [...one.titles, ...one.roles.filter((role) => !one.titles.includes(role))].join('; ');

const addresses = (one: Known) =>
  Object.entries(one.addresses)
    .map(([channel, address]) => `${channel}: ${address}`)
    .join('; ');
