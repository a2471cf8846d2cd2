/** Reads what a plan knows, as fragments of an assembly in the order of time. */
import type {
  AssemblyFragment,
  ExcludedFragment,
} from '../../domain/assembly/assembly-fragment.js';
import type { StoredFragment } from '../../domain/context/accumulated-context.js';
import type { PlanId, ProjectId } from '../../domain/kernel/ids.js';
import type { FragmentScorer } from '../../domain/relevance/score-relevance.js';
import type { Repositories } from '../ports/unit-of-work.js';

export interface PlanContext {
  readonly planId: PlanId;
  readonly projectId: ProjectId;
  readonly goal: string;
  /** The plan first, the root last. */
  readonly lineage: readonly PlanId[];
  /** Live fragments, own and inherited, oldest first, with their stored relevance. */
  readonly fragments: readonly AssemblyFragment[];
  /** Fragments of decisions that were taken back. */
  readonly superseded: readonly ExcludedFragment[];
}

export class PlanContextReader {
  constructor(
    private readonly repositories: Pick<Repositories, 'plans' | 'fragments'>,
    private readonly scoreRelevance: FragmentScorer,
  ) {}

  /** @throws OssatureError NOT_FOUND where there is no such plan. */
  async read(planId: PlanId): Promise<PlanContext> {
    const { plans, fragments } = this.repositories;
    const { projectId, goal, parentPlanId } = await plans.get(planId);
    const ancestors = parentPlanId === null ? [] : await plans.listAncestors(planId);
    const lineage = [planId, ...ancestors.map((ancestor) => ancestor.planId)];
    const entries = await fragments.listEntries(planId);
    const live = entries.filter(({ superseded }) => !superseded);
    const stored = live.length === 0 ? [] : await fragments.getMany(live);
    const generations = new Map<string, number>(lineage.map((id, distance) => [id, distance]));
    return {
      planId,
      projectId,
      goal,
      lineage,
      fragments: stored.map((one, at) =>
        assemblyFragment(one, at, stored.length, generations.get(one.planId) ?? lineage.length),
      ),
      superseded: entries
        .filter(({ superseded }) => superseded)
        .map(({ planId: holder, fragmentId, tokenCount }) => ({
          planId: holder,
          fragmentId,
          tokenCount,
          reason: 'superseded',
          strategy: null,
        })),
    };
  }

  /**
   * The same fragments with their relevance to the query, the best one 1: a score says which is
   * better, and beside the other parts of a composite it must also say by how much. An empty query
   * changes nothing.
   */
  rate(fragments: readonly AssemblyFragment[], query: string): readonly AssemblyFragment[] {
    if (query.trim() === '' || fragments.length === 0) return fragments;
    const scores = this.scoreRelevance(query, fragments);
    let best = 0;
    for (const score of scores) if (score > best) best = score;
    return fragments.map((fragment, at) => ({
      ...fragment,
      relevance: best > 0 ? (scores[at] ?? 0) / best : 0,
      relevanceTo: 'query',
    }));
  }
}

function assemblyFragment(
  stored: StoredFragment,
  at: number,
  count: number,
  generation: number,
): AssemblyFragment {
  const { planId, fragmentId, content, tokenCount, tokenCounter, relevance, decisionId } = stored;
  const kind = stored.metadata?.['kind'];
  const turn = stored.metadata?.['turn'];
  const session = fragmentId.slice(0, Math.max(0, fragmentId.lastIndexOf(':')));
  return {
    planId,
    fragmentId,
    content,
    tokenCount,
    tokenCounter,
    relevance,
    decisionId,
    relevanceTo: 'stored',
    position: at,
    recency: (at + 1) / count,
    hierarchy: 1 / (1 + generation),
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(typeof turn === 'number' ? { group: `${planId}/${session}#${turn}` } : {}),
  };
}
