export interface TextFile {
  path: string;
  text: string;
}

export interface AgentFiles {
  agent: string;
  files: TextFile[];
  version: string;
  left_out: string[];
}

export interface Draft {
  agent: string;
  files: TextFile[];
  base: string;
  stale: boolean;
  by: string | null;
  at: string | null;
}

export interface Fault {
  file: string;
  line: number | null;
  field: string;
  message: string;
  hint: string;
}

export interface Version {
  version: number;
  at: string;
  by: string;
  note: string;
  digest: string;
  current: boolean;
}

export interface DraftRun {
  run: string;
  conversation: string;
  status: string;
  text: string;
  failure: string;
  usage: { total: number };
  calls: { call: string; tool: string; stage: string; status: string | null; content: string | null }[];
  not_run: string[];
  intents: string[];
  said: string[];
}

/** Both sides of every file that differs. */
export function changes(before: readonly TextFile[], after: readonly TextFile[]): { path: string; before: string; after: string }[] {
  const paths = [...new Set([...before, ...after].map((one) => one.path))].sort();
  const of = (files: readonly TextFile[], path: string) => files.find((one) => one.path === path)?.text ?? '';
  return paths
    .map((path) => ({ path, before: of(before, path), after: of(after, path) }))
    .filter((one) => one.before !== one.after);
}
