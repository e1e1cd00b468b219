/** Tools' parameters and their values, in words. */
import type { AgentShape, JsonSchema, RunRow, Source, ToolShape } from '../../api/types';
import type { Language } from '../../i18n';
import type { Mark } from './useRun';

export function toolOf(agent: AgentShape | undefined, name: string): ToolShape | undefined {
  return agent?.tools.find((one) => one.name === name);
}

/** The schema of a parameter by its dotted path; a number in it is a place in a list. */
export function schemaOf(tool: ToolShape | undefined, path: string): JsonSchema | undefined {
  let schema: JsonSchema | undefined = tool?.parameters;
  for (const part of path.split('.')) {
    schema = /^\d+$/.test(part) ? schema?.items : schema?.properties?.[part];
  }
  return schema;
}

/** What a parameter is called, in the viewer's language. */
export function parameterTitle(tool: ToolShape | undefined, path: string, language: Language): string {
  const place = /^(.+)\.(\d+)$/.exec(path);
  if (place?.[1] !== undefined) {
    const list = parameterTitle(tool, place[1], language);
    return place[2] === '0' ? list : `${list} ${Number(place[2]) + 1}`;
  }
  const schema = schemaOf(tool, path);
  const own = schema?.['x-title']?.[language] ?? schema?.title;
  const outer = path.includes('.') ? parameterTitle(tool, path.slice(0, path.lastIndexOf('.')), language) : '';
  return own ?? (outer ? `${outer} · ${path.slice(path.lastIndexOf('.') + 1)}` : path);
}

/** Whether the engine has put the value in, which neither the user nor the model gives. */
export function isFilled(tool: ToolShape | undefined, path: string, source: Source | undefined): boolean {
  const known = tool?.parameters.properties;
  return source?.kind === 'context' || (known !== undefined && !((path.split('.')[0] ?? '') in known));
}

/** The leaves of a value with their dotted paths, in order. */
export function leaves(value: unknown, path = ''): [string, unknown][] {
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value);
    if (entries.length > 0) {
      return entries.flatMap(([key, one]) => leaves(one, path ? `${path}.${key}` : key));
    }
  }
  return path ? [[path, value]] : [];
}

/** A leaf as text. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The answer to a question for missing values, as a user would write it. */
export function answerText(given: readonly [string, string][], language: Language): string {
  const filled = given.filter(([, value]) => value.trim() !== '');
  if (filled.length === 1 && given.length === 1) return filled[0]?.[1].trim() ?? '';
  const [colon, between] = language === 'zh' ? ['：', '；'] : [': ', '; '];
  return filled.map(([title, value]) => `${title}${colon}${value.trim()}`).join(between);
}

/**
 * The user's words that a value came from, in which run; null when they cannot be told. `messages`
 * are those of the conversation's ended runs, `rows` its runs, newest first.
 */
export function markOf(
  source: Source,
  run: string,
  rows: readonly RunRow[],
  messages: readonly { role: string; text?: string }[],
): Mark | null {
  const { kind, message = -1, start = 0, end = 0 } = source;
  if (kind !== 'user' || message < 0 || end <= start) return null;
  const from = rows.findIndex((one) => one.run === run);
  if (from < 0) return null;
  const said = messages[message];
  const earlier = said?.role === 'user' ? rows.slice(from).find((one) => one.input === said.text) : undefined;
  const row = said === undefined ? rows[from] : earlier;
  if (row === undefined || Array.from(row.input).length < end) return null;
  return { run: row.run, start, end };
}
