/** Where the user writes. Enter sends, Shift+Enter breaks, ↑ recalls; never during composition. */
import { ArrowUpOutlined, BorderOutlined } from '@ant-design/icons';
import { Sender } from '@ant-design/x';
import { Button, type GetRef } from 'antd';
import { useEffect, useRef, useState } from 'react';

import { keep, kept } from '../../app/storage';
import { useT } from '../../i18n';

const LONGEST = 20_000;

export function Composer(props: {
  /** What the draft is kept under: the conversation, or `new`. */
  place: string;
  /** The user's former messages, the latest first. */
  said: readonly string[];
  running: boolean;
  sending: boolean;
  /** It is known who is written to. */
  ready: boolean;
  onSend: (text: string) => Promise<boolean>;
  onStop: () => void;
}) {
  const { place, said, running, sending, ready, onSend, onStop } = props;
  const t = useT();
  const [text, setText] = useState(() => kept(`draft:${place}`) ?? '');
  const [recalled, setRecalled] = useState(-1);
  const sender = useRef<GetRef<typeof Sender>>(null);
  useEffect(() => sender.current?.focus(), []);
  const write = (next: string) => {
    setText(next);
    keep(`draft:${place}`, next);
  };
  const send = async () => {
    const words = text.trim();
    if (!words || running || sending || !ready) return;
    setRecalled(-1);
    write('');
    if (!(await onSend(words))) write(words);
  };
  const recall = (step: number): boolean => {
    const next = Math.min(said.length - 1, recalled + step);
    const own = text === '' || (recalled >= 0 && text === said[recalled]);
    if (!own || (step < 0 && recalled < 0)) return false;
    setRecalled(next);
    write(next < 0 ? '' : (said[next] ?? ''));
    return true;
  };
  return (
    <div className="composer">
      <Sender
        ref={sender}
        value={text}
        onChange={(next) => write(next.slice(0, LONGEST))}
        onKeyDown={(event) => {
          // some browsers end the composition before they tell of its last key, whose code is 229
          // eslint-disable-next-line @typescript-eslint/no-deprecated
          if (event.nativeEvent.isComposing || event.keyCode === 229) return false;
          if (event.key === 'Enter') {
            const chord = event.shiftKey || event.ctrlKey || event.altKey || event.metaKey;
            if (chord) return undefined;
            event.preventDefault();
            void send();
            return false;
          }
          if (event.key === 'ArrowUp' && recall(1)) event.preventDefault();
          else if (event.key === 'ArrowDown' && recall(-1)) event.preventDefault();
          return undefined;
        }}
        placeholder={t('chat.placeholder')}
        aria-label={t('chat.message')}
        autoSize={{ minRows: 1, maxRows: 8 }}
        suffix={
          running ? (
            <Button shape="circle" icon={<BorderOutlined />} aria-label={t('chat.stop')} aria-keyshortcuts="Escape" onClick={onStop} />
          ) : (
            <Button
              type="primary"
              shape="circle"
              icon={<ArrowUpOutlined />}
              aria-label={t('chat.send')}
              loading={sending}
              disabled={!text.trim() || !ready}
              onClick={() => void send()}
            />
          )
        }
      />
      <p className="composer-hint soft">{t('chat.hint')}</p>
    </div>
  );
}
