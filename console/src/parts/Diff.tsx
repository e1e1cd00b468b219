import { useMemo } from 'react';

import { useT } from '../i18n';
import { around, difference } from './lines';
import './work.css';

const SIGN = { same: ' ', added: '+', removed: '−' } as const;

/** What changed from one text to another, with a little around it. */
export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const t = useT();
  const lines = useMemo(() => around(difference(before, after)), [before, after]);
  if (lines.length === 0) return <p className="soft">{t('work.noDifference')}</p>;
  return (
    <div className="diff" tabIndex={0} role="region" aria-label={label}>
      <table>
        <tbody>
          {lines.map((line, n) =>
            line === undefined ? (
              <tr key={n} className="gap">
                <td colSpan={4}>⋯</td>
              </tr>
            ) : (
              <tr key={n} className={line.kind}>
                <td className="number">{line.before ?? ''}</td>
                <td className="number">{line.after ?? ''}</td>
                <td className="sign">
                  {SIGN[line.kind]}
                  {line.kind !== 'same' && <span className="sr-only">{t(`work.${line.kind}`)}</span>}
                </td>
                <td className="line">{line.text || ' '}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}
