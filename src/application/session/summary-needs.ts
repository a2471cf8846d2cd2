/** What the work on summaries needs. */
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { Redact } from '../../domain/redaction/redact.js';
import type { Logger } from '../ports/logger.js';
import type { Clock, NewId } from '../ports/system.js';
import type { StartTimer } from '../ports/timer.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { SummaryPorts } from './read-pass-material.js';
import type { Reviewer } from './review-summary.js';
import type { Summarizer } from './summarise.js';

export interface SummaryNeeds {
  readonly repositories: SummaryPorts;
  readonly unitOfWork: UnitOfWork<'sessions' | 'summaries'>;
  readonly tokenCounter: TokenCounter;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
}

/** What passes need beside that. */
export interface PassNeeds extends SummaryNeeds {
  readonly startTimer: StartTimer;
  /** Null: passes work without a model. */
  readonly summarizer: Summarizer | null;
  /** Null: what a summarizer wrote is not looked over, and no session may ask for it. */
  readonly reviewer: Reviewer | null;
  /** Of requests that bring none; null: nothing is redacted. */
  readonly redact: Redact | null;
}
