/** Requests to the server. Every fault is a `ProblemError`, also that of a lost connection. */

/** One thing that is wrong in a request. */
export interface FieldProblem {
  field: string;
  problem: string;
}

/** A problem document (RFC 9457). `status` is 0 when the server could not be reached. */
export interface Problem {
  title: string;
  status: number;
  detail: string;
  instance: string;
  request_id: string;
  code?: string;
  errors?: FieldProblem[];
  retry_after?: number;
  [extension: string]: unknown;
}

export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
  }
  get status(): number {
    return this.problem.status;
  }
}

/** What browsers say when a part of the console could not be loaded. */
const NOT_LOADED = /dynamically imported module|importing a module script failed|preload css/i;

/** The problem that stands for anything thrown. */
export function problemOf(fault: unknown): Problem {
  if (fault instanceof ProblemError) return fault.problem;
  if (fault instanceof Error && NOT_LOADED.test(fault.message)) return unreachable('');
  const detail = fault instanceof Error ? fault.message : String(fault);
  return { title: 'Error', status: -1, detail, instance: '', request_id: '' };
}

function unreachable(instance: string): Problem {
  return { title: 'Unreachable', status: 0, detail: '', instance, request_id: '' };
}

type Scalar = string | number | boolean | null | undefined;
export type Query = Record<string, Scalar | readonly Scalar[]>;

export interface Options {
  query?: Query;
  signal?: AbortSignal;
  /** Names the request: one that comes again under it does nothing more. */
  key?: string;
}

/** A new name for a request. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

let csrf = '';
let ended: () => void = () => undefined;

/** The session's token, sent with every request that may change something. */
export function setCsrf(token: string | null | undefined): void {
  csrf = token ?? '';
}

/** What to call when the server says that the session has ended. */
export function onSessionEnd(call: () => void): void {
  ended = call;
}

/** Tell the application that the session has ended. */
export function sessionEnded(): void {
  ended();
}

/** The path with its query; what is empty is left out. */
export function address(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? (value as readonly Scalar[]) : [value as Scalar]) {
      if (one !== undefined && one !== null && one !== '') search.append(name, String(one));
    }
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

async function request<T>(
  method: string,
  path: string,
  body: unknown,
  options: Options = {},
): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method !== 'GET' && csrf) headers['x-csrf-token'] = csrf;
  if (options.key) headers['idempotency-key'] = options.key;
  let response: Response;
  try {
    // eslint-disable-next-line no-restricted-globals -- the only place that asks the server
    response = await fetch(address(path, options.query), {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: options.signal ?? null,
      credentials: 'same-origin',
    });
  } catch (fault) {
    if (options.signal?.aborted) throw fault;
    throw new ProblemError(unreachable(path));
  }
  if (!response.ok) throw new ProblemError(await problemIn(response, path));
  if (response.status === 204) return undefined as T;
  const kind = response.headers.get('content-type') ?? '';
  const text = await response.text();
  return (kind.includes('json') && text ? JSON.parse(text) : text) as T;
}

async function problemIn(response: Response, path: string): Promise<Problem> {
  const plain: Problem = {
    title: response.statusText,
    status: response.status,
    detail: '',
    instance: path,
    request_id: response.headers.get('x-request-id') ?? '',
  };
  const retry = Number(response.headers.get('retry-after'));
  if (retry > 0) plain.retry_after = retry;
  let problem = plain;
  try {
    problem = { ...plain, ...((await response.json()) as Partial<Problem>) };
  } catch {
    // a proxy's page; what the status says must do
  }
  if (response.status === 401 && !path.startsWith('/api/session')) sessionEnded();
  return problem;
}

/** The server's API. `path` starts with `/api`; the answer is trusted to have the type named. */
export const api = {
  get: <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
    request<T>('GET', path, undefined, { ...(query && { query }), ...(signal && { signal }) }),
  post: <T>(path: string, body: unknown = {}, options?: Options): Promise<T> =>
    request<T>('POST', path, body, options),
  patch: <T>(path: string, body: unknown, options?: Options): Promise<T> =>
    request<T>('PATCH', path, body, options),
  put: <T>(path: string, body: unknown, options?: Options): Promise<T> =>
    request<T>('PUT', path, body, options),
  del: <T = undefined>(path: string, options?: Options): Promise<T> =>
    request<T>('DELETE', path, undefined, options),
};
