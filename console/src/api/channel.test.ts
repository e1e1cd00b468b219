import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Channel } from './channel';

class Socket {
  static readonly OPEN = 1;
  static all: Socket[] = [];
  readyState = Socket.OPEN;
  onopen: () => void = () => undefined;
  onclose: (event: { code: number }) => void = () => undefined;
  constructor() {
    Socket.all.push(this);
  }
  send(): void {
    // nobody reads it here
  }
  close(): void {
    this.onclose({ code: 1000 });
  }
}

const last = () => Socket.all.at(-1) as Socket;

describe('a connection that breaks', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('WebSocket', Socket);
    Socket.all = [];
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('is tried again by itself, and tells when it has returned', () => {
    const channel = new Channel(() => 'ws://here');
    const returned = vi.fn();
    channel.onReturn(returned);
    channel.listen('inbox', null, () => undefined);
    last().onopen();
    expect(channel.state()).toBe('open');
    expect(returned).not.toHaveBeenCalled();
    last().onclose({ code: 1006 });
    expect(channel.state()).toBe('offline');
    vi.advanceTimersByTime(300);
    expect(Socket.all).toHaveLength(2);
    last().onopen();
    expect(channel.state()).toBe('open');
    expect(returned).toHaveBeenCalledOnce();
    channel.close();
  });

  it('tells nobody who no longer listens', () => {
    const channel = new Channel(() => 'ws://here');
    const returned = vi.fn();
    channel.onReturn(returned)();
    channel.listen('inbox', null, () => undefined);
    last().onopen();
    last().onclose({ code: 1006 });
    vi.advanceTimersByTime(300);
    last().onopen();
    expect(returned).not.toHaveBeenCalled();
    channel.close();
  });
});
