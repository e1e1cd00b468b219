import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { useEffect, useState } from 'react';

import { useT } from '../i18n';
import './parts.css';

/** Put a text on the clipboard, also where the page has no right to its newer interface. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way on plain http
    document.execCommand('copy');
    area.remove();
  }
}

/** Whether something was just copied, and what copies. */
export function useCopy(): [boolean, (text: string) => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return [copied, (text) => void copyText(text).then(() => setCopied(true))];
}

/** An id, shortened, that a click copies. */
export function CopyId({ id, label }: { id: string; label?: string }) {
  const t = useT();
  const [copied, copy] = useCopy();
  const shown = id.length > 14 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
  const what = label ? `${label} ${shown}` : shown;
  return (
    <button
      type="button"
      className="copy-id"
      title={id}
      aria-label={copied ? t('parts.copied') : t('parts.copyNamed', { what })}
      onClick={() => copy(id)}
    >
      {label && <span>{label} </span>}
      <code>{shown}</code>
      <span aria-hidden="true">{copied ? <CheckOutlined /> : <CopyOutlined />}</span>
    </button>
  );
}
