import { Button, Select, Tabs } from 'antd';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link, useParams } from 'react-router';

import { api, problemOf, type Problem } from '../../api/client';
import { useAction, useGet } from '../../api/use';
import { useSession } from '../../app/session';
import { useT } from '../../i18n';
import { CodeEditor } from '../../parts/CodeEditor';
import { Loading } from '../../parts/Loading';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import { useConfirm } from '../../parts/useConfirm';
import { useFilters } from '../../parts/useFilters';
import { usePhone } from '../../parts/useWidth';
import { When } from '../../parts/When';
import { Difference, History, Publish } from './deeds';
import { Preview } from './Preview';
import { promptFile, sectionOf, textOf, withSection } from './sections';
import { changes, type AgentFiles, type Draft, type Fault, type TextFile } from './shapes';
import { TestModel } from './TestModel';
import './agents.css';

const FILE = 'agent.yaml';
const SECTIONS = ['model', 'tools', 'intents', 'policy'] as const;
const TABS = ['prompt', ...SECTIONS, 'evaluation', 'files'] as const;
type Tab = (typeof TABS)[number];
const PAUSE = 900;

/** An agent's files as a draft: edit, check, try, publish, go back. */
export default function AgentEditor() {
  const { agent = '' } = useParams();
  const t = useT();
  const folder = useGet<AgentFiles>(`/api/agents/${agent}/files`);
  const draft = useGet<Draft>(`/api/agents/${agent}/draft`);
  const problem = folder.problem ?? draft.problem;
  return (
    <Page wide>
      {problem && (
        <>
          <PageHeader title={agent} />
          <ProblemView problem={problem} onRetry={folder.problem ? folder.reload : draft.reload} />
        </>
      )}
      {!problem && !(folder.data && draft.data) && (
        <>
          <PageHeader title={agent} hint={t('agents.editorHint')} />
          <Loading rows={10} />
        </>
      )}
      {folder.data && draft.data && (
        <Editing
          key={`${folder.data.version} ${draft.data.by ?? ''} ${draft.data.stale}`}
          agent={agent}
          folder={folder.data}
          draft={draft.data}
          onRenew={() => {
            folder.reload();
            draft.reload();
          }}
        />
      )}
    </Page>
  );
}

interface EditingProps {
  agent: string;
  folder: AgentFiles;
  draft: Draft;
  onRenew: () => void;
}

type Saving = 'saved' | 'changed' | 'saving';

