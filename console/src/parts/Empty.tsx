import { InboxOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';

import './parts.css';

/** Where nothing is: why, and what to do about it. */
export function Empty({
  title,
  hint,
  icon,
  children,
}: {
  title: string;
  hint?: string;
  icon?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="empty">
      <span className="empty-icon" aria-hidden="true">
        {icon ?? <InboxOutlined />}
      </span>
      <p className="empty-title">{title}</p>
      {hint && <p className="empty-hint">{hint}</p>}
      {children}
    </div>
  );
}
