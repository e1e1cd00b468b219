/** What a run's events come to, for people: pure, so that a live run and an old one look alike. */
import type { Source } from '../../api/types';
import { nameOf, type RawCall, type Result, type RunEvent, type Usage } from './events';

export type Stage = 'proposed' | 'checked' | 'waiting' | 'running' | 'ok' | 'failed' | 'uncertain' | 'rejected' | 'asking' | 'denied' | 'skipped';

export interface Wait {
  approval: string;
  by: string;
  question: string;
  expires: string;
  rule: string;
  asked: string;
  decision: string;
  decidedBy: string;
  decidedAt: string;
  reason: string;
}

export interface Attempt {
  attempt: number;
  started: string;
  ms: number | null;
  result: Result | null;
  retryIn: number | null;
}

export interface CallView {
  key: string;
  tool: string;
  raw: RawCall | undefined;
  stage: Stage;
  risk: string;
  arguments: Record<string, unknown>;
  sources: Record<string, Source>;
  tainted: string[];
  notes: string[];
  rejection: string;
  content: string;
  missing: string[];
  question: string;
  rule: string;
  waits: Wait[];
  attempts: Attempt[];
  result: Result | null;
  plan: boolean;
  at: string;
  events: RunEvent[];
}

export interface Step {
  key: string;
  kind: 'message' | 'intent' | 'route' | 'model' | 'call' | 'check' | 'reply' | 'note';
  state: string;
  at: string;
  ms: number | null;
  events: RunEvent[];
  call?: CallView;
}

export interface Asked {
  /** Parameters of `tool` that nobody has given. */
  missing: string[];
  tool: string;
  /** Intents between which the user is to choose. */
  candidates: string[];
}

export interface Task {
  approval: string;
  node: string;
  text: string;
}

export interface RunView {
  status: string;
  agent: string;
  language: 'zh' | 'en';
  input: string;
  steps: Step[];
  calls: CallView[];
  /** What the agent said: whole texts; the live piece is not among them. */
  text: string;
  reasoning: string;
  kind: string;
  failure: { reason: string; detail: string } | null;
  asked: Asked | null;
  /** Calls that wait for a person now. */
  waiting: Wait[];
  /** Questions of tasks that wait for a person now. */
  tasks: Task[];
  hasPlan: boolean;
  /** Changes with every event about tasks. */
  planVersion: number;
  usage: Usage;
  ms: number;
  over: boolean;
}

const NOTHING: Usage = { prompt: 0, cached: 0, completion: 0, reasoning: 0, total: 0 };
const ENDED = new Set(['done', 'failed', 'cancelled']);

function plus(a: Usage, b: Usage): Usage {
  return {
    prompt: a.prompt + b.prompt,
    cached: a.cached + b.cached,
    completion: a.completion + b.completion,
    reasoning: a.reasoning + b.reasoning,
    total: a.total + b.total,
  };
}

/** The view of a run's events, in order. */
export function viewOf(events: readonly RunEvent[]): RunView {
  return new Folding(events).view();
}

class Folding {
  private readonly steps: Step[] = [];
  private readonly calls = new Map<string, CallView>();
  private readonly turns: string[] = [];
  private readonly asks = new Map<string, Task[]>();
  private model: Step | undefined;
  private status = 'queued';
  private agent = '';
  private language: 'zh' | 'en' = 'zh';
  private input = '';
  private reply: string | undefined;
  private reasoning = '';
  private kind = '';
  private failure: RunView['failure'] = null;
  private candidates: string[] = [];
  private usage = NOTHING;
  private planVersion = 0;
  private proposed: RawCall[] = [];
  private turn = 0;

  constructor(private readonly events: readonly RunEvent[]) {
    for (const event of events) this.take(event);
  }

  view(): RunView {
    const calls = [...this.calls.values()];
    const waiting = ENDED.has(this.status)
      ? []
      : calls.flatMap((call) => call.waits.filter((wait) => wait.decision === '').slice(-1));
    const tasks = ENDED.has(this.status) ? [] : [...this.asks.values()].flat();
    const missing = calls.filter((call) => call.missing.length > 0).at(-1);
    const asks = this.kind === 'question';
    const first = this.events[0];
    const last = this.events.at(-1);
    return {
      status:
        (waiting.length > 0 || tasks.length > 0) && this.status === 'running' ? 'waiting' : this.status,
      agent: this.agent,
      language: this.language,
      input: this.input,
      steps: this.steps,
      calls,
      text: this.reply ?? this.turns.join('\n\n'),
      reasoning: this.reasoning,
      kind: this.kind,
      failure: this.failure,
      asked:
        asks && (missing || this.candidates.length > 0)
          ? { missing: missing?.missing ?? [], tool: missing?.tool ?? '', candidates: this.candidates }
          : null,
      waiting,
      tasks,
      hasPlan: this.planVersion > 0,
      planVersion: this.planVersion,
      usage: this.usage,
      ms: first && last ? Date.parse(last.at) - Date.parse(first.at) : 0,
      over: ENDED.has(this.status),
    };
  }

