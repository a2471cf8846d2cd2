/** Looking at an assembly without using it: what would be shown of a project's plan, and why. */
import type { ExclusionReason } from '../../domain/assembly/assembly-fragment.js';
import type { AssemblyPayload } from '../../domain/assembly/assembly-payload.js';
import type { AssemblySettings } from '../../domain/assembly/assembly-request.js';
import {
  explainPolicy,
  parsePolicyView,
  type PolicyView,
  type ResolvedRatio,
} from '../../domain/context/context-policy.js';
import type { Project } from '../../domain/context/project.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { parsePlanId, type PlanId } from '../../domain/kernel/ids.js';
import type { ProjectService } from '../context/project-service.js';
import type { Repositories } from '../ports/unit-of-work.js';
import type { ContextAssemblyPipeline } from './context-assembly-pipeline.js';

export interface InspectionRequest extends AssemblySettings {
  /** Name of an existing project. */
  readonly project: string;
  /** A plan of the project; left out: its newest root. */
  readonly planId?: string;
}

export interface Inspection {
  readonly project: Project;
  readonly planId: PlanId;
  readonly view: PolicyView;
  /** Share that a spawn **removes** in this view. Not the share that an assembly reserves. */
  readonly spawnRatio: ResolvedRatio;
  /** What an assembly for the plan's goal gives. */
  readonly payload: AssemblyPayload;
}

export interface Simulation {
  readonly project: Project;
  readonly planId: PlanId;
  readonly payload: AssemblyPayload;
  /** Fragments that strategies offered, and what became of them. */
  readonly fused: {
    readonly offered: number;
    readonly duplicates: number;
    readonly shallower: number;
    readonly kept: number;
    readonly overBudget: number;
    readonly tooSmall: number;
  };
}

export class ContextInspectionService {
  constructor(
    private readonly projects: ProjectService,
    private readonly repositories: Pick<Repositories, 'plans' | 'policies'>,
    private readonly pipeline: ContextAssemblyPipeline,
  ) {}

  /** What would be assembled for the plan's own goal. NOT_FOUND where project or plan is missing. */
  async inspect({
    view = 'default',
    ...request
  }: InspectionRequest & { readonly view?: string }): Promise<Inspection> {
    const wanted = parsePolicyView(view);
    const { project, planId, settings } = await this.resolve(request);
    const policy = await this.repositories.policies.get(project.projectId);
    const payload = await this.pipeline.assemble({ ...settings, planId });
    return { project, planId, view: wanted, spawnRatio: explainPolicy(policy)[wanted], payload };
  }

  /** A dry run for a query; nothing is changed, nor would a real one change anything. */
  async simulate({
    query,
    preferredStrategies = [],
    ...request
  }: InspectionRequest & {
    readonly query: string;
    readonly preferredStrategies?: readonly string[];
  }): Promise<Simulation> {
    const { project, planId, settings } = await this.resolve(request);
    const payload = await this.pipeline.assemble({
      ...settings,
      planId,
      query,
      preferredStrategies,
    });
    const offers = payload.excluded.filter(({ strategy }) => strategy !== null);
    const count = (reason: ExclusionReason): number =>
      offers.filter((one) => one.reason === reason).length;
    return {
      project,
      planId,
      payload,
      fused: {
        offered: payload.strategies.reduce((sum, { offered }) => sum + offered, 0),
        duplicates: count('duplicate'),
        shallower: count('shallower'),
        kept: payload.fragments.length,
        overBudget: count('over-budget'),
        tooSmall: count('too-small'),
      },
    };
  }

  private async resolve({ project: name, planId: wanted, ...settings }: InspectionRequest) {
    const project = await this.projects.getByName(name);
    if (wanted !== undefined) {
      const plan = await this.repositories.plans.get(parsePlanId(wanted));
      if (plan.projectId === project.projectId) return { project, planId: plan.planId, settings };
      throw new OssatureError(
        'INVALID_INPUT',
        `Plan ${plan.planId} is not of the project ${JSON.stringify(project.name)}.`,
        { details: { field: 'plan', planId: plan.planId } },
      );
    }
    const [newest] = await this.repositories.plans.listRoots(project.projectId);
    if (newest !== undefined) return { project, planId: newest.planId, settings };
    throw new OssatureError(
      'NOT_FOUND',
      `The project ${JSON.stringify(project.name)} has no plan to assemble for. Create one first.`,
      { details: { project: project.name } },
    );
  }
}
