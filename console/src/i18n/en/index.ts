import type { Texts } from '../zh';
import { chat } from './chat';
import { parts } from './parts';
import { shell } from './shell';
import { signin } from './signin';
import { work } from './work';
import { runs } from './runs';
import { approvals } from './approvals';
import { inbox } from './inbox';
import { reminders } from './reminders';
import { tools } from './tools';
import { intents } from './intents';
import { evaluations } from './evaluations';
import { usage } from './usage';
import { agents } from './agents';
import { users } from './users';

export const texts: Texts = { chat, parts, shell, signin, work, runs, approvals, inbox, reminders, tools, intents, evaluations, usage, agents, users };
