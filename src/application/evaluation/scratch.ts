/** A core of its own in memory, for passes that must leave the stored sessions as they are. */
import type { SummaryPorts } from '../session/read-pass-material.js';
import type { ArtifactTrailService } from '../session/artifact-trail-service.js';
import type { SessionSummaryService } from '../session/session-summary-service.js';
import type { Summarizer } from '../session/summarise.js';
import type { TranscriptIngestionService } from '../session/transcript-ingestion-service.js';

export interface Scratch {
  readonly repositories: SummaryPorts;
  readonly ingestion: TranscriptIngestionService;
  readonly trails: ArtifactTrailService;
  readonly summaries: SessionSummaryService;
}

/**
 * Port: an empty core, forgotten when nobody holds it. Its ids count from 1 and its clock stands, so that
 * equal work in it gives equal bytes.
 *
 * @param summarizer of its passes; null: that of the core, where it has one.
 */
export type OpenScratch = (summarizer: Summarizer | null) => Scratch;
