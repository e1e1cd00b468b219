/** An empty conversation: what the agent is for, and four requests to begin with. */
import type { AgentShape } from '../../api/types';
import { useLanguage, useT } from '../../i18n';

export function Beginning(props: {
  agent: AgentShape | undefined;
  onPick: (text: string) => void;
}) {
  const { agent, onPick } = props;
  const t = useT();
  const { language } = useLanguage();
  if (agent === undefined) return null;
  const examples = (agent.examples?.[language] ?? []).slice(0, 4);
  return (
    <div className="beginning">
      <div className="welcome">
        <img src="/signal.svg" alt="" width={48} height={48} />
        <div>
          <h2>{agent.titles?.[language] ?? agent.title}</h2>
          <p>{t('chat.welcome')}</p>
        </div>
      </div>
      {examples.length > 0 && (
        <ul className="examples" aria-label={t('chat.examples')}>
          {examples.map((text) => (
            <li key={text}>
              <button type="button" onClick={() => onPick(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
