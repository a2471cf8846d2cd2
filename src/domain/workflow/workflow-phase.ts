/** The three phases of a workflow, in the one order they are worked through. */
import { OssatureError } from '../kernel/errors.js';

export const WORKFLOW_PHASES = ['research', 'planning', 'implementation'] as const;
export type WorkflowPhase = (typeof WORKFLOW_PHASES)[number];

/** `working`: there is nothing to approve; `in-review`: an artifact waits for its approval. */
export const WORKFLOW_STATES = ['working', 'in-review', 'completed'] as const;
export type WorkflowState = (typeof WORKFLOW_STATES)[number];

/** @throws OssatureError INVALID_INPUT listing the phases. */
export function parseWorkflowPhase(value: unknown): WorkflowPhase {
  const phase = WORKFLOW_PHASES.find((known) => known === value);
  if (phase !== undefined) return phase;
  throw new OssatureError(
    'INVALID_INPUT',
    `The phase must be one of ${WORKFLOW_PHASES.join(', ')}.`,
    { details: { field: 'phase', known: WORKFLOW_PHASES } },
  );
}

export function phasesBefore(phase: WorkflowPhase): readonly WorkflowPhase[] {
  return WORKFLOW_PHASES.slice(0, WORKFLOW_PHASES.indexOf(phase));
}

/** The phase and those after it. */
export function phasesFrom(phase: WorkflowPhase): readonly WorkflowPhase[] {
  return WORKFLOW_PHASES.slice(WORKFLOW_PHASES.indexOf(phase));
}

/** Null behind the last. */
export function phaseAfter(phase: WorkflowPhase): WorkflowPhase | null {
  return WORKFLOW_PHASES[WORKFLOW_PHASES.indexOf(phase) + 1] ?? null;
}
