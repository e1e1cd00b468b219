/** Which calls are decided together, and what came of it. */
import type { Approval } from '../../api/types';

/** What the server says of each decision. `status` is as that of a single one. */
export interface Outcome {
  approval: string;
  status: number;
  outcome: string;
  detail: string;
}

/** A decision on several calls, as it came out. */
export interface Told {
  decision: 'approve' | 'deny';
  done: number;
  failed: { approval: Approval; why: string }[];
}

/** Whether the call may be marked beside those that are: all of one tool, none critical or tainted. */
export function canBulk(one: Approval, marked: readonly Approval[]): boolean {
  const plain = one.risk !== 'critical' && one.tainted.length === 0 && one.may.includes('approve');
  const [first] = marked;
  return plain && (first === undefined || (first.tool === one.tool && first.agent === one.agent));
}

/** What came of the decision on these calls. */
export function told(decision: Told['decision'], asked: readonly Approval[], outcomes: readonly Outcome[]): Told {
  const failed = outcomes.flatMap(({ approval: id, status, detail, outcome }) => {
    const approval = status === 200 ? undefined : asked.find((one) => one.approval === id);
    return approval ? [{ approval, why: detail || outcome }] : [];
  });
  return { decision, done: asked.length - failed.length, failed };
}
