import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { Button, Input } from 'antd';

import { useT } from '../../i18n';
import { useCopy } from '../../parts/CopyId';

/** Something that is shown this once: to copy now. */
export function Secret({ text, label, hint }: { text: string; label: string; hint: string }) {
  const t = useT();
  const [copied, copy] = useCopy();
  return (
    <div className="note tone-good tight" role="status">
      <strong>{label}</strong>
      <div className="row secret">
        <Input readOnly value={text} aria-label={label} onFocus={(event) => event.target.select()} />
        <Button icon={copied ? <CheckOutlined /> : <CopyOutlined />} onClick={() => copy(text)}>
          {t(copied ? 'parts.copied' : 'parts.copy')}
        </Button>
      </div>
      <span>{hint}</span>
    </div>
  );
}
