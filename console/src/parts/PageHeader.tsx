import { useEffect, type ReactNode } from 'react';

import './parts.css';
import './work.css';

/** The head of a page: its one `h1`, what it is for, and what can be done on it. */
export function PageHeader({
  title,
  hint,
  actions,
}: {
  title: string;
  hint?: string;
  actions?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Pointsman`;
  }, [title]);
  return (
    <header className="page-header">
      <div>
        <h1>{title}</h1>
        {hint && <p>{hint}</p>}
      </div>
      {actions && <div className="page-actions">{actions}</div>}
    </header>
  );
}

/** The body of a page with ordinary margins. */
export function Page({ children, wide = false }: { children: ReactNode; wide?: boolean }) {
  return <div className={wide ? 'page wide' : 'page'}>{children}</div>;
}
