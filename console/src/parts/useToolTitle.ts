import { useCallback } from 'react';

import type { AgentShape } from '../api/types';
import { useTitle } from '../i18n';

/** What a tool of an agent is called in the reader's language; its name where nobody has called it anything. */
export function useToolTitle(): (agent: AgentShape | undefined, tool: string) => string {
  const titleOf = useTitle();
  return useCallback(
    (agent, tool) => {
      const known = agent?.tools.find((one) => one.name === tool);
      return titleOf(known?.titles) || known?.title || tool;
    },
    [titleOf],
  );
}
