import { Input, Modal, type InputRef } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';

import { api } from '../api/client';
import { useT } from '../i18n';
import { routes } from './routes';
import { useSession } from './session';

interface Place {
  to: string;
  title: string;
  kind: string;
}

interface Found {
  conversations: { conversation: string; title: string; agent: string }[];
}

/** Jump anywhere: to a page, a conversation, or whatever an id names. */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useT();
  const navigate = useNavigate();
  const { may } = useSession();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [talks, setTalks] = useState<Place[]>([]);
  const input = useRef<InputRef>(null);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api
        .get<Found>('/api/conversations', { q: text.trim(), limit: 8 }, stop.signal)
        .then(({ conversations }) =>
          setTalks(
            conversations.map((one) => ({
              to: `/chat/${one.conversation}`,
              title: one.title,
              kind: t('shell.conversation'),
            })),
          ),
        )
        .catch(() => undefined);
    }, 150);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, t]);
  const wanted = text.trim().toLowerCase();
  const pages = routes
    .filter((one) => one.icon && (!one.role || may(one.role)))
    .map((one) => ({ to: one.to ?? one.path, title: t(one.title), kind: t('shell.page') }))
    .filter((one) => !wanted || `${one.title} ${one.to}`.toLowerCase().includes(wanted));
  const ids: Place[] = /^[0-9a-f-]{8,36}$/.test(wanted)
    ? [
        { to: `/runs/${wanted}`, title: wanted, kind: t('shell.run') },
        { to: `/chat/${wanted}`, title: wanted, kind: t('shell.conversation') },
      ]
    : [];
  const places = [...pages, ...ids, ...talks];
  const chosen = Math.min(at, places.length - 1);
  const go = (place: Place | undefined) => {
    if (place === undefined) return;
    onClose();
    void navigate(place.to);
  };
  return (
    <Modal
      open
      onCancel={onClose}
      footer={null}
      closable={false}
      width={560}
      style={{ top: 80 }}
      title={<span className="sr-only">{t('shell.jump')}</span>}
      className="palette"
      afterOpenChange={(open) => open && input.current?.focus()}
    >
      <Input
        ref={input}
        autoFocus
        size="large"
        value={text}
        placeholder={t('shell.jumpHint')}
        role="combobox"
        aria-label={t('shell.jump')}
        aria-expanded
        aria-controls="places"
        aria-activedescendant={places.length > 0 ? `place-${chosen}` : ''}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step !== undefined && places.length > 0) {
            event.preventDefault();
            setAt((chosen + step + places.length) % places.length);
          } else if (event.key === 'Enter') {
            go(places[chosen]);
          }
        }}
      />
      <ul id="places" role="listbox" aria-label={t('shell.jump')} className="places">
        {places.map((place, n) => (
          <li
            key={place.kind + place.to}
            id={`place-${n}`}
            role="option"
            aria-selected={n === chosen}
            onMouseEnter={() => setAt(n)}
            onClick={() => go(place)}
          >
            <span>{place.title}</span>
            <span className="soft">{place.kind}</span>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
