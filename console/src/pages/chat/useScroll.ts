import { useCallback, useEffect, useRef, useState } from 'react';

const NEAR = 48;

/** Keeps a list at its end while it grows, until the reader scrolls up. */
export function useScroll() {
  const box = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  const [away, setAway] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let top = element.scrollTop;
    const toEnd = () => {
      if (stuck.current) element.scrollTop = element.scrollHeight;
    };
    const scrolled = () => {
      const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      if (near) stuck.current = true;
      else if (element.scrollTop < top) stuck.current = false;
      top = element.scrollTop;
      setAway(!near && !stuck.current);
    };
    const observer = new ResizeObserver(toEnd);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', scrolled);
    };
  }, []);
  const jump = useCallback(() => {
    stuck.current = true;
    setAway(false);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, []);
  return { box, away, jump };
}
