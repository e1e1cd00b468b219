/** What waits for the user, for the badges; kept up by the channel. */
import { useCallback, useEffect, useState } from 'react';

import { useTopic } from '../api/channel';
import { api } from '../api/client';
import type { Badge } from './routes';

export type Counts = Record<Badge, number>;

/** The number of unread messages and of approvals that the user may decide. */
export function useCounts(): Counts {
  const [counts, setCounts] = useState<Counts>({ inbox: 0, approvals: 0 });
  const put = useCallback(
    (name: Badge, n: number) => setCounts((former) => ({ ...former, [name]: n })),
    [],
  );
  const askApprovals = useCallback(() => {
    api
      .get<{ approvals: { may: string[] }[] }>('/api/approvals')
      .then(({ approvals }) => put('approvals', approvals.filter((one) => one.may.length > 0).length))
      .catch(() => undefined); // a badge says nothing of faults; its page does
  }, [put]);
  const askInbox = useCallback(() => {
    api
      .get<{ unread: number }>('/api/inbox/unread')
      .then(({ unread }) => put('inbox', unread))
      .catch(() => undefined);
  }, [put]);
  useEffect(askApprovals, [askApprovals]);
  useEffect(askInbox, [askInbox]);
  useTopic('inbox', null, ({ event, data }) => {
    if (event === 'unread') put('inbox', (data as { unread: number }).unread);
    else askInbox();
  });
  useTopic('approvals', null, askApprovals);
  return counts;
}
