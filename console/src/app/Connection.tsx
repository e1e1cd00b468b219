import { Button, Tooltip } from 'antd';
import { useEffect, useState } from 'react';

import { channel, useConnection } from '../api/channel';
import { useT, type TextKey } from '../i18n';

const WORDS: Record<ReturnType<typeof useConnection>, TextKey> = {
  idle: 'shell.connecting',
  connecting: 'shell.connecting',
  open: 'shell.connected',
  offline: 'shell.offline',
};

/** Whether news arrive. */
export function ConnectionDot() {
  const t = useT();
  const state = useConnection();
  const word = t(WORDS[state]);
  return (
    <Tooltip title={word}>
      <span className={`dot ${state}`} role="img" aria-label={word} />
    </Tooltip>
  );
}

/** Says that the connection is lost, once that has lasted for two seconds. */
export function OfflineBanner() {
  const t = useT();
  const state = useConnection();
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (state !== 'offline') return undefined;
    const timer = setTimeout(() => setLate(true), 2000);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [state]);
  if (state !== 'offline' || !late) return null;
  return (
    <div className="offline-banner" role="alert">
      <span>{t('shell.offlineWhat')}</span>
      <Button size="small" onClick={channel.reconnect}>
        {t('parts.retry')}
      </Button>
    </div>
  );
}
