import { Button, Input } from 'antd';
import { useState } from 'react';

import { api } from '../../api/client';
import { useAction } from '../../api/use';
import { useLanguage, useT } from '../../i18n';
import { Markdown } from '../../parts/Markdown';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag, Tag } from '../../parts/StateTag';
import type { DraftRun } from './shapes';

interface Turn {
  said: string;
  run: DraftRun;
}

/** Talk to the draft. Nothing is kept, and nothing outside is changed. */
export function Preview({ agent, ready }: { agent: string; ready: boolean }) {
  const t = useT();
  const { language } = useLanguage();
  const [text, setText] = useState('');
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const say = useAction((words: string) =>
    api.post<DraftRun>(`/api/agents/${agent}/draft/try?language=${language}`, {
      text: words,
      conversation: turns.at(-1)?.run.conversation ?? '',
    }),
  );
  const send = () => {
    const words = text.trim();
    if (!words || !ready || say.busy) return;
    void say.run(words).then((run) => {
      if (run === undefined) return;
      setTurns((former) => [...former, { said: words, run }]);
      setText('');
    });
  };
  return (
    <aside className="card stack preview" aria-label={t('agents.preview')}>
      <div className="apart">
        <h2>{t('agents.preview')}</h2>
        <Button size="small" disabled={turns.length === 0} onClick={() => setTurns([])}>
          {t('agents.anew')}
        </Button>
      </div>
      <p className="soft">{t('agents.previewHint')}</p>
      <ol className="preview-turns" aria-live="polite">
        {turns.map(({ said, run }, n) => (
          <li key={n} className="tight">
            <p className="preview-said prose">{said}</p>
            <div className="row">
              <StateTag state={run.status} word={t(`runs.${run.status as 'done'}`)} />
              {run.intents.map((one) => (
                <Tag key={one} tone="info">{one}</Tag>
              ))}
              {run.calls.map((call) => (
                <Tag key={call.call}>{call.tool}</Tag>
              ))}
            </div>
            {run.not_run.length > 0 && <p className="soft">{t('agents.notRun', { names: run.not_run.join(', ') })}</p>}
            <Markdown text={run.text} />
          </li>
        ))}
      </ol>
      {say.problem && <ProblemView problem={say.problem} compact />}
      <div className="tight">
        <Input.TextArea
          value={text}
          aria-label={t('agents.say')}
          placeholder={t('agents.say')}
          autoSize={{ minRows: 2, maxRows: 6 }}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <Button type="primary" loading={say.busy} disabled={!text.trim() || !ready} onClick={send} style={{ justifySelf: 'end' }}>
          {t('agents.send')}
        </Button>
      </div>
    </aside>
  );
}
