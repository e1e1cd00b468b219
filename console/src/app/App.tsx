import { lazy, Suspense } from 'react';
import { BrowserRouter, Navigate, Route, Routes, useLocation } from 'react-router';

import { Loading } from '../parts/Loading';
import { ProblemView } from '../parts/ProblemView';
import { Fault } from './Fault';
import { routes } from './routes';
import { entered, SessionProvider, useSession } from './session';
import { Shell } from './Shell';
import { ThemeProvider } from './theme';
import './app.css';

// who has signed in needs no form
const SignIn = lazy(async () => ({ default: (await import('./SignIn')).SignIn }));

export function App() {
  return (
    <ThemeProvider>
      <SessionProvider>
        <BrowserRouter>
          <Gate />
        </BrowserRouter>
      </SessionProvider>
    </ThemeProvider>
  );
}

/** Pages for those who have signed in; signing in for the others, at the same address. */
function Gate() {
  const { session, problem, reload } = useSession();
  const { pathname } = useLocation();
  if (session === undefined) {
    return (
      <main className="alone">
        {problem ? <ProblemView problem={problem} onRetry={reload} /> : <Loading />}
      </main>
    );
  }
  const invited = /^\/(setup|invite)\//.test(pathname) && !session.signed_in;
  if (invited || !entered(session)) {
    return (
      <Suspense fallback={null}>
        <SignIn />
      </Suspense>
    );
  }
  return (
    <Shell>
      <Fault at={pathname}>
        <Suspense fallback={<Loading />}>
          <Routes>
            {routes.map(({ path, page: Page }) => (
              <Route key={path} path={path} element={<Page />} />
            ))}
            <Route path="*" element={<Navigate to="/chat" replace />} />
          </Routes>
        </Suspense>
      </Fault>
    </Shell>
  );
}
