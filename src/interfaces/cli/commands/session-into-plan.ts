/** A transcript as context of a plan, as `agents plan import` makes it. */
import { readPlanMaterial } from '../../../application/session/read-plan-material.js';
import type {
  TranscriptReader,
  TranscriptSource,
} from '../../../application/session/transcript-reader.js';
import type { Redact } from '../../../domain/redaction/redact.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';

/** What a plan got of a source. */
export interface PlanShare {
  readonly decisions: number;
  readonly fragments: number;
}

interface Wanted {
  readonly source: TranscriptSource;
  readonly reader: TranscriptReader;
  readonly redact: Redact;
  readonly planId: string;
  readonly dryRun: boolean;
}

/** @returns what was added; on a dry run what the source holds, known or not. */
export async function intoPlan(
  core: Ossature,
  { source, reader, redact, planId, dryRun }: Wanted,
): Promise<PlanShare> {
  const { TOKENS } = await import('../../../index.js');
  const { sessionItems } = await import('../session-items.js');
  const counter = core.resolve(TOKENS.tokenCounter);
  const digest = core.resolve(TOKENS.digest);
  const reading = readPlanMaterial({
    source,
    reader,
    digest,
    counter,
    redact,
    planId,
    planHasPrompt: true,
  });
  if (!dryRun) {
    const written = await core.imports.import(planId, sessionItems(reading.items, counter));
    return { decisions: written.decisionsAdded, fragments: written.fragmentsAdded };
  }
  const share = { decisions: 0, fragments: 0 };
  for await (const { item } of reading.items) {
    share[item === 'decision' ? 'decisions' : 'fragments'] += 1;
  }
  return share;
}
