import { Button } from 'antd';
import { useState } from 'react';

import { api } from '../../api/client';
import { useAction } from '../../api/use';
import { useT } from '../../i18n';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import { span } from '../../parts/time';
import type { DraftRun } from './shapes';

/** Whether the draft's model answers, and how fast. */
export function TestModel({ agent, ready }: { agent: string; ready: boolean }) {
  const t = useT();
  const [seen, setSeen] = useState<{ ok: boolean; words: string }>();
  const test = useAction(async () => {
    const started = performance.now();
    const run = await api.post<DraftRun>(`/api/agents/${agent}/draft/try`, { text: t('agents.testWords') });
    const ok = run.status !== 'failed';
    return { ok, words: ok ? t('agents.testFine', { ms: span(performance.now() - started) }) : run.text || run.failure };
  });
  return (
    <>
      <Button size="small" loading={test.busy} disabled={!ready} onClick={() => void test.run().then(setSeen)}>
        {t('agents.test')}
      </Button>
      <span aria-live="polite">{seen && <StateTag state={seen.ok ? 'ok' : 'failed'} word={seen.words} />}</span>
      {test.problem && <ProblemView problem={test.problem} compact />}
    </>
  );
}
