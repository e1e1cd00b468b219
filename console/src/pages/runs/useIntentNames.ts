import { useEffect, useMemo, useState } from 'react';

import { api } from '../../api/client';
import type { AgentShape, IntentShape } from '../../api/types';
import { useTitle } from '../../i18n';

/** The intents of all agents, with their titles. */
export function useIntentNames(agents: readonly AgentShape[]): { value: string; label: string }[] {
  const titleOf = useTitle();
  const [found, setFound] = useState<IntentShape[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    Promise.all(
      agents.map((one) =>
        api
          .get<{ intents: IntentShape[] }>(`/api/agents/${one.agent}/intents`, {}, stop.signal)
          .then(({ intents }) => intents)
          .catch((): IntentShape[] => []), // names stand for themselves then
      ),
    )
      .then((lists) => {
        if (!stop.signal.aborted) setFound(lists.flat());
      })
      .catch(() => undefined);
    return () => stop.abort();
  }, [agents]);
  return useMemo(() => {
    const named = new Map(found.map((one) => [one.intent, titleOf(one.title) || one.intent]));
    return [...named].map(([value, label]) => ({ value, label }));
  }, [found, titleOf]);
}
