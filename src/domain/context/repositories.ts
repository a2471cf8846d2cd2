/**
 * Ports to the store of projects, policies and fragments. Implementations must be safe for
 * concurrent use by several processes. Each has a contract suite, shipped as `ossature/testing`.
 *
 * `find…` may be empty; `get…` throws NOT_FOUND; `list…` is ordered as stated; a store that cannot be
 * reached is STORE_UNAVAILABLE, and every other failure of it is STORE_FAILED.
 */
import type { PlanId, ProjectId } from '../kernel/ids.js';
import type {
  ContextEntry,
  ContextItem,
  FragmentReference,
  StoredFragment,
} from './accumulated-context.js';
import type { CompressionRatio } from './compression-ratio.js';
import type { ContextPolicy, PolicyView } from './context-policy.js';
import type { Project } from './project.js';

export interface ProjectRepository {
  /** ALREADY_EXISTS where another project has the name. */
  insert(project: Project): Promise<void>;
  findByName(name: string): Promise<Project | null>;
  get(projectId: ProjectId): Promise<Project>;
  /** Every project, by name in code-unit order. */
  list(): Promise<readonly Project[]>;
}

export interface ContextPolicyRepository {
  /** A project without settings has an empty policy; an unknown project too. */
  get(projectId: ProjectId): Promise<ContextPolicy>;
  /** Sets one view's ratio, or clears it with null. NOT_FOUND for an unknown project. */
  setSkeletonRatio(
    projectId: ProjectId,
    view: PolicyView,
    ratio: CompressionRatio | null,
    now: Date,
  ): Promise<void>;
}

export interface FragmentRepository {
  /**
   * Adds fragments to a plan in the given order and returns the ids of those that were new. A
   * fragment whose id the plan already holds is left as it is, whatever its content: the caller
   * compares with `findHashes`.
   */
  add(planId: PlanId, fragments: readonly StoredFragment[]): Promise<readonly string[]>;
  /** The hashes by which the plan itself (not what it inherited) knows these ids; absent: unknown. */
  findHashes(planId: PlanId, fragmentIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * The accumulated context by size: own fragments and inherited ones, in no stated order, without
   * any text. NOT_FOUND is not thrown: an unknown plan has no context.
   */
  listEntries(planId: PlanId): Promise<readonly ContextEntry[]>;
  /** Tokens of the accumulated context, superseded fragments included; 0 for an unknown plan. */
  sumTokens(planId: PlanId): Promise<number>;
  /** Whole fragments in order of import, which is the order of time; an unknown reference is NOT_FOUND. */
  getMany(references: readonly FragmentReference[]): Promise<readonly StoredFragment[]>;
  /** The accumulated context, whole: own in order of import, then inherited in order of inheritance. */
  listItems(
    planId: PlanId,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<readonly ContextItem[]>;
}
