/** Who is signed in, and what he may do. */
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  type ReactNode,
} from 'react';

import { channel } from '../api/channel';
import { api, onSessionEnd, problemOf, setCsrf, type Problem } from '../api/client';
import { useLanguage, type Language } from '../i18n';
import { forgetAll, keepFor } from './storage';

export type Role = 'user' | 'approver' | 'operator' | 'admin';

/** What GET /api/session answers. */
export interface Session {
  signed_in: boolean;
  sign_in_required: boolean;
  set_up: 'needed' | 'done';
  login: string | null;
  name: string | null;
  roles: string[];
  language: Language | null;
  timezone: string | null;
  csrf: string | null;
  oidc: { name: string } | null;
  version: string;
}

export interface Credentials {
  login: string;
  password: string;
}

interface Current {
  session: Session | undefined;
  problem: Problem | undefined;
  /** The session ended while somebody worked; he comes back to where he was. */
  expired: boolean;
  /** Whether the user may do what the role may; an admin may do all. */
  may: (role: Role) => boolean;
  signIn: (credentials: Credentials) => Promise<void>;
  setUp: (first: Credentials & { code: string; name: string }) => Promise<void>;
  accept: (code: string, password: string) => Promise<void>;
  signOut: () => Promise<void>;
  change: (changes: Partial<Pick<Session, 'language' | 'timezone' | 'name'>>) => Promise<void>;
  reload: () => void;
}

const Context = createContext<Current | null>(null);

/** Whether somebody may use the pages: he has signed in, or the server wants no sign-in. */
export function entered(session: Session): boolean {
  return session.signed_in || !session.sign_in_required;
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<Session>();
  const [problem, setProblem] = useState<Problem>();
  const [expired, setExpired] = useState(false);
  const { language, setLanguage } = useLanguage();

  const take = useCallback(
    (next: Session) => {
      setCsrf(next.csrf);
      if (entered(next)) {
        keepFor(next.login ?? 'local');
        setExpired(false);
      }
      setProblem(undefined);
      setSession(next);
    },
    [],
  );
  useEffect(() => {
    const wanted = session?.language;
    if (wanted && wanted !== language) void setLanguage(wanted);
    // only when the session says so: a choice made here is sent there first
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [session?.language]);

  const reload = useCallback(() => {
    api
      .get<Session>('/api/session')
      .then(take)
      .catch((fault: unknown) => setProblem(problemOf(fault)));
  }, [take]);
  useEffect(reload, [reload]);
  useEffect(() => {
    onSessionEnd(() => {
      channel.close();
      setExpired(true);
      setSession((former) => former && { ...former, signed_in: false, sign_in_required: true });
      reload();
    });
  }, [reload]);

  const signIn = useCallback<Current['signIn']>(
    async (credentials) => take(await api.post<Session>('/api/session', credentials)),
    [take],
  );
  const setUp = useCallback<Current['setUp']>(
    async (first) => take(await api.post<Session>('/api/setup', first)),
    [take],
  );
  const accept = useCallback<Current['accept']>(
    async (code, password) => {
      await api.post(`/api/invitations/${encodeURIComponent(code)}`, { password });
      take(await api.get<Session>('/api/session'));
    },
    [take],
  );
  const signOut = useCallback<Current['signOut']>(async () => {
    await api.del('/api/session');
    forgetAll();
    location.replace('/'); // nothing in memory outlives it either
  }, []);
  const change = useCallback<Current['change']>(
    async (changes) => take(await api.patch<Session>('/api/session', changes)),
    [take],
  );
  const may = useCallback(
    (role: Role) => session?.roles.some((one) => one === role || one === 'admin') ?? false,
    [session],
  );
  const value = useMemo(
    () => ({ session, problem, expired, may, signIn, setUp, accept, signOut, change, reload }),
    [session, problem, expired, may, signIn, setUp, accept, signOut, change, reload],
  );
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

export function useSession(): Current {
  const current = useContext(Context);
  if (current === null) throw new Error('SessionProvider is missing');
  return current;
}

/** The viewer's time zone; undefined for the browser's. */
export function useZone(): string | undefined {
  return useSession().session?.timezone ?? undefined;
}

/** The name of the viewer's time zone. */
export function useZoneName(): string {
  const zone = useZone();
  return zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}
