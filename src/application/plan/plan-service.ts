/** Plans and their decisions: starting, moving, superseding, and the views of a tree. */
import type { ContextItem } from '../../domain/context/accumulated-context.js';
import { parseCompressionRatio } from '../../domain/context/compression-ratio.js';
import { parseName } from '../../domain/context/project.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { type DecisionId, isUlid, parsePlanId, type PlanId } from '../../domain/kernel/ids.js';
import { requireFields } from '../../domain/kernel/requests.js';
import { requireText } from '../../domain/kernel/text.js';
import { type Decision, parseDecisionType, supersede } from '../../domain/plan/decision.js';
import { movePlan, type Plan, startPlan } from '../../domain/plan/plan.js';
import type { PlanMove } from '../../domain/plan/plan-phase.js';
import type { ProjectService } from '../context/project-service.js';
import type { Clock, NewId } from '../ports/system.js';
import type { Repositories, UnitOfWork } from '../ports/unit-of-work.js';

export interface PlanRequest {
  /** Name of an existing project. */
  readonly project: string;
  readonly goal: string;
  /** Unique within the project; a root may be found by it. */
  readonly name?: string;
  /** This plan's own setting for its children: share of tokens to remove, 0 to 1. */
  readonly skeletonRatio?: number;
}

export interface DecisionRequest {
  readonly type: string;
  readonly choice: string;
  readonly question?: string;
  readonly rationale?: string;
  readonly parentDecisionId?: DecisionId;
  /** An earlier decision of the same plan that this one takes the place of. */
  readonly supersedes?: DecisionId;
}

export class PlanService {
  constructor(
    private readonly repositories: Pick<Repositories, 'plans' | 'decisions' | 'fragments'>,
    private readonly unitOfWork: UnitOfWork<'plans' | 'decisions'>,
    private readonly projects: ProjectService,
    private readonly clock: Clock,
    private readonly newId: NewId,
  ) {}

  /** A new root plan with its first decision, the prompt definition. */
  async create(request: PlanRequest): Promise<Plan> {
    requireFields(request, 'A plan request', PLAN_FIELDS);
    const goal = requireText(request.goal, 'The goal');
    const { skeletonRatio } = request;
    const ratio = skeletonRatio === undefined ? null : parseCompressionRatio(skeletonRatio);
    const name = request.name === undefined ? null : parsePlanName(request.name);
    const project = await this.projects.getByName(request.project);
    const now = this.clock();
    const plan = startPlan({
      planId: this.newId() as PlanId,
      projectId: project.projectId,
      name,
      goal,
      skeletonRatio: ratio,
      now,
    });
    await this.unitOfWork(async ({ plans, decisions }) => {
      await plans.insert(plan);
      await decisions.insert([promptDefinition(this.newId() as DecisionId, plan, null)]);
    });
    return plan;
  }

  get(planId: string): Promise<Plan> {
    return this.repositories.plans.get(parsePlanId(planId));
  }

  /** The plan of this id, or the only root of this name. */
  async resolve(idOrName: string): Promise<Plan> {
    if (isUlid(idOrName)) return this.get(idOrName);
    const found = await this.repositories.plans.findByName(parseName(idOrName, 'The plan'));
    const [plan, another] = found;
    if (plan !== undefined && another === undefined) return plan;
    throw new OssatureError(
      'NOT_FOUND',
      plan === undefined
        ? `There is no plan ${JSON.stringify(idOrName)}. Give a plan_id or the name of a root plan; list the plans to see them.`
        : `Several plans are named ${JSON.stringify(idOrName)}: ${found.map(({ planId }) => planId).join(', ')}. Give the plan_id.`,
      { details: { plan: idOrName, candidates: found.map(({ planId }) => planId) } },
    );
  }

  /** Roots of one project, or of all, newest first. */
  async listRoots(project?: string): Promise<readonly Plan[]> {
    const owner = project === undefined ? null : await this.projects.getByName(project);
    return this.repositories.plans.listRoots(owner?.projectId ?? null);
  }

