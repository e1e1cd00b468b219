/**
 * What happens on the server, over one WebSocket for the whole tab.
 *
 * A component names a topic; the socket is opened with the first, opens all topics again after a
 * break from the last position that was seen, and closes some time after the last has gone.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react';

import { sessionEnded, type Problem } from './client';

/**
 * What the server sends on a topic. `position` is where to take the topic up again. After a break
 * there is one more, `reopened`: what has no position may have been missed, or come twice.
 */
export interface Happening {
  topic: string;
  event: string;
  position: number | null;
  data: unknown;
}

export type ConnectionState = 'idle' | 'connecting' | 'open' | 'offline';
type Listener = (happening: Happening) => void;

interface Topic {
  after: number | null;
  listeners: Set<Listener>;
}

const SESSION_ENDED = 4401;
const SILENCE = 25_000;
const LONGEST_PAUSE = 15_000;

/** Milliseconds before the n-th attempt to connect again, n from 0. */
export function pauseBefore(attempt: number): number {
  return Math.min(LONGEST_PAUSE, 300 * 2 ** attempt);
}

export class Channel {
  private socket: WebSocket | undefined;
  private readonly topics = new Map<string, Topic>();
  private readonly watchers = new Set<() => void>();
  private readonly returns = new Set<() => void>();
  private current: ConnectionState = 'idle';
  private failures = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private pulse: ReturnType<typeof setTimeout> | undefined;
  private answered = true;
  private broken = false;

  constructor(private readonly url: () => string) {}

  readonly state = (): ConnectionState => this.current;

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  /** Call when the connection is there again after a break. Returns what ends it. */
  readonly onReturn = (call: () => void): (() => void) => {
    this.returns.add(call);
    return () => this.returns.delete(call);
  };

  /** Listen to a topic from after a position; null begins now. Returns what ends it. */
  listen(name: string, after: number | null, listener: Listener): () => void {
    let topic = this.topics.get(name);
    if (topic === undefined) {
      topic = { after, listeners: new Set() };
      this.topics.set(name, topic);
      this.send({ op: 'open', topic: name, after });
    } else if (after !== null && (topic.after === null || after < topic.after)) {
      topic.after = after;
      this.send({ op: 'close', topic: name });
      this.send({ op: 'open', topic: name, after });
    }
    topic.listeners.add(listener);
    if (this.current === 'idle') this.connect();
    return () => {
      topic.listeners.delete(listener);
      if (topic.listeners.size === 0 && this.topics.get(name) === topic) {
        this.topics.delete(name);
        this.send({ op: 'close', topic: name });
      }
    };
  }

  /** Try to connect now. */
  readonly reconnect = (): void => {
    clearTimeout(this.retry);
    if (this.current !== 'open') this.connect();
  };

  /** Forget everything, such as at sign-out. */
  readonly close = (): void => {
    clearTimeout(this.retry);
    clearTimeout(this.pulse);
    const socket = this.socket;
    this.socket = undefined;
    socket?.close();
    this.failures = 0;
    this.become('idle');
  };

  private connect(): void {
    const former = this.socket;
    this.socket = undefined;
    former?.close();
    this.become(this.failures === 0 ? 'connecting' : this.current);
    const socket = new WebSocket(this.url());
    this.socket = socket;
    socket.onopen = () => {
      if (socket !== this.socket) return;
      this.failures = 0;
      this.answered = true;
      this.become('open');
      for (const [topic, { after, listeners }] of this.topics) {
        if (this.broken) {
          const happening = { topic, event: 'reopened', position: null, data: null };
          for (const listener of [...listeners]) listener(happening);
        }
        this.send({ op: 'open', topic, after });
      }
      if (this.broken) for (const call of [...this.returns]) call();
      this.broken = false;
      this.beat();
    };
    socket.onmessage = (message: MessageEvent<string>) => {
      if (socket !== this.socket) return;
      this.answered = true;
      this.take(JSON.parse(message.data) as Happening & { op?: string });
    };
    socket.onclose = (event) => {
      if (socket !== this.socket) return;
      this.socket = undefined;
      clearTimeout(this.pulse);
      if (event.code === SESSION_ENDED) {
        this.become('idle');
        sessionEnded();
        return;
      }
      this.broken = true;
      this.become('offline');
      this.retry = setTimeout(() => this.connect(), pauseBefore(this.failures));
      this.failures += 1;
    };
  }

  private take(frame: Happening & { op?: string }): void {
    if (frame.op !== undefined) return;
    const topic = this.topics.get(frame.topic);
    if (topic === undefined) return;
    if (typeof frame.position === 'number') {
      if (topic.after !== null && frame.position <= topic.after) return; // twice, after a break
      topic.after = frame.position;
    }
    for (const listener of [...topic.listeners]) listener(frame);
  }

  /** Notice a connection that is dead and says nothing of it. */
  private beat(): void {
    clearTimeout(this.pulse);
    this.pulse = setTimeout(() => {
      if (!this.answered) {
        this.socket?.close();
        return;
      }
      this.answered = false;
      this.send({ op: 'ping' });
      this.beat();
    }, SILENCE);
  }

  private send(frame: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  private become(state: ConnectionState): void {
    if (state === this.current) return;
    this.current = state;
    for (const watcher of this.watchers) watcher();
  }
}

function channelAddress(): string {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  return `${scheme}://${location.host}/api/channel`;
}

export const channel = new Channel(channelAddress);

if (typeof window !== 'undefined') {
  window.addEventListener('online', channel.reconnect);
}

/**
 * Hear what happens on a topic while the component is there. `null` hears nothing.
 *
 * `after` is where to begin; a changed `after` alone does not open the topic again.
 */
export function useTopic(
  topic: string | null,
  after: number | null,
  onEvent: (happening: Happening) => void,
): void {
  const current = useRef({ onEvent, after });
  useEffect(() => {
    current.current = { onEvent, after };
  });
  useEffect(() => {
    if (topic === null) return undefined;
    return channel.listen(topic, current.current.after, (one) => current.current.onEvent(one));
  }, [topic]);
}

/** How the connection stands. */
export function useConnection(): ConnectionState {
  return useSyncExternalStore(channel.watch, channel.state);
}

/** Call when the connection is there again after a break. */
export function useReturn(call: () => void): void {
  const current = useRef(call);
  useEffect(() => {
    current.current = call;
  });
  useEffect(() => channel.onReturn(() => current.current()), []);
}

/** The problem in an `error` happening. */
export function problemIn(happening: Happening): Problem | undefined {
  return happening.event === 'error' ? (happening.data as Problem) : undefined;
}
