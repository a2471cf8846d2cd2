/** Stages of single projects and plans: those of the plan before those of its project before the global ones. */
import { type AssemblyStages, STAGE_NAMES } from '../../domain/assembly/assembly-stages.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { isUlid } from '../../domain/kernel/ids.js';

export interface ScopedStages {
  /** By project_id. */
  readonly projects?: Readonly<Record<string, Partial<AssemblyStages>>>;
  /** By plan_id; a plan's stages are not those of its children. */
  readonly plans?: Readonly<Record<string, Partial<AssemblyStages>>>;
}

export class StageOverrides {
  private readonly byProject = new Map<string, Partial<AssemblyStages>>();
  private readonly byPlan = new Map<string, Partial<AssemblyStages>>();

  /** @throws OssatureError INVALID_INPUT where a stage is unknown or no function, INVALID_ID. */
  constructor({ projects = {}, plans = {} }: ScopedStages = {}) {
    for (const [projectId, stages] of Object.entries(projects)) this.setProject(projectId, stages);
    for (const [planId, stages] of Object.entries(plans)) this.setPlan(planId, stages);
  }

  /** Takes the place of what was set for the project before; an empty record clears it. */
  setProject(projectId: string, stages: Partial<AssemblyStages>): void {
    this.byProject.set(requireId(projectId, 'project_id'), requireStages(stages));
  }

  /** Takes the place of what was set for the plan before; an empty record clears it. */
  setPlan(planId: string, stages: Partial<AssemblyStages>): void {
    this.byPlan.set(requireId(planId, 'plan_id'), requireStages(stages));
  }

  /** The global stages with what is set for the plan and its project in their place. */
  over(
    global: AssemblyStages,
    scope: { readonly planId: string; readonly projectId: string },
  ): AssemblyStages {
    return { ...global, ...this.byProject.get(scope.projectId), ...this.byPlan.get(scope.planId) };
  }
}

/**
 * The stages that are set; a misspelt one would never be called.
 *
 * @throws OssatureError INVALID_INPUT naming the stage.
 */
export function requireStages(stages: Partial<AssemblyStages>): Partial<AssemblyStages> {
  const given: unknown = stages;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new OssatureError('INVALID_INPUT', 'Stages are a record of functions by their names.', {
      details: { field: 'stages' },
    });
  }
  const set = Object.entries(stages).filter(([, stage]) => stage !== undefined);
  for (const [name, stage] of set) {
    if (STAGE_NAMES.some((known) => known === name) && typeof stage === 'function') continue;
    throw new OssatureError(
      'INVALID_INPUT',
      `${JSON.stringify(name)} must be a function and one of the stages: ${STAGE_NAMES.join(', ')}.`,
      { details: { field: name } },
    );
  }
  return Object.fromEntries(set) as Partial<AssemblyStages>;
}

function requireId(value: string, field: string): string {
  if (isUlid(value)) return value;
  throw new OssatureError('INVALID_ID', `${field} must be a ULID.`, { details: { field } });
}
