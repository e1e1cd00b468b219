import { ReloadOutlined, WarningFilled } from '@ant-design/icons';
import { Button } from 'antd';

import type { Problem } from '../api/client';
import { useT, type TextKey } from '../i18n';
import { useEngineWords } from '../i18n/useEngineWords';
import { CopyId } from './CopyId';
import './parts.css';

const KNOWN = new Set([0, 400, 401, 403, 404, 409, 410, 413, 429, 500, 503]);

/** What failed, and what that means and asks for, as keys of texts. */
export function wordsOf(status: number): [TextKey, TextKey] {
  const name = KNOWN.has(status) ? String(status) : status === 422 ? '400' : status > 500 ? '503' : 'Other';
  return [`parts.p${name}`, `parts.p${name}What`] as [TextKey, TextKey];
}

/** What failed, what it means, what to do, and the id to tell an administrator. */
export function ProblemView({
  problem,
  onRetry,
  compact = false,
}: {
  problem: Problem;
  onRetry?: (() => void) | undefined;
  compact?: boolean;
}) {
  const t = useT();
  const words = useEngineWords();
  const [title, what] = wordsOf(problem.status);
  return (
    <div className={compact ? 'problem compact' : 'problem'} role="alert">
      <div className="problem-head">
        <span aria-hidden="true">
          <WarningFilled />
        </span>
        <strong>{t(title)}</strong>
      </div>
      {problem.detail && <p className="problem-detail">{words(problem.detail)}</p>}
      {problem.errors && problem.errors.length > 1 && (
        <ul>
          {problem.errors.map((one, n) => (
            <li key={n}>
              <code>{one.field}</code> {words(one.problem)}
            </li>
          ))}
        </ul>
      )}
      <p>{t(what, { seconds: problem.retry_after ?? 30 })}</p>
      <div className="problem-foot">
        {onRetry && (
          <Button size="small" icon={<ReloadOutlined />} onClick={onRetry}>
            {t('parts.retry')}
          </Button>
        )}
        {problem.request_id && <CopyId id={problem.request_id} label={t('parts.requestId')} />}
      </div>
    </div>
  );
}
