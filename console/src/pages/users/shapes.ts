export type UserState = 'active' | 'disabled' | 'invited' | 'locked';

export interface UserRow {
  login: string;
  name: string;
  roles: string[];
  effective: string[];
  state: UserState;
  created: string;
  last_seen: string | null;
  source: 'password' | 'oidc';
}

export interface Token {
  id: string;
  name: string;
  scopes: string[];
  created: string;
  expires: string;
  last_used: string | null;
  prefix: string;
}

export interface Entry {
  seq: number;
  at: string;
  event: string;
  login: string;
  by: string;
  address: string;
  about: Record<string, unknown>;
}

/** Somebody as the directory has him. */
export interface Known {
  login: string;
  name: string;
  aliases: string[];
  titles: string[];
  roles: string[];
  departments: string[];
  manager: string;
  description: string;
  number: string;
  addresses: Record<string, string>;
}

/** Whom a description means: people without doubt, else those among whom to choose. */
export interface Meant {
  people: Contact[];
  candidates: Contact[];
  departments: string[];
}

interface Contact {
  login: string;
  name: string;
  about: string;
}

export const ROLES = ['user', 'approver', 'operator', 'admin'] as const;
export const SCOPES = ['chat', 'approve', 'operate', 'admin'] as const;
