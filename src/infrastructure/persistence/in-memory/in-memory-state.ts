/** What an in-memory store holds. A transaction works on a copy and swaps it in when it succeeds. */
import type { StoredFragment } from '../../../domain/context/accumulated-context.js';
import type { ContextPolicy } from '../../../domain/context/context-policy.js';
import type { Project } from '../../../domain/context/project.js';
import type { Decision } from '../../../domain/plan/decision.js';
import type { Plan } from '../../../domain/plan/plan.js';
import type { CompressionRecord } from '../../../domain/skeleton/compression-record.js';

export interface State {
  readonly projects: Map<string, Project>;
  readonly policies: Map<string, ContextPolicy>;
  readonly plans: Map<string, Plan>;
  readonly decisions: Map<string, Decision>;
  /** By plan, then by fragment id, in order of import. */
  readonly fragments: Map<string, Map<string, StoredFragment>>;
  /** Every fragment, over all plans, in order of import. */
  readonly imported: StoredFragment[];
  readonly records: CompressionRecord[];
}

export function emptyState(): State {
  return {
    projects: new Map(),
    policies: new Map(),
    plans: new Map(),
    decisions: new Map(),
    fragments: new Map(),
    imported: [],
    records: [],
  };
}

export function copyOf(state: State): State {
  return {
    projects: new Map(state.projects),
    policies: new Map(state.policies),
    plans: new Map(state.plans),
    decisions: new Map(state.decisions),
    fragments: new Map([...state.fragments].map(([planId, held]) => [planId, new Map(held)])),
    imported: [...state.imported],
    records: [...state.records],
  };
}
