import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { Button } from 'antd';

import { useT } from '../i18n';
import { useCopy } from './CopyId';
import './parts.css';

/** A value as JSON text, to read and to copy. */
export function JsonView({ value, label }: { value: unknown; label?: string }) {
  const t = useT();
  const [copied, copy] = useCopy();
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <div className="json">
      <Button
        className="json-copy"
        size="small"
        type="text"
        aria-label={copied ? t('parts.copied') : t('parts.copyNamed', { what: label ?? 'JSON' })}
        icon={copied ? <CheckOutlined /> : <CopyOutlined />}
        onClick={() => copy(text)}
      />
      {/* a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} role="region" aria-label={label ?? 'JSON'}>
        {text}
      </pre>
    </div>
  );
}
