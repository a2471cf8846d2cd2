/** Projects and their context policies: what was set, what applies, and where it came from. */
import {
  type CompressionRatio,
  parseCompressionRatio,
} from '../../domain/context/compression-ratio.js';
import {
  type ContextPolicy,
  explainPolicy,
  parsePolicyView,
  type PolicyView,
  type ResolvedRatio,
} from '../../domain/context/context-policy.js';
import { parseName, type Project } from '../../domain/context/project.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { ProjectId } from '../../domain/kernel/ids.js';
import type { Clock, NewId } from '../ports/system.js';
import type { Repositories, UnitOfWork } from '../ports/unit-of-work.js';

export interface PolicyChange {
  readonly project: Project;
  readonly view: PolicyView;
  /** What the view itself said before and after; null: not set, so it falls back. */
  readonly before: CompressionRatio | null;
  readonly after: CompressionRatio | null;
}

export class ProjectService {
  constructor(
    private readonly repositories: Pick<Repositories, 'projects' | 'policies'>,
    private readonly unitOfWork: UnitOfWork<'projects' | 'policies'>,
    private readonly clock: Clock,
    private readonly newId: NewId,
  ) {}

  /** ALREADY_EXISTS where the name is taken. */
  async create(name: string): Promise<Project> {
    const project: Project = {
      projectId: this.newId() as ProjectId,
      name: parseName(name, 'The project name'),
      createdAt: this.clock(),
    };
    await this.unitOfWork(({ projects }) => projects.insert(project));
    return project;
  }

  list(): Promise<readonly Project[]> {
    return this.repositories.projects.list();
  }

  async getByName(name: string): Promise<Project> {
    const project = await this.repositories.projects.findByName(
      parseName(name, 'The project name'),
    );
    if (project !== null) return project;
    throw new OssatureError(
      'NOT_FOUND',
      `There is no project ${JSON.stringify(name)}. Create it, or list those that exist.`,
      { details: { project: name } },
    );
  }

  /** Sets the ratio of one view of the policy; null clears it, so that the view falls back again. */
  async setSkeletonRatio(
    name: string,
    ratio: number | null,
    view: string = 'default',
  ): Promise<PolicyChange> {
    const after = ratio === null ? null : parseCompressionRatio(ratio);
    const wanted = parsePolicyView(view);
    const project = await this.getByName(name);
    return this.unitOfWork(async ({ policies }) => {
      const policy = await policies.get(project.projectId);
      await policies.setSkeletonRatio(project.projectId, wanted, after, this.clock());
      return { project, view: wanted, before: policy.skeletonRatios[wanted] ?? null, after };
    });
  }

  /** Every view with the ratio that applies to it and the view that set it; null: built in. */
  async explainPolicy(name: string): Promise<{
    readonly project: Project;
    readonly policy: ContextPolicy;
    readonly views: Readonly<Record<PolicyView, ResolvedRatio>>;
  }> {
    const project = await this.getByName(name);
    const policy = await this.repositories.policies.get(project.projectId);
    return { project, policy, views: explainPolicy(policy) };
  }
}
