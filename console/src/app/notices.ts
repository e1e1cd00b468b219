/** New messages of the inbox, shown by the browser while the page is not seen. */
import { useNavigate } from 'react-router';

import { useTopic } from '../api/channel';
import { useT } from '../i18n';

interface Arrived {
  id: string;
  subject: string;
  text: string;
}

const LONGEST = 200;

/** Show what arrives, if the user has allowed it. */
export function useNotices(): void {
  const t = useT();
  const navigate = useNavigate();
  useTopic('inbox', null, ({ event, data }) => {
    const wanted = event === 'message' && document.visibilityState === 'hidden';
    if (!wanted || !('Notification' in window) || Notification.permission !== 'granted') return;
    const one = data as Arrived;
    const shown = new Notification(one.subject || t('shell.inbox'), {
      body: one.text.slice(0, LONGEST),
      tag: one.id,
      icon: '/signal.svg',
    });
    shown.onclick = () => {
      window.focus();
      void navigate(`/inbox?message=${encodeURIComponent(one.id)}`);
      shown.close();
    };
  });
}
