/** An artifact put into its phase, by a person or a model: the same schema, the same budget. */
import { OssatureError } from '../../domain/kernel/errors.js';
import {
  type Artifact,
  citedSources,
  LAYOUTS,
  withSources,
} from '../../domain/workflow/artifact.js';
import { type ArtifactSizes, measureArtifact } from '../../domain/workflow/artifact-sizes.js';
import { renderArtifact } from '../../domain/workflow/render-artifact.js';
import { referenceOf, type Source } from '../../domain/workflow/source.js';
import {
  isStanding,
  latestArtifact,
  putArtifact,
  requireStartable,
  type WorkflowHistory,
} from '../../domain/workflow/workflow-acts.js';
import type { WorkflowPhase } from '../../domain/workflow/workflow-phase.js';
import type { ProjectReader } from './project-reading.js';
import { SourceRegister } from './read-sources.js';
import { type StoredWorkflow, voidedBy, writeStep } from './workflow-history.js';
import type { PutReport, WorkflowNeeds } from './workflow-request.js';

/** Who made it, as it is recorded. */
export type Producer = `person:${string}` | `model:${string}`;

export async function putInto(
  needs: WorkflowNeeds,
  stored: StoredWorkflow,
  phase: WorkflowPhase,
  given: Artifact,
  producer: Producer,
  project: ProjectReader,
): Promise<PutReport> {
  const { workflow } = stored;
  requireStartable(stored, phase);
  requireKnownItems(stored, phase, given);
  const sizes = sizesOf(needs, stored, phase, given);
  const standing = latestArtifact(stored, phase);
  const report = { workflow, phase, artifact: standing, sizes, voided: [], unread: [] };
  if (sizes.tokens > sizes.budgetTokens) return { ...report, outcome: 'over-budget' };

  const now = needs.clock();
  const register = new SourceRegister(
    { ...needs, sessions: needs.repositories.sessions },
    workflow,
    stored.sources,
    project,
    now,
  );
  const artifact = await withReadSources(given, register);
  const hash = needs.digest(renderArtifact(artifact));
  if (isStanding(stored, phase, hash)) return { ...report, outcome: 'unchanged' };
  const { name, version } = needs.tokenCounter;
  const made = {
    phase,
    artifact,
    hash,
    tokenCount: sizes.tokens,
    counterName: name,
    counterVersion: version,
    producer,
    createdAt: now,
  };
  const step = putArtifact(stored, made, register.news);
  await writeStep(needs, step);
  needs.log.info('workflow.artifact-put', {
    workflowId: workflow.workflowId,
    phase,
    version: step.artifact?.version,
    tokens: sizes.tokens,
    voided: step.voided,
  });
  return {
    ...report,
    outcome: 'put',
    workflow: step.workflow,
    artifact: step.artifact,
    voided: voidedBy(stored, step),
  };
}

export function sizesOf(
  { tokenCounter }: Pick<WorkflowNeeds, 'tokenCounter'>,
  { workflow }: Pick<WorkflowHistory, 'workflow'>,
  phase: WorkflowPhase,
  artifact: Artifact,
): ArtifactSizes {
  return measureArtifact(artifact, workflow.budgets[phase], tokenCounter);
}

/** A name that leads nowhere is a slip, unlike an item that names nothing. INVALID_INPUT lists all of them. */
export function requireKnownItems(
  history: WorkflowHistory,
  phase: WorkflowPhase,
  artifact: Artifact,
): void {
  const list = LAYOUTS[phase].lists.find(({ holds }) => holds === 'item-ids');
  if (list === undefined) return;
  const behind = phase === 'planning' ? 'research' : 'planning';
  const known = new Set(
    latestArtifact(history, behind)?.artifact.items.map(({ itemId }) => itemId) ?? [],
  );
  const unknown = artifact.items.flatMap((item) => {
    const named = (item as unknown as Readonly<Record<string, readonly string[]>>)[list.field];
    return (named ?? []).filter((id) => !known.has(id)).map((id) => `${item.itemId} names ${id}`);
  });
  if (unknown.length === 0) return;
  throw new OssatureError(
    'INVALID_INPUT',
    `The approved ${behind} artifact has no such items: ${unknown.slice(0, 20).join(', ')}. It has ${[...known].slice(0, 50).join(', ')}.`,
    { details: { field: list.field, unknown } },
  );
}

/** Each cited source with the hash of what it holds; a hash that it carries says what was read, and stays. */
async function withReadSources(artifact: Artifact, register: SourceRegister): Promise<Artifact> {
  const read = new Map<string, Source>();
  for (const source of citedSources(artifact)) {
    const reference = referenceOf(source);
    if (source.hash === null && !read.has(reference)) {
      read.set(reference, await register.cite(source));
    }
  }
  return withSources(artifact, (source) =>
    source.hash === null ? (read.get(referenceOf(source)) ?? source) : source,
  );
}
