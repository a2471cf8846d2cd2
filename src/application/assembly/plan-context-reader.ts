/** Reads what a plan knows, as fragments of an assembly in the order of time. */
import type {
  AssemblyFragment,
  ExcludedFragment,
} from '../../domain/assembly/assembly-fragment.js';
import type { StoredFragment } from '../../domain/context/accumulated-context.js';
import type { PlanId, ProjectId } from '../../domain/kernel/ids.js';
import type { FragmentScorer, ScorableFragment } from '../../domain/relevance/score-relevance.js';
import { spreadScores } from '../../domain/relevance/spread-scores.js';
import type { Repositories } from '../ports/unit-of-work.js';
import { checkedScorer } from './checked-scorer.js';

export interface PlanContext {
  readonly planId: PlanId;
  readonly projectId: ProjectId;
  readonly goal: string;
  /** The plan first, the root last. */
  readonly lineage: readonly PlanId[];
  /** Live fragments, own and inherited, oldest first. */
  readonly stored: readonly StoredFragment[];
  /** Fragments of decisions that were taken back. */
  readonly superseded: readonly ExcludedFragment[];
}

export class PlanContextReader {
  private readonly scoreRelevance: FragmentScorer;

  constructor(
    private readonly repositories: Pick<Repositories, 'plans' | 'fragments'>,
    scoreRelevance: FragmentScorer,
  ) {
    this.scoreRelevance = checkedScorer(scoreRelevance);
  }

  /** @throws OssatureError NOT_FOUND where there is no such plan. */
  async read(planId: PlanId): Promise<PlanContext> {
    const { plans, fragments } = this.repositories;
    const { projectId, goal, parentPlanId } = await plans.get(planId);
    const ancestors = parentPlanId === null ? [] : await plans.listAncestors(planId);
    const lineage = [planId, ...ancestors.map((ancestor) => ancestor.planId)];
    const entries = await fragments.listEntries(planId);
    const live = entries.filter(({ superseded }) => !superseded);
    const stored = live.length === 0 ? [] : await fragments.getMany(live);
    return {
      planId,
      projectId,
      goal,
      lineage,
      stored,
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

  /** Its inherited fragments with their stored relevance, unchangeable. */
  inheritedOf(plan: PlanContext): readonly AssemblyFragment[] {
    const fragmentAt = fragmentsOf(plan);
    const inherited: AssemblyFragment[] = [];
    plan.stored.forEach(({ planId, relevance }, at) => {
      if (planId !== plan.planId) inherited.push(fragmentAt(at, relevance, 'stored'));
    });
    return Object.freeze(inherited);
  }

  /**
   * Its fragments with their relevance to the query ({@link spreadScores}); with an empty query the
   * stored relevance holds. Each is at the place that its `position` says, and unchangeable.
   */
  rate(plan: PlanContext, query: string): readonly AssemblyFragment[] {
    const { stored } = plan;
    const fragmentAt = fragmentsOf(plan);
    if (query.trim() === '' || stored.length === 0) {
      return Object.freeze(stored.map(({ relevance }, at) => fragmentAt(at, relevance, 'stored')));
    }
    const relevances = spreadScores(this.scoreRelevance(query, stored.map(scorable)));
    return Object.freeze(stored.map((_, at) => fragmentAt(at, relevances[at] ?? 0, 'query')));
  }
}

type FragmentAt = (
  at: number,
  relevance: number,
  relevanceTo: 'query' | 'stored',
) => AssemblyFragment;

/** Makes the fragments one by one, each once: at a hundred thousand, a second copy is felt. */
function fragmentsOf({ stored, lineage }: PlanContext): FragmentAt {
  const generationOf = new Map<string, number>(lineage.map((id, distance) => [id, distance]));
  const groupOf = groupNames();
  return (at, relevance, relevanceTo) => {
    const one = stored[at];
    if (one === undefined) throw new RangeError(`There is no fragment ${at}.`);
    const { planId, fragmentId, content, tokenCount, tokenCounter, decisionId } = one;
    const kind = one.metadata?.['kind'];
    const turn = one.metadata?.['turn'];
    return Object.freeze<AssemblyFragment>({
      planId,
      fragmentId,
      content,
      tokenCount,
      tokenCounter,
      relevance,
      decisionId,
      relevanceTo,
      position: at,
      recency: recencyOf(stored.length - 1 - at),
      hierarchy: 1 / (1 + (generationOf.get(planId) ?? lineage.length)),
      ...(typeof kind === 'string' ? { kind } : {}),
      ...(typeof turn === 'number' ? { group: groupOf(planId, fragmentId, turn) } : {}),
    });
  };
}

/**
 * Fragments, about a turn of an agent. By place in time alone, half of a long context would count as
 * new, and outweigh what was asked for: on meetings, a quarter of the evidence was lost to it.
 */
const HALF_AGE = 8;

/** @param age how many fragments are newer */
function recencyOf(age: number): number {
  return HALF_AGE / (HALF_AGE + age);
}

/** Names of turns. Neighbours are mostly of one turn, and then share its name. */
function groupNames(): (planId: string, fragmentId: string, turn: number) => string {
  let latest = { planId: '', session: '', turn: Number.NaN, name: '' };
  return (planId, fragmentId, turn) => {
    const session = fragmentId.slice(0, Math.max(0, fragmentId.lastIndexOf(':')));
    const isSame = latest.turn === turn && latest.session === session && latest.planId === planId;
    if (!isSame) latest = { planId, session, turn, name: `${planId}/${session}#${turn}` };
    return latest.name;
  };
}

/** What scoring reads, apart from the fragment: a scorer of the host's cannot change what is shown. */
function scorable({ content, tokenCount, metadata }: StoredFragment): ScorableFragment {
  const kind = metadata?.['kind'];
  return typeof kind === 'string' ? { content, tokenCount, kind } : { content, tokenCount };
}