  private step(kind: Step['kind'], event: RunEvent, state: string, ms: number | null = null): Step {
    const step = { key: `${kind}.${event.position}`, kind, state, at: event.at, ms, events: [event] };
    this.steps.push(step);
    return step;
  }

  private call(event: RunEvent): CallView {
    const key = event.call ?? '';
    const known = this.calls.get(key);
    if (known) {
      known.events.push(event);
      return known;
    }
    const [turn, index] = key.split('.').map(Number);
    const call: CallView = {
      key,
      tool: event.tool ?? '',
      raw: turn === this.turn ? this.proposed[index ?? 0] : undefined,
      stage: 'proposed',
      risk: '',
      arguments: {},
      sources: {},
      tainted: [],
      notes: [],
      rejection: '',
      content: '',
      missing: [],
      question: '',
      rule: '',
      waits: [],
      attempts: [],
      result: null,
      plan: false,
      at: event.at,
      events: [event],
    };
    this.calls.set(key, call);
    const step = this.step('call', event, 'running');
    step.call = call;
    step.events = call.events;
    return call;
  }

  private settle(call: CallView, stage: Stage): void {
    call.stage = stage;
    const step = this.steps.find((one) => one.call === call);
    if (step === undefined) return;
    step.state = STATES[stage];
    step.ms = call.attempts.reduce<number | null>(
      (sum, one) => (one.ms === null ? sum : (sum ?? 0) + one.ms),
      null,
    );
  }

  private take(event: RunEvent): void {
    const name = nameOf(event);
    if (name.startsWith('task_') || name === 'plan_accepted' || name === 'tasks_awaited') {
      this.takeTask(name, event);
    } else if (event.call !== undefined) {
      this.takeCall(name, event);
    } else {
      this.takeRun(name, event);
    }
  }

  private takeRun(name: string, event: RunEvent): void {
    switch (name) {
      case 'message_received':
        this.agent = event.agent ?? '';
        this.language = event.language ?? 'zh';
        this.input = event.messages?.findLast((one) => one.role === 'user')?.text ?? '';
        this.step('message', event, 'done');
        break;
      case 'run_started':
      case 'run_unparked':
        this.status = 'running';
        break;
      case 'run_resumed':
        this.status = 'running';
        this.step('note', event, 'warning');
        break;
      case 'run_parked':
        this.status = 'parked';
        this.step('note', event, 'parked');
        break;
      case 'intent_classified':
        this.step('intent', event, event.abstains ? 'warning' : 'done');
        break;
      case 'route_chosen':
        this.candidates = event.kind === 'ask' ? (event.candidates ?? []) : [];
        this.step('route', event, event.kind === 'ask' ? 'asking' : 'done');
        break;
      case 'model_asked':
        this.turn = event.turn ?? this.turn + 1;
        this.model = this.step('model', event, 'running');
        break;
      case 'model_answered':
        this.answered(event);
        break;
      case 'calls_proposed':
        this.proposed = event.message?.calls ?? [];
        this.turn += 1;
        break;
      case 'model_failed':
        this.finishModel(event, 'failed', null);
        break;
      case 'reply_checked':
        this.turns.pop();
        this.step('check', event, 'warning');
        break;
      case 'reply_given':
        this.status = 'done';
        this.kind = event.kind ?? 'answer';
        this.reply = event.text ?? '';
        this.step('reply', event, event.kind === 'question' ? 'asking' : 'done');
        break;
      case 'run_failed':
        this.status = 'failed';
        this.reply = event.text ?? '';
        this.failure = { reason: event.reason ?? '', detail: event.detail ?? '' };
        this.step('reply', event, 'failed');
        break;
      case 'run_cancelled':
        this.status = 'cancelled';
        this.reply = event.text ?? this.turns.join('\n\n');
        this.step('reply', event, 'cancelled');
        break;
      default:
        break;
    }
  }

  private answered(event: RunEvent): void {
    this.finishModel(event, 'done', event.ms ?? null);
    this.proposed = event.message?.calls ?? [];
    if (event.usage) this.usage = plus(this.usage, event.usage);
    const text = event.message?.text?.trim();
    if (text) this.turns.push(text);
    if (event.message?.reasoning) this.reasoning = event.message.reasoning;
  }

