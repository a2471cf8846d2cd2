/** Fragments over maps. */
import type {
  FragmentReference,
  StoredFragment,
} from '../../../domain/context/accumulated-context.js';
import type { FragmentRepository } from '../../../domain/context/repositories.js';
import { byAge, found, requireDecision, requirePlan } from './in-memory-rules.js';
import type { State } from './in-memory-state.js';

export function inMemoryFragments(current: () => State): FragmentRepository {
  const get = ({ planId, fragmentId }: FragmentReference): StoredFragment =>
    current().fragments.get(planId)?.get(fragmentId) ??
    found<StoredFragment>(
      undefined,
      `Plan ${planId} holds no fragment ${JSON.stringify(fragmentId)}.`,
    );
  const isSuperseded = ({ decisionId }: StoredFragment): boolean => {
    const decision = decisionId === null ? undefined : current().decisions.get(decisionId);
    return decision !== undefined && decision.supersededBy !== null;
  };
  const own = (planId: string): readonly StoredFragment[] => [
    ...(current().fragments.get(planId)?.values() ?? []),
  ];
  const inherited = (planId: string): readonly StoredFragment[] =>
    current()
      .records.filter(({ childPlanId }) => childPlanId === planId)
      .sort(byAge(({ recordId }) => recordId))
      .flatMap(({ kept }) => kept.map(get));
  const recallsBy = (planId: string): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>();
    for (const { pass, parentPlanId, kept } of current().records) {
      const [recalled] = kept;
      if (pass !== 'recall' || parentPlanId !== planId || recalled === undefined) continue;
      const key = `${recalled.planId}/${recalled.fragmentId}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  };

  return {
    async add(planId, given) {
      const state = current();
      if (given.length > 0) requirePlan(state, planId);
      for (const { decisionId } of given) requireDecision(state, decisionId);
      const held = state.fragments.get(planId) ?? new Map<string, StoredFragment>();
      state.fragments.set(planId, held);
      const added: string[] = [];
      for (const fragment of given) {
        if (held.has(fragment.fragmentId)) continue;
        const stored = kept(fragment, planId);
        held.set(fragment.fragmentId, stored);
        state.imported.push(stored);
        added.push(fragment.fragmentId);
      }
      return added;
    },
    async findHashes(planId, fragmentIds) {
      const held = current().fragments.get(planId);
      return new Map(
        fragmentIds.flatMap((id) => {
          const fragment = held?.get(id);
          return fragment === undefined ? [] : [[id, fragment.contentHash]];
        }),
      );
    },
    async listEntries(planId) {
      const recalls = recallsBy(planId);
      return [...own(planId), ...inherited(planId)].map((fragment) => ({
        planId: fragment.planId,
        fragmentId: fragment.fragmentId,
        tokenCount: fragment.tokenCount,
        relevance: fragment.relevance,
        decisionId: fragment.decisionId,
        superseded: isSuperseded(fragment),
        recalls:
          recalls.size === 0 ? 0 : (recalls.get(`${fragment.planId}/${fragment.fragmentId}`) ?? 0),
      }));
    },
    sumTokens: async (planId) =>
      [...own(planId), ...inherited(planId)].reduce((sum, { tokenCount }) => sum + tokenCount, 0),
    async getMany(references) {
      const wanted = new Set(references.map(get));
      return current().imported.filter((fragment) => wanted.has(fragment));
    },
    async listItems(planId, { offset, limit }) {
      return [
        ...own(planId).map((fragment) => ({ ...fragment, origin: 'own' as const })),
        ...inherited(planId).map((fragment) => ({ ...fragment, origin: 'inherited' as const })),
      ]
        .slice(offset, offset + limit)
        .map((item) => ({ ...item, superseded: isSuperseded(item) }));
    },
  };
}

/** What the caller does with its objects afterwards must not reach the store. */
function kept(fragment: StoredFragment, planId: StoredFragment['planId']): StoredFragment {
  const { metadata, createdAt } = fragment;
  return {
    ...fragment,
    planId,
    metadata:
      metadata === null
        ? null
        : (JSON.parse(JSON.stringify(metadata)) as NonNullable<StoredFragment['metadata']>),
    createdAt: createdAt === null ? null : new Date(createdAt),
  };
}
