import type { AgentShape, Source } from '../../api/types';
import { useLanguage, useT, type TextKey } from '../../i18n';
import type { Mark } from './useRun';
import { usePointing } from './useRun';
import { isFilled, leaves, parameterTitle, toolOf, valueText } from './values';

const SOURCES: Record<Source['kind'], TextKey> = {
  user: 'chat.fromUser',
  tool: 'chat.fromTool',
  context: 'chat.fromContext',
  directory: 'chat.fromDirectory',
  default: 'chat.fromDefault',
  model: 'chat.fromModel',
};
import './trace.css';

interface Props {
  agent: AgentShape | undefined;
  tool: string;
  values: Record<string, unknown>;
  sources: Record<string, Source>;
  tainted: readonly string[];
  markOf: (source: Source) => Mark | null;
}

/**
 * A call's values by name, each with where it came from; pointing at one marks the words. What the
 * engine fills in stands apart.
 */
export function Arguments(props: Props) {
  const t = useT();
  const shape = toolOf(props.agent, props.tool);
  const all = leaves(props.values).filter(([, value]) => valueText(value) !== '');
  const filled = (path: string) => isFilled(shape, path, props.sources[path]);
  const given = all.filter(([path]) => !filled(path));
  const others = all.filter(([path]) => filled(path));
  return (
    <>
      {given.length > 0 ? <Values {...props} shown={given} /> : <p className="soft">{t('chat.noArguments')}</p>}
      {others.length > 0 && (
        <details className="filled">
          <summary>{t('chat.filled', { n: others.length })}</summary>
          <Values {...props} shown={others} />
        </details>
      )}
    </>
  );
}

function Values(props: Props & { shown: [string, unknown][] }) {
  const { agent, tool, sources, tainted, markOf, shown } = props;
  const t = useT();
  const { language } = useLanguage();
  const { point } = usePointing();
  const shape = toolOf(agent, tool);
  return (
    <dl className="arguments">
      {shown.map(([path, value]) => {
        const source = sources[path];
        const mark = source ? markOf(source) : null;
        const pointing = mark
          ? {
              tabIndex: 0,
              onMouseEnter: () => point(mark),
              onMouseLeave: () => point(null),
              onFocus: () => point(mark),
              onBlur: () => point(null),
            }
          : {};
        return (
          <div key={path}>
            <dt title={path}>{parameterTitle(shape, path, language)}</dt>
            <dd>
              <span className="value">{valueText(value)}</span>
              {source && (
                <span className={mark ? 'source pointing' : 'source'} {...pointing}>
                  {t(SOURCES[source.kind], { tool: source.tool ?? '' })}
                </span>
              )}
              {(tainted.includes(path) || source?.tainted) && (
                <span className="source tone-bad">{t('chat.untrusted')}</span>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