  private finishModel(event: RunEvent, state: string, ms: number | null): void {
    const step = this.model ?? this.step('model', event, state, ms);
    step.state = state;
    step.ms = ms;
    if (step.events[0] !== event) step.events.push(event);
    this.model = undefined;
  }

  private takeCall(name: string, event: RunEvent): void {
    const call = this.call(event);
    switch (name) {
      case 'call_validated':
        call.tool = event.tool ?? call.tool;
        call.risk = event.risk ?? '';
        call.arguments = event.arguments ?? {};
        call.sources = event.sources ?? {};
        call.tainted = event.tainted ?? [];
        call.notes = event.notes ?? [];
        this.settle(call, 'checked');
        break;
      case 'call_rejected':
        call.rejection = event.kind ?? '';
        call.content = event.content ?? '';
        call.missing = event.missing ?? [];
        call.question = event.question ?? '';
        call.arguments = event.arguments ?? call.arguments;
        this.settle(call, call.missing.length > 0 ? 'asking' : 'rejected');
        break;
      case 'call_cleared':
        call.rule = event.rule ?? '';
        this.settle(call, 'running');
        break;
      case 'call_refused':
        call.rule = event.rule ?? '';
        call.content = event.content ?? '';
        this.settle(call, 'denied');
        break;
      case 'approval_asked':
        call.waits.push(waitOf(event, event.approval ?? ''));
        this.settle(call, 'waiting');
        break;
      case 'approval_edited':
        decide(call, event.approval, 'edited', event.editor ?? '', event);
        call.arguments = event.arguments ?? call.arguments;
        call.waits.push(waitOf(event, event.replacement ?? ''));
        break;
      case 'approval_decided':
        decide(call, event.approval, event.decision ?? '', event.by ?? '', event);
        if (event.decision !== 'approved') this.settle(call, 'denied');
        else this.settle(call, 'checked');
        break;
      case 'attempt_started':
        call.attempts.push({ attempt: event.attempt ?? 1, started: event.at, ms: null, result: null, retryIn: null });
        this.settle(call, 'running');
        break;
      case 'attempt_finished': {
        const attempt = call.attempts.find((one) => one.attempt === event.attempt);
        if (attempt) {
          attempt.ms = event.ms ?? null;
          attempt.result = event.result ?? null;
          attempt.retryIn = event.retry_in ?? null;
        }
        if (event.retry_in == null) this.finished(call, event.result);
        break;
      }
      case 'result_given':
        this.finished(call, event.result);
        break;
      default:
        break;
    }
  }

  private finished(call: CallView, result: Result | undefined): void {
    call.result = result ?? null;
    const status = result?.status ?? 'failed';
    this.settle(call, status === 'ok' ? 'ok' : status === 'uncertain' ? 'uncertain' : 'failed');
  }

  private takeTask(name: string, event: RunEvent): void {
    this.planVersion += 1;
    if (name === 'plan_accepted') {
      const call = this.call(event);
      call.plan = true;
      this.settle(call, 'running');
    } else if (name === 'task_asks') {
      this.asks.set(
        event.node ?? '',
        (event.questions ?? []).map((one) => ({
          approval: one.approval ?? '',
          node: event.node ?? '',
          text: one.text,
        })),
      );
    } else if (name === 'task_ended' || name === 'task_skipped') {
      this.asks.delete(event.node ?? '');
    }
  }
}

const STATES: Record<Stage, string> = {
  proposed: 'running',
  checked: 'running',
  waiting: 'waiting',
  running: 'running',
  ok: 'done',
  failed: 'failed',
  uncertain: 'uncertain',
  rejected: 'rejected',
  asking: 'asking',
  denied: 'denied',
  skipped: 'skipped',
};

function waitOf(event: RunEvent, approval: string): Wait {
  return {
    approval,
    by: event.by ?? 'user',
    question: event.question ?? '',
    expires: event.expires ?? '',
    rule: event.rule ?? '',
    asked: event.at,
    decision: '',
    decidedBy: '',
    decidedAt: '',
    reason: '',
  };
}

function decide(call: CallView, approval: string | undefined, decision: string, by: string, event: RunEvent): void {
  const wait = call.waits.find((one) => one.approval === approval);
  if (wait === undefined) return;
  wait.decision = decision;
  wait.decidedBy = by;
  wait.decidedAt = event.at;
  wait.reason = event.reason ?? '';
}