function Editing({ agent, folder, draft, onRenew }: EditingProps) {
  const t = useT();
  const confirm = useConfirm();
  const editable = useSession().may('admin');
  const filters = useFilters(['tab', 'file', 'open']);
  const tab = TABS.find((one) => one === filters.get('tab')) ?? 'prompt';
  const [files, setFiles] = useState<readonly TextFile[]>(draft.files);
  const [faults, setFaults] = useState<Fault[]>();
  const [goTo, setGoTo] = useState<{ line: number }>();
  const { state, problem, changed } = useKeeping(agent, draft.base, files, setFaults);
  const discard = useAction(() => api.del(`/api/agents/${agent}/draft`).then(() => true));
  const different = useMemo(() => changes(folder.files, files), [folder.files, files]);
  const change = (path: string, text: string) => {
    setFiles((former) => former.map((one) => (one.path === path ? { path, text } : one)));
    changed();
  };
  const jump = (fault: Fault) => {
    filters.set({ tab: 'files', file: fault.file });
    if (fault.line !== null) setGoTo({ line: fault.line });
  };
  const drop = async () => {
    const sure = await confirm({ title: t('agents.discardTitle'), ok: t('agents.discard'), danger: true });
    if (sure && (await discard.run())) onRenew();
  };
  const open = filters.get('open');
  const phone = usePhone();
  const choose = (next: string) => filters.set({ tab: next === 'prompt' ? null : next });
  return (
    <>
      <PageHeader
        title={agent}
        hint={t('agents.editorHint')}
        actions={
          <>
            <Button onClick={() => filters.set({ open: 'history' })}>{t('agents.history')}</Button>
            <Button disabled={different.length === 0} onClick={() => filters.set({ open: 'difference' })}>
              {t('agents.difference', { n: different.length })}
            </Button>
            {editable && (draft.by !== null || different.length > 0) && (
              <Button danger loading={discard.busy} onClick={() => void drop()}>
                {t('agents.discard')}
              </Button>
            )}
            {editable && (
              <Button
                type="primary"
                disabled={different.length === 0 || state !== 'saved' || (faults?.length ?? 0) > 0}
                onClick={() => filters.set({ open: 'publish' })}
              >
                {t('agents.publish')}
              </Button>
            )}
          </>
        }
      />
      <div className="row editor-state" aria-live="polite">
        <Link to="/agents">{t('work.back')}</Link>
        {editable ? (
          <StateTag state={state === 'saved' ? 'ok' : state === 'saving' ? 'running' : 'pending'} word={t(`agents.is_${state}`)} />
        ) : (
          <StateTag state="off" word={t('agents.readOnly')} />
        )}
        {draft.by && (
          <span className="soft">
            {t('agents.draftBy', { who: draft.by })} {draft.at && <When at={draft.at} />}
          </span>
        )}
        {faults && (
          <StateTag
            state={faults.length === 0 ? 'ok' : 'failed'}
            word={faults.length === 0 ? t('agents.fine') : t('agents.faults', { n: faults.length })}
          />
        )}
      </div>
      {draft.stale && <p className="note tone-bad" role="alert">{t('agents.stale')}</p>}
      {problem && <ProblemView problem={problem} compact />}
      {discard.problem && <ProblemView problem={discard.problem} compact />}
      <div className="editor">
        <div className="tight">
          {phone ? (
            <Select aria-label={t('agents.parts')} value={tab} onChange={choose} options={TABS.map((value) => ({ value, label: t(`agents.tab_${value}`) }))} />
          ) : (
            <Tabs aria-label={t('agents.parts')} activeKey={tab} onChange={choose} items={TABS.map((key) => ({ key, label: t(`agents.tab_${key}`) }))} />
          )}
          <Part
            tab={tab}
            agent={agent}
            files={files}
            faults={faults ?? NO_FAULTS}
            file={filters.get('file')}
            onFile={(file) => filters.set({ file })}
            goTo={goTo}
            onChange={change}
            editable={editable}
            ready={state === 'saved'}
          />
          {faults && faults.length > 0 && <FaultList faults={faults} onJump={jump} />}
          {folder.left_out.length > 0 && <p className="soft">{t('agents.leftOut', { names: folder.left_out.join(', ') })}</p>}
        </div>
        {editable && <Preview agent={agent} ready={state === 'saved'} />}
      </div>
      {open === 'difference' && <Difference files={different} onClose={() => filters.set({ open: null })} />}
      {open === 'publish' && (
        <Publish
          agent={agent}
          files={different}
          onClose={() => filters.set({ open: null })}
          onDone={() => {
            filters.set({ open: null });
            onRenew();
          }}
        />
      )}
      {open === 'history' && (
        <History agent={agent} now={folder.files} editable={editable} onClose={() => filters.set({ open: null })} onRestored={onRenew} />
      )}
    </>
  );
}

const NO_FAULTS: Fault[] = [];

