/** The pages: one line each. Those with an icon stand in the navigation, in this order. */
import {
  ApiOutlined,
  AuditOutlined,
  BarChartOutlined,
  ClockCircleOutlined,
  CompassOutlined,
  ExperimentOutlined,
  InboxOutlined,
  MessageOutlined,
  NodeIndexOutlined,
  RobotOutlined,
  TeamOutlined,
} from '@ant-design/icons';
import { lazy, type ComponentType, type LazyExoticComponent, type ReactNode } from 'react';

import type { TextKey } from '../i18n';
import type { Role } from './session';

/** The counts that the navigation shows. */
export type Badge = 'inbox' | 'approvals';

export interface PageRoute {
  path: string;
  page: LazyExoticComponent<ComponentType>;
  title: TextKey;
  /** Where the navigation goes, when `path` has parameters. */
  to?: string;
  icon?: ReactNode;
  role?: Role;
  badge?: Badge;
  /** The page fills the window and scrolls by itself. */
  full?: boolean;
}

export const routes: readonly PageRoute[] = [
  { path: '/chat/:conversation?', to: '/chat', page: lazy(() => import('../pages/chat')), title: 'shell.chat', icon: <MessageOutlined />, full: true },
  { path: '/inbox', page: lazy(() => import('../pages/inbox')), title: 'shell.inbox', icon: <InboxOutlined />, badge: 'inbox' },
  { path: '/approvals', page: lazy(() => import('../pages/approvals')), title: 'shell.approvals', icon: <AuditOutlined />, badge: 'approvals' },
  { path: '/reminders', page: lazy(() => import('../pages/reminders')), title: 'shell.reminders', icon: <ClockCircleOutlined /> },
  { path: '/runs', page: lazy(() => import('../pages/runs')), title: 'shell.runs', icon: <NodeIndexOutlined /> },
  { path: '/runs/:run', page: lazy(() => import('../pages/runs/Detail')), title: 'shell.runs' },
  { path: '/tools', page: lazy(() => import('../pages/tools')), title: 'shell.tools', icon: <ApiOutlined />, role: 'operator' },
  { path: '/intents', page: lazy(() => import('../pages/intents')), title: 'shell.intents', icon: <CompassOutlined />, role: 'operator' },
  { path: '/evaluations', page: lazy(() => import('../pages/evaluations')), title: 'shell.evaluations', icon: <ExperimentOutlined />, role: 'operator' },
  { path: '/evaluations/:evaluation', page: lazy(() => import('../pages/evaluations/Detail')), title: 'shell.evaluations', role: 'operator' },
  { path: '/usage', page: lazy(() => import('../pages/usage')), title: 'shell.usage', icon: <BarChartOutlined /> },
  { path: '/agents', page: lazy(() => import('../pages/agents')), title: 'shell.agents', icon: <RobotOutlined />, role: 'operator' },
  { path: '/agents/:agent', page: lazy(() => import('../pages/agents/Editor')), title: 'shell.agents', role: 'operator' },
  { path: '/users', page: lazy(() => import('../pages/users')), title: 'shell.users', icon: <TeamOutlined />, role: 'admin' },
  { path: '/account', page: lazy(() => import('../pages/account')), title: 'shell.account' },
];
