/** Why a run failed, in a few words. */
import type { TextKey, Translate } from '../../i18n';

const KNOWN = new Set([
  'turns', 'calls', 'tokens', 'seconds', 'malformed', 'repeated', 'plan', 'context', 'model', 'empty', 'filtered', 'internal',
]);

/** The journal's word for it, said to a person; one that is not known stays. */
export function failureWords(reason: string, t: Translate): string {
  return KNOWN.has(reason) ? t(`chat.failed_${reason}` as TextKey) : reason;
}
