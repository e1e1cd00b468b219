/**
 * What this browser keeps: keyed by user, and gone when he signs out or another signs in (case X09).
 * Only theme and language, which tell nothing of anybody, belong to the browser itself.
 */
/* eslint-disable no-restricted-globals -- the only place that touches the browser's storage */

const PREFIX = 'pointsman';
let owner = '';

function keyOf(name: string): string {
  return `${PREFIX}:${owner}:${name}`;
}

/** Whose things are kept from now on. Those of everybody else are removed. */
export function keepFor(login: string): void {
  owner = login;
  for (const key of ours()) if (!key.startsWith(`${PREFIX}:${login}:`)) localStorage.removeItem(key);
}

/** Remove what is kept for anybody. */
export function forgetAll(): void {
  owner = '';
  for (const key of ours()) localStorage.removeItem(key);
}

function ours(): string[] {
  return Object.keys(localStorage).filter(
    (key) => key.startsWith(`${PREFIX}:`) && !key.startsWith(`${PREFIX}::`),
  );
}

export function kept(name: string): string | null {
  return owner ? localStorage.getItem(keyOf(name)) : null;
}

/** Keep a text; an empty one is removed. Without a user nothing is kept. */
export function keep(name: string, text: string): void {
  if (!owner) return;
  try {
    if (text) localStorage.setItem(keyOf(name), text);
    else localStorage.removeItem(keyOf(name));
  } catch {
    // the storage is full or forbidden; a draft is not worth an error
  }
}

/** Keep under another name what is kept under one. */
export function rename(from: string, to: string): void {
  const text = kept(from);
  if (text === null) return;
  keep(to, text);
  keep(from, '');
}

export function preference(name: 'theme' | 'language'): string | null {
  return localStorage.getItem(`${PREFIX}::${name}`);
}

export function prefer(name: 'theme' | 'language', value: string): void {
  localStorage.setItem(`${PREFIX}::${name}`, value);
}
