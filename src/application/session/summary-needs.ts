/** What the work on summaries needs. */
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { Logger } from '../ports/logger.js';
import type { Clock, NewId } from '../ports/system.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { SummaryPorts } from './read-pass-material.js';

export interface SummaryNeeds {
  readonly repositories: SummaryPorts;
  readonly unitOfWork: UnitOfWork<'sessions' | 'summaries'>;
  readonly tokenCounter: TokenCounter;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
}
