/** What of the store a session is filled through. */
import type { Repositories } from '../ports/unit-of-work.js';

export type SessionPorts = Pick<Repositories, 'sessions' | 'trails'>;
