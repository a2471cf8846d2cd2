/** Workflows and what belongs to them, as JSON and YAML show them. */
import { artifactJson } from '../../../domain/workflow/check-artifact.js';
import type { ArtifactVersion, Workflow } from '../../../domain/workflow/workflow.js';
import { Verbatim } from '../wire-names.js';

export function workflowFacts(workflow: Workflow) {
  const { workflowId, projectId, name, goal, phase, state, budgets, version, pin } = workflow;
  const { createdAt, updatedAt } = workflow;
  return {
    workflowId,
    projectId,
    name,
    goal,
    phase,
    state,
    budgets,
    session: pin,
    version,
    createdAt,
    updatedAt,
  };
}

/** Without its items. */
export function artifactFacts({ artifact, ...facts }: ArtifactVersion) {
  return { kind: artifact.kind, ...facts, itemCount: artifact.items.length };
}

/** The artifact in the form that `put` takes back. */
export function artifactDocument({ artifact }: ArtifactVersion): Verbatim {
  return new Verbatim(artifactJson(artifact));
}
