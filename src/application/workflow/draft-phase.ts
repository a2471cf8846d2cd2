/** The port to whoever drafts the artifact of a phase. A draft passes the same checks as a person's. */
import type { ArtifactLayout } from '../../domain/workflow/artifact.js';

export interface DraftRequest {
  readonly goal: string;
  /** What is wanted: kind, sections, and the lists of an item. */
  readonly layout: ArtifactLayout;
  /** The most that the artifact may take, by the counter of the core. */
  readonly budgetTokens: number;
  /** Approved artifacts of the phases before, in order, as they are read. */
  readonly approved: readonly string[];
  /** What may be cited. Texts are redacted; null: it was not read. */
  readonly sources: readonly { readonly reference: string; readonly text: string | null }[];
  /** The version that stands there, as it is read; null: none. */
  readonly previous: string | null;
  /** Why that version was rejected. */
  readonly reasons: readonly string[];
  /** What is wrong with an answer, in words for its author; null: it would be taken. */
  readonly check: (artifact: unknown) => string | null;
}

export interface PhaseDraft {
  /** `{ kind, items: [{ item_id, section, text, … }] }`; not yet checked. */
  readonly artifact: unknown;
  /** Name of the model. */
  readonly model: string;
}

/**
 * Drafts one artifact. Called outside any transaction, never twice for one call; may be called
 * concurrently for different workflows.
 *
 * @throws OssatureError MODEL_UNAVAILABLE, MODEL_UNREADABLE for an answer that is cut, filtered or no JSON.
 */
export type DraftPhase = (request: DraftRequest, signal: AbortSignal) => Promise<PhaseDraft>;
