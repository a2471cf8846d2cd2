/** A stored session as material for a plan: decisions and fragments from its entries, page by page. */
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import { NO_REDACTION } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import {
  type MaterialChoice,
  PlanMaterial,
  type PlanMaterialItem,
} from '../../domain/session/plan-material.js';
import type { SessionRepository } from '../../domain/session/repositories.js';
import type { Session } from '../../domain/session/session.js';

export interface StoredMaterialRequest {
  readonly sessions: Pick<SessionRepository, 'listEntries'>;
  readonly session: Session;
  /** The plan that the material is for: its decisions get ids of their own. */
  readonly planId: string;
  /** The plan holds a prompt_definition already: the first human prompt is a user_intervention. */
  readonly planHasPrompt: boolean;
  readonly counter: TokenCounter;
  readonly digest: Digest;
  readonly choice: MaterialChoice;
}

export interface StoredMaterial {
  /** A decision comes before the fragments that name it. To be read once. */
  readonly items: AsyncIterable<PlanMaterialItem>;
  /** Complete once the last item was read. */
  readonly material: Pick<PlanMaterial, 'leftOut' | 'incomplete' | 'shortened'>;
}

/** Entries read at once; their contents are held no longer than their units are open. */
const PAGE_ENTRIES = 1_000;

export function readStoredMaterial(request: StoredMaterialRequest): StoredMaterial {
  const { session, planId, planHasPrompt, counter, digest, choice } = request;
  const material = new PlanMaterial({
    sessionId: session.sessionId,
    owner: planId,
    digest,
    counter,
    // What is stored went through redaction on its way in.
    cleaner: new TextCleaner(NO_REDACTION),
    planHasPrompt,
    choice,
  });
  return { items: readItems(request, material), material };
}

async function* readItems(
  { sessions, session }: StoredMaterialRequest,
  material: PlanMaterial,
): AsyncGenerator<PlanMaterialItem> {
  for (let from = 1; from <= session.lastSeq; from += PAGE_ENTRIES) {
    const to = Math.min(from + PAGE_ENTRIES - 1, session.lastSeq);
    for (const entry of await sessions.listEntries(session, { from, to })) {
      yield* material.add(entry);
    }
  }
  yield* material.finish();
}
