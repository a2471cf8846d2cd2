/** What ingestion is made of, and what a session is filled by. */
import type { Digest, NewByteDigest, TokenCounter } from '../../domain/kernel/measures.js';
import type { Redact } from '../../domain/redaction/redact.js';
import type { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import type { MediaPrices } from '../../domain/session/media-prices.js';
import type { UnitPlacer } from '../../domain/session/place-entries.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import type { Logger } from '../ports/logger.js';
import type { Clock, NewId } from '../ports/system.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { CapsuleService } from './capsule-service.js';
import type { SessionPorts } from './session-ports.js';
import type { RunSettings } from './session-run.js';
import type { SessionSummaryService } from './session-summary-service.js';

/** What the service is made of. */
export interface IngestionParts {
  readonly repositories: SessionPorts;
  readonly unitOfWork: UnitOfWork<'sessions' | 'trails'>;
  readonly tokenCounter: TokenCounter;
  readonly mediaPrices: MediaPrices;
  readonly mappings: readonly ToolMapping[];
  readonly digest: Digest;
  readonly newByteDigest: NewByteDigest;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly capsules: Pick<CapsuleService, 'takeOver'>;
  readonly summaries: Pick<SessionSummaryService, 'dueTrigger'>;
  readonly log: Logger;
  /** Of requests that bring none; null: nothing is redacted. */
  readonly redact: Redact | null;
  /** Bytes of a medium above which its description alone is kept. */
  readonly maxAttachmentBytes: number;
}

export function runSettings(
  parts: IngestionParts,
  cleaner: TextCleaner,
  placer: UnitPlacer,
  dryRun: boolean,
): RunSettings {
  const { repositories, unitOfWork, mappings, clock, newId } = parts;
  const { tokenCounter: counter, digest, mediaPrices: prices } = parts;
  const { maxAttachmentBytes } = parts;
  const measures = { cleaner, counter, digest, prices, maxAttachmentBytes };
  return { repositories, unitOfWork, mappings, clock, newId, measures, placer, dryRun };
}

/** A note of receipts. */
export const REDACTION_OFF = 'Redaction was switched off for this import.';
