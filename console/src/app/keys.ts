/** Keys that work anywhere. */
import { useEffect, useRef } from 'react';

/** Whether the event comes from where somebody writes. */
export function writing(event: KeyboardEvent): boolean {
  const target = event.target;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Call for every key that is pressed and is no part of an input method's composition. */
export function useKeys(onKey: (event: KeyboardEvent) => void): void {
  const current = useRef(onKey);
  useEffect(() => {
    current.current = onKey;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!event.isComposing) current.current(event);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}
