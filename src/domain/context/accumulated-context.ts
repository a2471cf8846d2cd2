/**
 * A plan's accumulated context: its own fragments and those that it inherited. A fragment is stored
 * once, with the plan that brought it in; inheriting refers to it and copies nothing.
 */
import type { DecisionId, PlanId } from '../kernel/ids.js';
import type { ContextFragment } from './context-fragment.js';

/** Names one fragment of the store: ids are unique within a plan's accumulated context, not across plans. */
export interface FragmentReference {
  /** The plan that holds the fragment. */
  readonly planId: PlanId;
  readonly fragmentId: string;
}

/** A fragment by size alone: what a pass needs to decide, without the text. */
export interface ContextEntry extends FragmentReference {
  readonly tokenCount: number;
  readonly relevance: number;
  readonly decisionId: DecisionId | null;
  /** True where its decision was superseded: no later skeleton may carry it. */
  readonly superseded: boolean;
  /** How often a child had to recall it after a pass of this plan had left it behind. */
  readonly recalls: number;
}

/** A fragment as a plan holds it. Immutable once stored. */
export interface StoredFragment extends ContextFragment, FragmentReference {
  readonly decisionId: DecisionId | null;
  /** SHA-256 of the content, lower-case hexadecimal: equal content is recognised without being read. */
  readonly contentHash: string;
  /** `name@version` of the counter behind tokenCount; null where the count was given from outside. */
  readonly tokenCounter: string | null;
  /** A JSON object of the source's own facts (kind, turn, …), or null. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** When the source says that it came to be; null where it does not say. */
  readonly createdAt: Date | null;
}

/** A fragment together with how the plan that is looked at came by it. */
export interface ContextItem extends StoredFragment {
  readonly origin: 'own' | 'inherited';
  readonly superseded: boolean;
}