  /** The whole tree in which a plan stands, its root first. */
  async listTree(planId: PlanId): Promise<readonly Plan[]> {
    const { rootPlanId } = await this.repositories.plans.get(planId);
    return this.repositories.plans.listTree(rootPlanId);
  }

  /** One step of the table of allowed moves. ILLEGAL_MOVE, or STALE where somebody else moved it first. */
  async move(planId: string, move: PlanMove): Promise<Plan> {
    const moved = movePlan(await this.get(planId), move, this.clock());
    await this.repositories.plans.update(moved);
    return moved;
  }

  async listDecisions(planId: PlanId): Promise<readonly Decision[]> {
    await this.repositories.plans.get(planId);
    return this.repositories.decisions.listByPlan(planId);
  }

  /** The accumulated context, whole: own fragments in order of import, then inherited ones in order of inheritance. */
  listContext(
    planId: PlanId,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<readonly ContextItem[]> {
    return this.repositories.fragments.listItems(planId, page);
  }

  /** Takes a decision back by one of the same type and question with another choice. */
  async supersede(
    decisionId: DecisionId,
    by: { readonly choice: string; readonly rationale?: string },
  ): Promise<Decision> {
    const earlier = await this.repositories.decisions.get(decisionId);
    return this.decide(earlier.planId, {
      ...by,
      type: earlier.type,
      ...(earlier.question === null ? {} : { question: earlier.question }),
      ...(earlier.parentDecisionId === null ? {} : { parentDecisionId: earlier.parentDecisionId }),
      supersedes: decisionId,
    });
  }

  /**
   * Records a decision. Where it supersedes another, the fragments of that one leave every later
   * skeleton of the plan and of everything below it; spawns that are under way start over.
   */
  async decide(planId: string, request: DecisionRequest): Promise<Decision> {
    requireFields(request, 'A decision request', DECISION_FIELDS);
    const decision: Decision = {
      decisionId: this.newId() as DecisionId,
      planId: parsePlanId(planId),
      parentDecisionId: request.parentDecisionId ?? null,
      type: parseDecisionType(request.type),
      question: request.question === undefined ? null : requireText(request.question, 'question'),
      choice: requireText(request.choice, 'choice'),
      rationale:
        request.rationale === undefined ? null : requireText(request.rationale, 'rationale'),
      supersededBy: null,
      createdAt: this.clock(),
    };
    return this.unitOfWork(async ({ plans, decisions }) => {
      const plan = await plans.lockContext(decision.planId);
      if (decision.parentDecisionId !== null) await decisions.get(decision.parentDecisionId);
      await decisions.insert([decision]);
      if (request.supersedes !== undefined) {
        const earlier = await decisions.get(request.supersedes);
        supersede(earlier, decision);
        await decisions.markSuperseded(earlier.decisionId, decision.decisionId);
        await plans.touchSubtree(plan.planId, decision.createdAt);
      }
      return decision;
    });
  }
}

const PLAN_FIELDS: readonly (keyof PlanRequest)[] = ['project', 'goal', 'name', 'skeletonRatio'];

const DECISION_FIELDS: readonly (keyof DecisionRequest)[] = [
  'type',
  'choice',
  'question',
  'rationale',
  'parentDecisionId',
  'supersedes',
];

/** A name is where an id could be: one of the form of an id could never be looked up. */
function parsePlanName(value: string): string {
  const name = parseName(value, 'The plan name');
  if (!isUlid(name)) return name;
  throw new OssatureError(
    'INVALID_INPUT',
    `The plan name ${name} has the form of an id, so nobody could find the plan by it. Choose another name.`,
    { details: { field: 'name' } },
  );
}

/** The first decision of every plan: what it was asked to do. */
export function promptDefinition(
  decisionId: DecisionId,
  plan: Plan,
  parentDecisionId: DecisionId | null,
): Decision {
  return {
    decisionId,
    planId: plan.planId,
    parentDecisionId,
    type: 'prompt_definition',
    question: null,
    choice: plan.goal,
    rationale: null,
    supersededBy: null,
    createdAt: plan.createdAt,
  };
}
