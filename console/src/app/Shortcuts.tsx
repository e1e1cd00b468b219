import { Modal } from 'antd';

import { useT, type TextKey } from '../i18n';

const KEYS: [string[], TextKey][] = [
  [['Ctrl/⌘', 'K'], 'shell.keyJump'],
  [['Ctrl', '/'], 'shell.keyHelp'],
  [['Enter'], 'shell.keySend'],
  [['Shift', 'Enter'], 'shell.keyBreak'],
  [['↑'], 'shell.keyRecall'],
  [['Esc'], 'shell.keyStop'],
  [['Alt', 'Y'], 'shell.keyAllow'],
  [['Alt', 'N'], 'shell.keyDeny'],
  [['J', 'K'], 'shell.keyMove'],
];

/** The keys and what they do. */
export function Shortcuts({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useT();
  return (
    <Modal open={open} onCancel={onClose} footer={null} title={t('shell.shortcuts')}>
      <dl className="keys">
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{t(what)}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
