/** Parts of an agent file: a top-level key with all that belongs to it. Lines count from 0. */

export interface Section {
  start: number;
  /** Behind its last line. */
  end: number;
}

const TOP = /^["']?([A-Za-z_][\w-]*)["']?\s*:/;

/** Where the section of a key stands; undefined when the file has none. */
export function sectionOf(text: string, key: string): Section | undefined {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => TOP.exec(line)?.[1] === key);
  if (start < 0) return undefined;
  let end = start + 1;
  while (end < lines.length && !TOP.test(lines[end] ?? '') && !/^(---|\.\.\.)/.test(lines[end] ?? '')) end += 1;
  // what stands right before the next key is about that one
  while (end > start + 1 && end < lines.length && /^(#.*|\s*)$/.test(lines[end - 1] ?? '')) end -= 1;
  return { start, end };
}

/** The text of a section. */
export function textOf(text: string, section: Section): string {
  return text.split('\n').slice(section.start, section.end).join('\n');
}

/** The file with another text in the section's place; appended when it has none. */
export function withSection(text: string, section: Section | undefined, next: string): string {
  const lines = text.split('\n');
  if (section === undefined) return `${text.replace(/\n*$/, '')}\n\n${next.replace(/\n*$/, '')}\n`;
  return [...lines.slice(0, section.start), ...next.split('\n'), ...lines.slice(section.end)].join('\n');
}

/** The file that holds the prompt, as the agent file names it. */
export function promptFile(text: string, paths: readonly string[]): string | undefined {
  const named = /^instructions:\s*["']?([^"'\n#]+?)["']?\s*(?:#.*)?$/m.exec(text)?.[1];
  return paths.find((path) => path === named) ?? paths.find((path) => path.startsWith('prompts/'));
}
