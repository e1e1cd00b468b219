import { Link } from 'react-router';

import type { AgentShape } from '../../api/types';
import { useGet } from '../../api/use';
import { useT } from '../../i18n';
import { Empty } from '../../parts/Empty';
import { Loading } from '../../parts/Loading';
import { Page, PageHeader } from '../../parts/PageHeader';
import { ProblemView } from '../../parts/ProblemView';
import { StateTag } from '../../parts/StateTag';
import './agents.css';

/** The agents of this server. */
export default function Agents() {
  const t = useT();
  const { data, problem, loading, reload } = useGet<{ agents: AgentShape[] }>('/api/agents');
  return (
    <Page wide>
      <PageHeader title={t('shell.agents')} hint={t('agents.hint')} />
      {problem && <ProblemView problem={problem} onRetry={reload} />}
      {loading && <Loading />}
      {data?.agents.length === 0 && <Empty title={t('agents.none')} />}
      <ul className="agent-cards">
        {data?.agents.map((one) => (
          <li key={one.agent} className="card tight">
            <div className="apart">
              <h2>
                <Link to={`/agents/${one.agent}`}>{one.title}</Link>
              </h2>
              <code className="soft">{one.agent}</code>
            </div>
            <dl className="facts">
              <dt>{t('agents.model')}</dt>
              <dd>{one.model}</dd>
              <dt>{t('agents.zone')}</dt>
              <dd>{one.timezone}</dd>
              <dt>{t('agents.sources')}</dt>
              <dd className="row">
                {one.sources.map((source) => (
                  <StateTag
                    key={source.name}
                    state={source.state === 'ready' ? 'ok' : source.state === 'starting' ? 'running' : 'failed'}
                    word={source.state === 'ready' ? source.name : `${source.name}: ${source.state}`}
                  />
                ))}
              </dd>
            </dl>
            <div className="row">
              <Link to={`/tools?agent=${one.agent}`}>{t('agents.tools', { n: one.tools.length })}</Link>
              <Link to={`/intents?agent=${one.agent}`}>{t('shell.intents')}</Link>
              <Link to={`/chat?agent=${one.agent}`}>{t('agents.chat')}</Link>
              <Link to={`/agents/${one.agent}`}>{t('agents.edit')}</Link>
            </div>
          </li>
        ))}
      </ul>
    </Page>
  );
}