/** Keeps the draft on the server a moment after each change, and has it checked then. */
function useKeeping(agent: string, version: string, files: readonly TextFile[], onFaults: (faults: Fault[]) => void) {
  const [state, setState] = useState<Saving>('saved');
  const [problem, setProblem] = useState<Problem>();
  const [round, setRound] = useState(0);
  const latest = useRef({ files, onFaults });
  useEffect(() => {
    latest.current = { files, onFaults };
  });
  useEffect(() => {
    if (round === 0) return undefined;
    let over = false;
    const timer = setTimeout(() => {
      setState('saving');
      api
        .put(`/api/agents/${agent}/draft`, { files: latest.current.files, version })
        .then(() => {
          if (over) return undefined;
          setState('saved');
          setProblem(undefined);
          return api.post<{ faults: Fault[] }>(`/api/agents/${agent}/draft/check`, {});
        })
        .then((checked) => {
          if (!over && checked) latest.current.onFaults(checked.faults);
        })
        .catch((fault: unknown) => {
          if (over) return;
          setState((former) => (former === 'saving' ? 'changed' : former));
          setProblem(problemOf(fault));
        });
    }, PAUSE);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [round, agent, version]);
  const changed = () => {
    setState('changed');
    setRound((n) => n + 1);
  };
  return { state, problem, changed };
}

interface PartProps {
  tab: Tab;
  agent: string;
  files: readonly TextFile[];
  faults: readonly Fault[];
  file: string;
  onFile: (path: string) => void;
  goTo: { line: number } | undefined;
  onChange: (path: string, text: string) => void;
  editable: boolean;
  ready: boolean;
}

function Part(props: PartProps) {
  const { tab, agent, files, faults, onChange, editable } = props;
  const t = useT();
  const main = files.find((one) => one.path === FILE);
  const paths = files.map((one) => one.path);
  if (tab === 'files' || tab === 'evaluation' || tab === 'prompt') {
    const prompt = promptFile(main?.text ?? '', paths);
    const choices =
      tab === 'evaluation' ? paths.filter((path) => path.startsWith('evaluation/')) : tab === 'prompt' ? [prompt ?? FILE] : paths;
    const path = choices.find((one) => one === props.file) ?? choices[0];
    const file = files.find((one) => one.path === path);
    if (file === undefined) return <p className="soft">{t('agents.noFile')}</p>;
    return (
      <>
        <div className="row">
          {choices.length > 1 ? (
            <Select
              aria-label={t('agents.file')}
              style={{ minWidth: 240 }}
              value={file.path}
              onChange={props.onFile}
              options={choices.map((value) => ({ value, label: value }))}
            />
          ) : (
            <code>{file.path}</code>
          )}
          {tab === 'evaluation' && <Link to={`/evaluations?agent=${agent}`}>{t('agents.toEvaluations')}</Link>}
        </div>
        <CodeEditor
          key={file.path}
          label={file.path}
          value={file.text}
          readOnly={!editable}
          goTo={props.goTo}
          marks={marksOf(faults, file.path, 0)}
          onChange={(text) => onChange(file.path, text)}
        />
      </>
    );
  }
  if (main === undefined) return <p className="soft">{t('agents.noFile')}</p>;
  const section = sectionOf(main.text, tab);
  return (
    <>
      <div className="row">
        <code>{FILE}</code>
        <span className="soft">{t(`agents.about_${tab}`)}</span>
        {tab === 'model' && editable && <TestModel agent={agent} ready={props.ready} />}
      </div>
      {section ? (
        <CodeEditor
          key={tab}
          label={`${FILE}: ${tab}`}
          value={textOf(main.text, section)}
          readOnly={!editable}
          marks={marksOf(faults, FILE, section.start)}
          onChange={(text) => onChange(FILE, withSection(main.text, section, text))}
        />
      ) : (
        <p className="soft">
          {t('agents.noSection', { name: tab })}{' '}
          {editable && (
            <button className="link" onClick={() => onChange(FILE, withSection(main.text, undefined, `${tab}:`))}>
              {t('agents.addSection')}
            </button>
          )}
        </p>
      )}
    </>
  );
}

function marksOf(faults: readonly Fault[], path: string, offset: number) {
  return faults
    .filter((one) => one.file === path && one.line !== null && one.line > offset)
    .map((one) => ({ line: (one.line ?? 1) - offset, message: one.message }));
}

function FaultList({ faults, onJump }: { faults: readonly Fault[]; onJump: (fault: Fault) => void }) {
  const t = useT();
  return (
    <section className="problem" aria-label={t('agents.faults', { n: faults.length })}>
      <ul className="fault-list">
        {faults.map((one, n) => (
          <li key={n}>
            <button className="link" onClick={() => onJump(one)}>
              {one.file}
              {one.line !== null && `:${one.line}`}
            </button>{' '}
            {one.field && <code>{one.field}</code>} {one.message}
            {one.hint && <span className="soft"> — {one.hint}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
