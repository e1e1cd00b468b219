import {
  CheckCircleFilled,
  ClockCircleFilled,
  CloseCircleFilled,
  EditFilled,
  EyeFilled,
  LoadingOutlined,
  MinusCircleOutlined,
  PauseCircleOutlined,
  QuestionCircleFilled,
  ThunderboltFilled,
  WarningFilled,
} from '@ant-design/icons';
import type { ReactNode } from 'react';

import type { Tone } from '../app/palette';
import { useT } from '../i18n';
import { lookOf, type Look } from './state';
import './parts.css';

const ICONS: Record<Look['icon'], ReactNode> = {
  run: <LoadingOutlined />,
  wait: <ClockCircleFilled />,
  ok: <CheckCircleFilled />,
  bad: <CloseCircleFilled />,
  stop: <MinusCircleOutlined />,
  ask: <QuestionCircleFilled />,
  idle: <PauseCircleOutlined />,
  warn: <WarningFilled />,
  eye: <EyeFilled />,
  pen: <EditFilled />,
  bolt: <ThunderboltFilled />,
};

/** The state of a thing: a colour, an icon and a word. `word` replaces the usual one. */
export function StateTag({ state, word }: { state: string; word?: string | undefined }) {
  const t = useT();
  const look = lookOf(state);
  return (
    <span className={`tag tone-${look?.tone ?? 'neutral'}`}>
      <span aria-hidden="true">{ICONS[look?.icon ?? 'idle']}</span>
      {word ?? (look ? t(look.word) : state)}
    </span>
  );
}

/** A word on a coloured ground, where a thing has no state but a kind. */
export function Tag({ tone = 'neutral', icon, children }: { tone?: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span className={`tag tone-${tone}`}>
      {icon !== undefined && <span aria-hidden="true">{icon}</span>}
      {children}
    </span>
  );
}

/** The icon of a state alone, for where its word stands beside. */
export function StateIcon({ state }: { state: string }) {
  const look = lookOf(state);
  return (
    <span className={`state-icon tone-text-${look?.tone ?? 'neutral'}`} aria-hidden="true">
      {ICONS[look?.icon ?? 'idle']}
    </span>
  );
}
