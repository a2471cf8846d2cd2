/** Starting root plans, and the views over many plans. */
import type { Plan } from '../../../domain/plan/plan.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult } from '../view.js';

export interface CreateOptions {
  readonly project: string;
  readonly goal: string;
  readonly name?: string;
  readonly skeletonRatio?: number;
}

export function createPlan(terminal: Terminal, options: CreateOptions): Promise<CommandResult> {
  const { project, goal, name, skeletonRatio } = options;
  return withCore(terminal, async (core) => {
    const plan = await core.plans.create({
      project,
      goal,
      ...(name === undefined ? {} : { name }),
      ...(skeletonRatio === undefined ? {} : { skeletonRatio }),
    });
    return {
      data: planFacts(plan),
      view: [
        {
          block: 'fields',
          title: 'Plan created',
          fields: [
            ['plan_id', plan.planId],
            ...(plan.name === null ? [] : [['name', plan.name] as const]),
            ['project', project],
            ['goal', plan.goal],
            ...(plan.skeletonRatio === null
              ? []
              : [['skeleton_ratio', String(plan.skeletonRatio)] as const]),
          ],
        },
      ],
    };
  });
}

export function listPlans(terminal: Terminal, project?: string): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const plans = await core.plans.listRoots(project);
    const names = new Map((await core.projects.list()).map((one) => [one.projectId, one.name]));
    return {
      data: {
        plans: plans.map((plan) => ({ ...planFacts(plan), project: names.get(plan.projectId) })),
      },
      view: [
        {
          block: 'table',
          title: 'Plans',
          columns: [
            { title: 'plan_id' },
            { title: 'name', isElastic: true },
            { title: 'project', isElastic: true },
            { title: 'phase' },
            { title: 'state' },
            { title: 'goal', isElastic: true },
          ],
          rows: plans.map((plan) => [
            plan.planId,
            plan.name ?? '',
            names.get(plan.projectId) ?? '',
            plan.phase,
            plan.state,
            plan.goal,
          ]),
          none: 'There are no plans. Start one with `agents plan create --project NAME --goal TEXT`.',
        },
      ],
    };
  });
}

export function showTree(terminal: Terminal, name: string): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { planId } = await core.plans.resolve(name);
    const plans = await core.plans.listTree(planId);
    const ordered = depthFirst(plans);
    return {
      data: {
        rootPlanId: plans[0]?.planId ?? planId,
        plans: ordered.map(({ plan }) => planFacts(plan)),
      },
      view: [
        {
          block: 'table',
          title: 'Plan tree',
          columns: [
            { title: 'plan_id' },
            { title: 'phase' },
            { title: 'state' },
            { title: 'skeleton', align: 'right' },
            { title: 'goal', isElastic: true },
          ],
          rows: ordered.map(({ plan, branch }) => [
            `${branch}${plan.planId}`,
            plan.phase,
            plan.state,
            plan.skeletonMetadata === null ? '' : String(plan.skeletonMetadata.compressedTokens),
            plan.goal,
          ]),
          none: '',
        },
      ],
    };
  });
}

/** A plan as commands answer with it. */
export function planFacts(plan: Plan) {
  const { planId, projectId, parentPlanId, rootPlanId, depth, name, goal, phase, state } = plan;
  const { reversions, skeletonRatio, version, createdAt, updatedAt } = plan;
  return {
    planId,
    projectId,
    parentPlanId,
    rootPlanId,
    depth,
    name,
    goal,
    phase,
    state,
    reversions,
    skeletonRatio,
    version,
    createdAt,
    updatedAt,
  };
}

interface Placed {
  readonly plan: Plan;
  /** The lines that lead to it. */
  readonly branch: string;
}

/** Each plan followed by what it spawned; the input is ordered by depth and age. */
function depthFirst(plans: readonly Plan[]): readonly Placed[] {
  const childrenOf = new Map<string | null, Plan[]>();
  for (const plan of plans) {
    const siblings = childrenOf.get(plan.parentPlanId);
    if (siblings === undefined) childrenOf.set(plan.parentPlanId, [plan]);
    else siblings.push(plan);
  }
  const below = (parent: string | null, lead: string): readonly Placed[] => {
    const children = childrenOf.get(parent) ?? [];
    return children.flatMap((plan, index) => {
      if (parent === null) return [{ plan, branch: '' }, ...below(plan.planId, '')];
      const isLast = index === children.length - 1;
      return [
        { plan, branch: `${lead}${isLast ? '└─ ' : '├─ '}` },
        ...below(plan.planId, `${lead}${isLast ? '   ' : '│  '}`),
      ];
    });
  };
  return below(null, '');
}
