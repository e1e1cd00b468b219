/** A run that is watched: its events and the piece that is being written, told once a frame. */
import { channel, type Happening } from '../../api/channel';
import { api, problemOf, type Problem } from '../../api/client';
import type { RunEvent } from './events';
import { viewOf, type RunView } from './fold';

export interface Live {
  view: RunView;
  events: readonly RunEvent[];
  /** What the model has written of the answer that is not whole yet. */
  piece: string;
  thinking: string;
  progress: Record<string, { fraction: number | null; message: string }>;
  ended: boolean;
  problem: Problem | undefined;
  loaded: boolean;
}

type Frame = (call: () => void) => void;

const NONE: Live = {
  view: viewOf([]),
  events: [],
  piece: '',
  thinking: '',
  progress: {},
  ended: false,
  problem: undefined,
  loaded: false,
};

/** Follows one run. Listeners are told at most once a frame, whatever comes in between. */
export class RunLog {
  private live = NONE;
  private readonly events: RunEvent[] = [];
  private piece = '';
  private thinking = '';
  private progress: Live['progress'] = {};
  private ended = false;
  private problem: Problem | undefined;
  private stale = false;
  private reading = false;
  private changed = false;
  private readonly watchers = new Set<() => void>();
  private stop: (() => void) | undefined;

  constructor(
    readonly run: string,
    /** Not over when this was made: its news are heard, not read. */
    readonly fresh: boolean,
    private readonly frame: Frame = nextFrame,
  ) {}

  readonly state = (): Live => this.live;

  /** Watch it; a live run is followed for as long as somebody does. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    this.begin();
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size > 0) return;
      this.stop?.();
      this.stop = undefined;
    };
  };

  /** Read an ended run, once. */
  async read(): Promise<void> {
    if (this.fresh || this.live.loaded || this.reading) return;
    this.reading = true;
    try {
      const { events } = await api.get<{ events: RunEvent[] }>(`/api/runs/${this.run}/trace`);
      this.events.splice(0, this.events.length, ...events);
      this.ended = true;
    } catch (fault) {
      this.problem = problemOf(fault);
    }
    this.reading = false;
    this.changed = true;
    this.tell();
  }

  private begin(): void {
    if (!this.fresh || this.stop || this.ended) return;
    const after = this.events.at(-1)?.position ?? -1;
    this.stop = channel.listen(`run:${this.run}`, after, (one) => this.take(one));
  }

  /** Take what the channel says of the run. */
  take(one: Happening): void {
    switch (one.event) {
      case 'text':
        this.piece += (one.data as { text: string }).text;
        break;
      case 'reasoning':
        this.thinking += (one.data as { text: string }).text;
        break;
      case 'reopened': // the pieces so far come again
      case 'reset':
        this.piece = this.thinking = '';
        break;
      case 'progress': {
        const { call, fraction, message } = one.data as { call: string; fraction: number | null; message: string };
        this.progress = { ...this.progress, [call]: { fraction, message } };
        break;
      }
      case 'end':
        this.ended = true;
        this.piece = this.thinking = '';
        this.stop?.();
        this.stop = undefined;
        break;
      case 'error':
        this.problem = one.data as Problem;
        break;
      default:
        this.add({ ...(one.data as RunEvent), position: one.position ?? this.events.length });
    }
    if (this.stale) return;
    this.stale = true;
    this.frame(() => this.tell());
  }

  private add(event: RunEvent): void {
    const last = this.events.at(-1)?.position ?? -1;
    if (event.position <= last) return;
    this.events.push(event);
    this.changed = true;
    if (event.type.startsWith('model_answered')) {
      // pieces of the next answer may have come before the whole of this one
      const whole = (event.message?.text ?? '').trim();
      const shown = this.piece.trimStart();
      this.piece = whole && shown.startsWith(whole) ? shown.slice(whole.length).trimStart() : '';
      this.thinking = '';
    } else if (/^(reply_given|run_failed|run_cancelled|reply_checked)/.test(event.type)) {
      this.piece = this.thinking = '';
    }
  }

  private tell(): void {
    this.stale = false;
    this.live = {
      view: this.changed ? viewOf(this.events) : this.live.view,
      events: this.changed ? [...this.events] : this.live.events,
      piece: this.piece,
      thinking: this.thinking,
      progress: this.progress,
      ended: this.ended,
      problem: this.problem,
      loaded: this.events.length > 0,
    };
    this.changed = false;
    for (const watcher of this.watchers) watcher();
  }
}

/** The next frame; soon, in a tab that is not seen and has none. */
function nextFrame(call: () => void): void {
  if (document.visibilityState === 'visible') requestAnimationFrame(call);
  else setTimeout(call, 200);
}
