/** What can be done with a draft, each in a window of its own. */
import { Button, Drawer, Input, Modal } from 'antd';
import { useState } from 'react';

import { api } from '../../api/client';
import { useAction, useGet } from '../../api/use';
import { useT } from '../../i18n';
import { Diff } from '../../parts/Diff';
import { Loading } from '../../parts/Loading';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import { useConfirm } from '../../parts/useConfirm';
import { When } from '../../parts/When';
import { changes, type TextFile, type Version } from './shapes';

interface Sides {
  path: string;
  before: string;
  after: string;
}

function Diffs({ files }: { files: readonly Sides[] }) {
  const t = useT();
  if (files.length === 0) return <p className="soft">{t('work.noDifference')}</p>;
  return (
    <div className="stack">
      {files.map((one) => (
        <section key={one.path} className="tight">
          <h2 className="sub">
            <code>{one.path}</code>
          </h2>
          <Diff before={one.before} after={one.after} label={one.path} />
        </section>
      ))}
    </div>
  );
}

export function Difference({ files, onClose }: { files: readonly Sides[]; onClose: () => void }) {
  const t = useT();
  return (
    <Drawer open size={860} onClose={onClose} title={t('agents.differenceTitle')}>
      <Diffs files={files} />
    </Drawer>
  );
}

export function Publish(props: { agent: string; files: readonly Sides[]; onClose: () => void; onDone: () => void }) {
  const { agent, files, onClose, onDone } = props;
  const t = useT();
  const [note, setNote] = useState('');
  const publish = useAction(() => api.post<{ version: number }>(`/api/agents/${agent}/draft/publish`, { note }));
  return (
    <Modal
      open
      width={860}
      title={t('agents.publishTitle')}
      okText={t('agents.publish')}
      cancelText={t('parts.cancel')}
      okButtonProps={{ loading: publish.busy }}
      onOk={() => void publish.run().then((done) => done && onDone())}
      onCancel={onClose}
    >
      <div className="stack">
        <p>{t('agents.publishWhat')}</p>
        <div className="field">
          <label htmlFor="publish-note">{t('agents.note')}</label>
          <Input id="publish-note" maxLength={500} value={note} onChange={(event) => setNote(event.target.value)} />
        </div>
        {publish.problem && <ProblemView problem={publish.problem} />}
        <Diffs files={files} />
      </div>
    </Modal>
  );
}

export function History(props: {
  agent: string;
  now: readonly TextFile[];
  editable: boolean;
  onClose: () => void;
  onRestored: () => void;
}) {
  const { agent, now, editable, onClose, onRestored } = props;
  const t = useT();
  const { data, problem, loading, reload } = useGet<{ versions: Version[] }>(`/api/agents/${agent}/versions`);
  const [open, setOpen] = useState<number>();
  return (
    <Drawer open size={860} onClose={onClose} title={t('agents.history')}>
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {loading && <Loading />}
      {data?.versions.length === 0 && <p className="soft">{t('agents.noHistory')}</p>}
      <ol className="versions">
        {data?.versions.map((one) => (
          <li key={one.version} className="card tight">
            <div className="apart">
              <span className="row">
                <strong>{t('agents.version', { n: one.version })}</strong>
                {one.current && <StateTag state="active" word={t('agents.current')} />}
                <span className="soft">
                  {one.by} · <When at={one.at} />
                </span>
              </span>
              <Button size="small" aria-expanded={open === one.version} onClick={() => setOpen(open === one.version ? undefined : one.version)}>
                {t('agents.look')}
              </Button>
            </div>
            {one.note && <p className="prose">{one.note}</p>}
            {open === one.version && (
              <Past
                agent={agent}
                version={one}
                now={now}
                editable={editable}
                onRestored={() => {
                  reload();
                  onRestored();
                }}
              />
            )}
          </li>
        ))}
      </ol>
    </Drawer>
  );
}

/** How the folder differs from a version, and the way back to it. */
function Past(props: { agent: string; version: Version; now: readonly TextFile[]; editable: boolean; onRestored: () => void }) {
  const { agent, version, now, editable, onRestored } = props;
  const t = useT();
  const confirm = useConfirm();
  const path = `/api/agents/${agent}/versions/${version.version}`;
  const { data, problem } = useGet<{ files: TextFile[] }>(path);
  const restore = useAction(() => api.post<{ version: number }>(`${path}/restore`, {}));
  const act = async () => {
    const sure = await confirm({ title: t('agents.restoreTitle', { n: version.version }), ok: t('agents.restore'), danger: true });
    if (sure && (await restore.run())) onRestored();
  };
  return (
    <div className="stack">
      {problem && <ProblemView problem={problem} compact />}
      {!data && !problem && <Loading />}
      {data && <p className="soft">{t('agents.sinceThen')}</p>}
      {data && <Diffs files={changes(now, data.files)} />}
      {editable && !version.current && (
        <Button danger loading={restore.busy} style={{ justifySelf: 'start' }} onClick={() => void act()}>
          {t('agents.restore')}
        </Button>
      )}
      {restore.problem && <ProblemView problem={restore.problem} />}
    </div>
  );
}
