/** A draft asked of a model: what it is given, and the checks that its answer passes. */
import { OssatureError } from '../../domain/kernel/errors.js';
import { LAYOUTS } from '../../domain/workflow/artifact.js';
import { parseArtifactJson } from '../../domain/workflow/check-artifact.js';
import { renderForReading } from '../../domain/workflow/render-artifact.js';
import { readSeedExample, renderSeedExample } from '../../domain/workflow/seed-example.js';
import { parseSource, referenceOf, type Source } from '../../domain/workflow/source.js';
import type { JsonValue } from '../../domain/redaction/json-value.js';
import {
  latestArtifact,
  reasonsAgainst,
  requireStartable,
} from '../../domain/workflow/workflow-acts.js';
import { phasesBefore, type WorkflowPhase } from '../../domain/workflow/workflow-phase.js';
import type { DraftRequest } from './draft-phase.js';
import { ProjectReader } from './project-reading.js';
import { putInto, requireKnownItems, sizesOf } from './put-artifact.js';
import { SourceRegister } from './read-sources.js';
import { readWorkflow, type StoredWorkflow } from './workflow-history.js';
import type { DraftingRequest, PutReport, WorkflowNeeds } from './workflow-request.js';

/** Tokens of source texts in one request; sources behind that are told by name. Half of a common window. */
const SOURCE_TOKENS = 60_000;

/** Kinds whose texts a draft is given. A spec is written from the research, not from its sources once more. */
const KINDS_READ: Readonly<Record<WorkflowPhase, readonly Source['kind'][]>> = {
  research: ['document', 'seed', 'file', 'entry', 'url'],
  planning: ['seed'],
  implementation: ['entry', 'document'],
};

/** @throws OssatureError MODEL_UNAVAILABLE before anything else where there is no model. */
export async function draftInto(
  needs: WorkflowNeeds,
  request: DraftingRequest,
  signal: AbortSignal,
): Promise<PutReport> {
  const { draftPhase } = needs;
  if (draftPhase === null) {
    throw new OssatureError(
      'MODEL_UNAVAILABLE',
      'There is no model that could draft. Set OSSATURE_MODEL and OSSATURE_MODEL_BASE_URL, hand over a languageModel, or write the artifact yourself and put it.',
      { details: { port: 'DraftPhase' } },
    );
  }
  const { phase, reading } = request;
  const stored = await readWorkflow(needs, request);
  requireStartable(stored, phase);
  const project = new ProjectReader(reading, needs.redact);
  const sources = await sourceTexts(needs, stored, phase, project);
  const read = (artifact: unknown) =>
    parseArtifactJson(phase, project.cleanJson(artifact as JsonValue));
  const draft = await draftPhase(
    {
      goal: stored.workflow.goal,
      layout: LAYOUTS[phase],
      budgetTokens: stored.workflow.budgets[phase],
      approved: phasesBefore(phase).flatMap((before) => asRead(stored, before) ?? []),
      sources,
      previous: asRead(stored, phase),
      reasons: reasonsAgainst(stored, phase),
      check: (answer) => {
        try {
          const artifact = read(answer);
          requireKnownItems(stored, phase, artifact);
          const { tokens, budgetTokens } = sizesOf(needs, stored, phase, artifact);
          return tokens <= budgetTokens
            ? null
            : `it takes ${tokens} tokens of ${budgetTokens}: say less`;
        } catch (error) {
          if (!OssatureError.is(error)) throw error;
          return error.message;
        }
      },
    },
    signal,
  );
  const artifact = read(draft.artifact);
  const report = await putInto(needs, stored, phase, artifact, `model:${draft.model}`, project);
  const unread = sources.flatMap(({ reference, text }) => (text === null ? [reference] : []));
  return { ...report, unread };
}

function asRead(stored: StoredWorkflow, phase: WorkflowPhase): string | null {
  const artifact = latestArtifact(stored, phase)?.artifact;
  return artifact === undefined ? null : renderForReading(artifact);
}

async function sourceTexts(
  needs: WorkflowNeeds,
  { workflow, sources }: StoredWorkflow,
  phase: WorkflowPhase,
  project: ProjectReader,
): Promise<DraftRequest['sources']> {
  const sessions = needs.repositories.sessions;
  const register = new SourceRegister(
    { ...needs, sessions },
    workflow,
    sources,
    project,
    needs.clock(),
  );
  const kinds = KINDS_READ[phase];
  const wanted = [...new Set(sources.map(({ reference }) => reference))]
    .map(parseSource)
    .filter(({ kind }) => kinds.includes(kind))
    .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  let free = SOURCE_TOKENS;
  const texts: { reference: string; text: string | null }[] = [];
  for (const source of wanted) {
    const content = (await register.textOf(source)) ?? null;
    const text =
      content !== null && source.kind === 'seed'
        ? `${renderSeedExample(readSeedExample(content))}\n\n${content}`
        : content;
    const tokens = text === null ? 0 : needs.tokenCounter.count(text);
    const fits = tokens <= free;
    if (fits) free -= tokens;
    texts.push({ reference: referenceOf(source), text: fits ? text : null });
  }
  return texts;
}
