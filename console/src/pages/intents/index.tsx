import { Button, Collapse, Input, Select } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';

import { api } from '../../api/client';
import type { AgentShape, IntentShape } from '../../api/types';
import { useAction, useGet } from '../../api/use';
import { useSession } from '../../app/session';
import { useLanguage, useT, useTitle } from '../../i18n';
import { Empty } from '../../parts/Empty';
import { Loading } from '../../parts/Loading';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { ScoreBar } from '../../parts/ScoreBar';
import { StateTag, Tag } from '../../parts/StateTag';
import { useConfirm } from '../../parts/useConfirm';
import { useFilters } from '../../parts/useFilters';
import { usePages } from '../../parts/usePages';
import { When } from '../../parts/When';
import './intents.css';

interface Classified {
  scores: { intent: string; title: IntentShape['title']; score: number; accept: number; ask: number }[];
  by: string;
  decision: 'tools' | 'ask' | 'answer';
  intents: string[];
  tools: string[];
  candidates: string[];
  question: string;
  why: string;
}

interface Confusion {
  run: string;
  at: string;
  text: string;
  taken: string[];
  meant: string[];
  kind: 'picked' | 'reworded';
  correction: string;
  corrected: string;
  user: string;
}

interface IntentList {
  intents: IntentShape[];
  classifier: string | null;
}

/** What an agent understands, and where it did not. */
export default function Intents() {
  const t = useT();
  const filters = useFilters(['agent']);
  const { data: known, problem, reload } = useGet<{ agents: AgentShape[] }>('/api/agents');
  const agents = known?.agents ?? [];
  const agent = filters.get('agent') || (agents[0]?.agent ?? '');
  return (
    <Page wide>
      <PageHeader
        title={t('shell.intents')}
        hint={t('intents.hint')}
        actions={
          <Select
            aria-label={t('work.agent')}
            style={{ minWidth: 180 }}
            value={agent || undefined}
            onChange={(next) => filters.set({ agent: next })}
            options={agents.map((one) => ({ value: one.agent, label: one.title }))}
          />
        }
      />
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {!known && !problem && <Loading />}
      {agent && <OfAgent key={agent} agent={agent} />}
    </Page>
  );
}

function OfAgent({ agent }: { agent: string }) {
  const t = useT();
  const { data, problem, loading, reload, set } = useGet<IntentList>(`/api/agents/${agent}/intents`);
  if (problem) return <ProblemView problem={problem} onRetry={reload} />;
  if (loading || data === undefined) return <Loading rows={8} />;
  if (data.intents.length === 0) return <Empty title={t('intents.open')} hint={t('intents.openHint')} />;
  const added = (intent: IntentShape) =>
    set((former) => ({ ...former, intents: former.intents.map((one) => (one.intent === intent.intent ? intent : one)) }));
  return (
    <div className="stack">
      <Trial agent={agent} list={data} onAdded={added} />
      <Confusions agent={agent} intents={data.intents} onAdded={added} />
      <List intents={data.intents} />
    </div>
  );
}

function useNames(intents: readonly IntentShape[]): (intent: string) => string {
  const titleOf = useTitle();
  return (intent) => titleOf(intents.find((one) => one.intent === intent)?.title) || intent;
}

function Trial({ agent, list, onAdded }: { agent: string; list: IntentList; onAdded: (intent: IntentShape) => void }) {
  const t = useT();
  const titleOf = useTitle();
  const nameOf = useNames(list.intents);
  const { language } = useLanguage();
  const filters = useFilters(['text']);
  const [text, setText] = useState(filters.get('text'));
  const [said, setSaid] = useState<{ text: string; found: Classified }>();
  const classify = useAction((sentence: string) =>
    api.post<Classified>(`/api/agents/${agent}/classify?language=${language}`, { text: sentence }),
  );
  const go = () => {
    const sentence = text.trim();
    if (!sentence) return;
    filters.set({ text: sentence });
    void classify.run(sentence).then((found) => found && setSaid({ text: sentence, found }));
  };
  const found = said?.found;
  return (
    <section className="card stack">
      <h2>{t('intents.try')}</h2>
      <Input.Search
        value={text}
        aria-label={t('intents.sentence')}
        placeholder={t('intents.sentenceHint')}
        enterButton={t('intents.go')}
        loading={classify.busy}
        onChange={(event) => setText(event.target.value)}
        onSearch={go}
      />
      {classify.problem && <ProblemView problem={classify.problem} compact />}
      {found && (
        <div className="stack" aria-live="polite">
          <div className="row">
            <StateTag
              state={found.decision === 'tools' ? 'ok' : found.decision === 'ask' ? 'asking' : 'pending'}
              word={t(`intents.decides_${found.decision}`)}
            />
            {found.intents.map((one) => (
              <Tag key={one} tone="good">{nameOf(one)}</Tag>
            ))}
            {found.candidates.map((one) => (
              <Tag key={one} tone="wait">{nameOf(one)}</Tag>
            ))}
            <span className="soft">{t('intents.by', { by: found.by })}</span>
            <span className="soft">{found.why}</span>
          </div>
          {found.question && <blockquote className="prose intent-question">{found.question}</blockquote>}
          {found.tools.length > 0 && (
            <div className="row">
              <span className="soft">{t('intents.tools')}</span>
              {found.tools.map((one) => (
                <code key={one}>{one}</code>
              ))}
            </div>
          )}
          <ul className="intent-scores" aria-label={t('intents.scores')}>
            {found.scores.map((one) => (
              <li key={one.intent}>
                <span className="cut" title={one.intent}>{titleOf(one.title) || one.intent}</span>
                <ScoreBar
                  score={one.score}
                  label={titleOf(one.title) || one.intent}
                  thresholds={[
                    { at: one.ask, label: t('intents.ask') },
                    { at: one.accept, label: t('intents.accept') },
                  ]}
                />
                <AddExample agent={agent} intent={one.intent} text={said.text} onAdded={onAdded} />
              </li>
            ))}
          </ul>
          <p className="soft">{t('intents.lines')}</p>
        </div>
      )}
    </section>
  );
}

