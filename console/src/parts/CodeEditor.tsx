import { useEffect, useRef } from 'react';

import { useT } from '../i18n';
import './work.css';

export interface Mark {
  /** From 1. */
  line: number;
  message: string;
}

const LINE = 20;

/**
 * A text with line numbers. Lines that are at fault are marked. Tab writes two spaces; Escape and
 * then Tab leaves the field.
 */
export function CodeEditor(props: {
  value: string;
  onChange: (value: string) => void;
  label: string;
  marks?: readonly Mark[];
  height?: number;
  readOnly?: boolean;
  /** Go to this line; a new object goes there again. */
  goTo?: { line: number } | undefined;
}) {
  const { value, onChange, label, marks = [], height = 480, readOnly = false, goTo } = props;
  const t = useT();
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const escaped = useRef(false);
  const lines = value.split('\n').length;
  const marked = new Map(marks.map((mark) => [mark.line, mark.message]));
  useEffect(() => {
    const { current } = area;
    if (goTo === undefined || current === null) return;
    const start = current.value.split('\n').slice(0, goTo.line - 1).join('\n').length + (goTo.line > 1 ? 1 : 0);
    current.focus();
    current.setSelectionRange(start, start);
    current.scrollTop = Math.max(0, (goTo.line - 4) * LINE);
  }, [goTo]);
  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') escaped.current = true;
    else if (event.key !== 'Tab') escaped.current = false;
    else if (!event.shiftKey && !escaped.current && !readOnly && !event.nativeEvent.isComposing) {
      event.preventDefault();
      // the browser's own insertion, so that it can be undone
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      document.execCommand('insertText', false, '  ');
    }
  };
  return (
    <div className="code" style={{ height }}>
      <div className="gutter" ref={gutter} aria-hidden="true">
        {Array.from({ length: lines }, (_, n) => (
          <div key={n} className={marked.has(n + 1) ? 'marked' : ''} title={marked.get(n + 1)}>
            {n + 1}
          </div>
        ))}
      </div>
      <textarea
        ref={area}
        value={value}
        aria-label={label}
        aria-description={t('work.editorHint')}
        readOnly={readOnly}
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        onScroll={(event) => {
          if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}