/** One click to let a sentence be an example of an intent. It is published at once. */
function AddExample(props: { agent: string; intent: string; text: string; onAdded: (intent: IntentShape) => void }) {
  const { agent, intent, text, onAdded } = props;
  const t = useT();
  const confirm = useConfirm();
  const titleOf = useTitle();
  const { may } = useSession();
  const [done, setDone] = useState(false);
  const add = useAction(() =>
    api.post<{ intent: IntentShape }>(`/api/agents/${agent}/intents/${encodeURIComponent(intent)}/examples`, { text }),
  );
  if (!may('admin')) return null;
  const act = async () => {
    const sure = await confirm({ title: t('intents.addTitle'), content: <p className="prose">“{text}” → {intent}</p>, ok: t('intents.add') });
    const made = sure ? await add.run() : undefined;
    if (made === undefined) return;
    setDone(true);
    onAdded(made.intent);
  };
  return (
    <>
      {done ? (
        <StateTag state="ok" word={t('intents.added')} />
      ) : (
        <Button size="small" loading={add.busy} aria-label={t('intents.addTo', { intent: titleOf(intent) })} onClick={() => void act()}>
          {t('intents.add')}
        </Button>
      )}
      {add.problem && <ProblemView problem={add.problem} compact />}
    </>
  );
}

function Confusions({ agent, intents, onAdded }: { agent: string; intents: readonly IntentShape[]; onAdded: (intent: IntentShape) => void }) {
  const t = useT();
  const nameOf = useNames(intents);
  const pages = usePages<Confusion>(`/api/agents/${agent}/confusions`, 'confusions', {}, 20);
  const names = (list: readonly string[]) => list.map(nameOf).join(', ') || '—';
  return (
    <section className="card stack">
      <h2>{t('intents.confusions')}</h2>
      {pages.problem && <ProblemView problem={pages.problem} onRetry={pages.reload} compact />}
      {pages.rows.length === 0 && !pages.loading && !pages.problem && <p className="soft">{t('intents.noConfusions')}</p>}
      {pages.rows.length > 0 && (
        <ul className="intent-confusions">
          {pages.rows.map((one) => (
            <li key={one.run}>
              <div className="tight">
                <q className="prose">{one.text}</q>
                <span className="soft">
                  {t(one.kind === 'picked' ? 'intents.picked' : 'intents.reworded', { correction: one.correction })}
                </span>
              </div>
              <div className="row">
                <Tag tone="bad">{names(one.taken)}</Tag> → <Tag tone="good">{names(one.meant)}</Tag>
                <span className="soft">
                  {one.user} · <When at={one.at} />
                </span>
                <Link to={`/runs/${one.run}`}>{t('work.run')}</Link>
                {one.meant[0] && <AddExample agent={agent} intent={one.meant[0]} text={one.text} onAdded={onAdded} />}
              </div>
            </li>
          ))}
        </ul>
      )}
      {pages.more && (
        <Button loading={pages.loading} onClick={pages.next}>
          {t('parts.more')}
        </Button>
      )}
    </section>
  );
}

function List({ intents }: { intents: readonly IntentShape[] }) {
  const t = useT();
  const titleOf = useTitle();
  return (
    <section className="stack">
      <h2 className="intent-head">{t('intents.all', { n: intents.length })}</h2>
      <Collapse
        items={intents.map((one) => ({
          key: one.intent,
          label: (
            <span className="row">
              <strong>{titleOf(one.title) || one.intent}</strong>
              <code className="soft">{one.intent}</code>
              <span className="soft">{t('intents.examplesN', { n: one.examples.length })}</span>
            </span>
          ),
          children: (
            <div className="stack">
              <p className="prose">{one.description}</p>
              <div className="row">
                <span className="soft">
                  {t('intents.ask')} {one.ask.toFixed(2)} · {t('intents.accept')} {one.accept.toFixed(2)}
                </span>
                {one.tools.map((tool) => (
                  <Link key={tool} to={`/tools?q=${encodeURIComponent(tool)}`}>
                    {tool}
                  </Link>
                ))}
              </div>
              <ul className="intent-examples">
                {one.examples.map((example, n) => (
                  <li key={n}>{example}</li>
                ))}
              </ul>
            </div>
          ),
        }))}
      />
    </section>
  );
}
