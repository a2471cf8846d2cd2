/**
 * Work in three phases: research, planning, implementation. Each leaves one artifact within its budget,
 * and none begins before the artifact of the one before was approved as it is.
 */
import { parseName } from '../../domain/context/project.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { isUlid } from '../../domain/kernel/ids.js';
import { requireText } from '../../domain/kernel/text.js';
import { parseSessionId, requireTenant } from '../../domain/session/session.js';
import { activePins } from '../../domain/session/summary/summary-item.js';
import { citedSources, type SpecItem } from '../../domain/workflow/artifact.js';
import { compareStages } from '../../domain/workflow/artifact-sizes.js';
import {
  type ActiveFile,
  buildImplementationContext,
  type ImplementationContext,
} from '../../domain/workflow/implementation-context.js';
import { readArtifact } from '../../domain/workflow/read-artifact.js';
import { renderForReading } from '../../domain/workflow/render-artifact.js';
import { parseSource } from '../../domain/workflow/source.js';
import {
  type Artifacts,
  gapsUpTo,
  type Trace,
  traceArtifacts,
} from '../../domain/workflow/trace.js';
import {
  noWorkflow,
  parsePhaseBudgets,
  type Workflow,
  type WorkflowKey,
} from '../../domain/workflow/workflow.js';
import {
  approvalInForce,
  approveArtifact,
  latestArtifact,
  rejectArtifact,
  requireStartable,
  stepOf,
  type Speaking,
} from '../../domain/workflow/workflow-acts.js';
import { WORKFLOW_PHASES, type WorkflowPhase } from '../../domain/workflow/workflow-phase.js';
import { draftInto } from './draft-artifact.js';
import { settlePin } from './pin-spec.js';
import { ProjectReader, type ProjectReading } from './project-reading.js';
import { putInto } from './put-artifact.js';
import { currentHashes, SourceRegister, sourceTokens } from './read-sources.js';
import { readWorkflow, type StoredWorkflow, voidedBy, writeStep } from './workflow-history.js';
import type {
  ApprovalReport,
  ApproveRequest,
  ContextRequest,
  CreateWorkflowRequest,
  DraftingRequest,
  PutReport,
  PutRequest,
  SourcesReport,
  SourcesRequest,
  TraceReport,
  VerdictRequest,
  WorkflowNeeds,
  WorkflowView,
} from './workflow-request.js';

/** Characters of a hash that tell artifacts apart. */
const SHORTEST_HASH = 8;

const NO_FILES: ProjectReading['readFile'] = async () => null;

export class WorkflowService {
  constructor(private readonly needs: WorkflowNeeds) {}

  /** @throws OssatureError ALREADY_EXISTS, NOT_FOUND for the project, INVALID_INPUT, INVALID_CONFIG. */
  async create(request: CreateWorkflowRequest): Promise<Workflow> {
    const { repositories, unitOfWork, clock, newId } = this.needs;
    const { redact } = request;
    const project = new ProjectReader(
      { readFile: NO_FILES, ...(redact !== undefined && { redact }) },
      this.needs.redact,
    );
    const now = clock();
    const owner = await repositories.projects.findByName(
      parseName(request.project, 'The project name'),
    );
    if (owner === null) {
      throw new OssatureError(
        'NOT_FOUND',
        `There is no project ${request.project}. Create it first.`,
        {
          details: { project: request.project },
        },
      );
    }
    const workflow: Workflow = {
      tenantId: requireTenant(request.tenantId),
      workflowId: newId(),
      projectId: owner.projectId,
      name: parseName(request.name, 'The workflow name'),
      goal: project.clean(requireText(request.goal, 'The goal')).trim(),
      phase: 'research',
      state: 'working',
      budgets: parsePhaseBudgets(request.budgets),
      pin: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
    if (isUlid(workflow.name)) {
      throw new OssatureError('INVALID_INPUT', 'The workflow name must not look like an id.', {
        details: { field: 'name' },
      });
    }
    const register = this.#register(workflow, [], project, now);
    for (const seed of request.seedExamples ?? []) register.keep({ ...seed, kind: 'seed' });
    const step = { ...stepOf(workflow, { updatedAt: now }), sources: register.news };
    const hasSources = step.sources.length > 0;
    await unitOfWork(async ({ workflows }) => {
      await workflows.insert(workflow);
      if (hasSources) await workflows.apply(step);
    });
    this.needs.log.info('workflow.created', { workflowId: workflow.workflowId });
    return hasSources ? step.workflow : workflow;
  }

  /** By name. */
  list(tenantId: string): Promise<readonly Workflow[]> {
    return this.needs.repositories.workflows.list(requireTenant(tenantId));
  }

  /** @param name a workflow_id, or the name. @throws OssatureError NOT_FOUND. */
  async resolve(tenantId: string, name: string): Promise<Workflow> {
    const { workflows } = this.needs.repositories;
    const isId: boolean = isUlid(name);
    if (isId) return workflows.get({ tenantId: requireTenant(tenantId), workflowId: name });
    const found = await workflows.findByName(requireTenant(tenantId), name.trim());
    if (found === null) throw noWorkflow(name);
    return found;
  }

  /** Everything of a workflow, with what each stage takes. @throws OssatureError NOT_FOUND. */
  async show(key: WorkflowKey): Promise<WorkflowView> {
    const stored = await readWorkflow(this.needs, { key });
    const tokensOf = (phase: WorkflowPhase) => latestArtifact(stored, phase)?.tokenCount ?? null;
    return {
      ...stored,
      stages: compareStages(
        sourceTokens(stored.sources),
        tokensOf('research'),
        tokensOf('planning'),
      ),
    };
  }

  /** Reads and registers sources; texts among them are kept. @throws OssatureError NOT_FOUND, INVALID_INPUT, STALE. */
  async addSources(request: SourcesRequest): Promise<SourcesReport> {
    const stored = await readWorkflow(this.needs, request);
    const now = this.needs.clock();
    const project = new ProjectReader(request.reading, this.needs.redact);
    const register = this.#register(stored.workflow, stored.sources, project, now);
    for (const text of request.texts ?? []) register.keep(text);
    for (const reference of request.references ?? []) await register.cite(parseSource(reference));
    const added = register.news;
    if (added.length === 0) return { workflow: stored.workflow, added };
    const step = { ...stepOf(stored.workflow, { updatedAt: now }), sources: added };
    await writeStep(this.needs, step);
    return { workflow: step.workflow, added };
  }

  /**
   * Puts a person's artifact. One that stands there already changes nothing; any other voids the approval
   * of the phase and of those after.
   *
   * @throws OssatureError INVALID_INPUT, ILLEGAL_MOVE where the phase cannot start, NOT_FOUND for a source, STALE.
   */
  async put(request: PutRequest): Promise<PutReport> {
    const by = parseName(request.by, 'by');
    const stored = await readWorkflow(this.needs, request);
    requireStartable(stored, request.phase);
    const project = new ProjectReader(request.reading, this.needs.redact);
    const artifact = readArtifact(request.phase, project.clean(request.text));
    const { phase } = request;
    return this.#settled(
      await putInto(this.needs, stored, phase, artifact, `person:${by}`, project),
    );
  }

  /**
   * Has a model draft the artifact, under the schema and budget of `put`.
   *
   * @throws OssatureError MODEL_UNAVAILABLE before any work where there is none; MODEL_UNREADABLE; as `put`.
   */
  async draft(request: DraftingRequest, signal: AbortSignal): Promise<PutReport> {
    return this.#settled(await draftInto(this.needs, request, signal));
  }

  /**
   * Approves exactly the artifact that is meant. Gaps stand against it until they are accepted.
   *
   * @throws OssatureError ILLEGAL_MOVE without an artifact to approve, STALE for another hash or version.
   */
  async approve(request: ApproveRequest): Promise<ApprovalReport> {
    const { phase, acceptGaps = false } = request;
    const speaking = this.#speaking(request);
    const stored = await readWorkflow(this.needs, request);
    const { workflow } = stored;
    const latest = latestArtifact(stored, phase)?.hash ?? '';
    const hash = meantHash(request.hash, latest);
    const before = approvalInForce(stored, phase);
    const { gaps: all } = await this.#trace(stored, request.reading);
    const gaps = gapsUpTo({ gaps: all }, phase);
    const step = approveArtifact(stored, phase, hash, gaps, speaking);
    if (before !== null) {
      return { outcome: 'unchanged', workflow, approval: before, gaps, voided: [] };
    }
    if (gaps.length > 0 && !acceptGaps) {
      return { outcome: 'gaps', workflow, approval: null, gaps, voided: [] };
    }
    await writeStep(this.needs, step);
    this.needs.log.info('workflow.approved', {
      workflowId: workflow.workflowId,
      phase,
      gaps: gaps.length,
    });
    const settled = await settlePin(this.needs, request.key);
    return { outcome: 'approved', workflow: settled, approval: step.approval, gaps, voided: [] };
  }

  /** Returns the phase to work, with reasons. @throws OssatureError INVALID_INPUT without reasons, ILLEGAL_MOVE, STALE. */
  async reject(request: VerdictRequest): Promise<ApprovalReport> {
    requireText(request.comment, 'The comment with the reasons');
    const stored = await readWorkflow(this.needs, request);
    const step = rejectArtifact(stored, request.phase, this.#speaking(request));
    await writeStep(this.needs, step);
    this.needs.log.info('workflow.rejected', { ...request.key, phase: request.phase });
    const workflow = await settlePin(this.needs, request.key);
    const voided = voidedBy(stored, step);
    return { outcome: 'rejected', workflow, approval: step.approval, gaps: [], voided };
  }

  /** From the steps back to the sources, with every gap. Sources are read again; nothing is written. */
  async trace(request: {
    readonly key: WorkflowKey;
    readonly reading: ProjectReading;
  }): Promise<TraceReport> {
    const stored = await readWorkflow(this.needs, request);
    return { ...(await this.#trace(stored, request.reading)), workflow: stored.workflow };
  }

  /**
   * What implementation starts from: the approved spec whole, the constraints, the files that fit.
   *
   * @throws OssatureError ILLEGAL_MOVE without an approved spec, NOT_FOUND for the session, STALE.
   */
  async context(
    request: ContextRequest,
  ): Promise<ImplementationContext & { readonly workflow: Workflow }> {
    const { key, reading } = request;
    const sessionId = request.sessionId === undefined ? null : parseSessionId(request.sessionId);
    const stored = await readWorkflow(this.needs, request);
    requireStartable(stored, 'implementation');
    const workflow = await settlePin(this.needs, key, sessionId);
    const spec = latestArtifact(stored, 'planning')?.artifact;
    if (spec === undefined) throw noWorkflow(workflow.name);
    const project = new ProjectReader(reading, this.needs.redact);
    const paths = new Set((spec.items as readonly SpecItem[]).flatMap(({ files }) => files));
    const files = [];
    for (const path of paths) files.push(await activeFile(project, path));
    const material = {
      goal: workflow.goal,
      constraints: await this.#constraints(workflow),
      spec: renderForReading(spec),
      files,
    };
    const { budgets } = workflow;
    const built = buildImplementationContext(
      material,
      budgets.implementation,
      this.needs.tokenCounter,
    );
    return { ...built, workflow };
  }

  async #settled(report: PutReport): Promise<PutReport> {
    if (report.outcome !== 'put') return report;
    return { ...report, workflow: await settlePin(this.needs, report.workflow) };
  }

  #register(
    key: WorkflowKey,
    known: StoredWorkflow['sources'],
    project: ProjectReader,
    now: Date,
  ): SourceRegister {
    const needs = { ...this.needs, sessions: this.needs.repositories.sessions };
    return new SourceRegister(needs, key, known, project, now);
  }

  async #trace(stored: StoredWorkflow, reading: ProjectReading): Promise<Trace> {
    const artifacts: Artifacts = Object.fromEntries(
      WORKFLOW_PHASES.flatMap((phase) => {
        const artifact = latestArtifact(stored, phase)?.artifact;
        return artifact === undefined ? [] : [[phase, artifact]];
      }),
    );
    const project = new ProjectReader(reading, this.needs.redact);
    const register = this.#register(stored.workflow, stored.sources, project, this.needs.clock());
    const cited = Object.values(artifacts).flatMap(citedSources);
    return traceArtifacts(artifacts, await currentHashes(cited, register, this.needs.digest));
  }

  /** Pins of the session that implements, but for the spec itself. */
  async #constraints({ tenantId, pin }: Workflow): Promise<readonly string[]> {
    if (pin === null) return [];
    const { summary } = await this.needs.summaries.read({ tenantId, sessionId: pin.sessionId });
    return activePins(summary).flatMap(({ itemNo, text }) => (itemNo === pin.itemNo ? [] : [text]));
  }

  #speaking({ by, comment }: VerdictRequest): Speaking {
    return {
      by: parseName(by, 'by'),
      comment: comment === undefined ? null : requireText(comment, 'The comment').trim(),
      now: this.needs.clock(),
    };
  }
}

/** A file that is no text is named like one that does not fit: it must not keep the spec from the agent. */
async function activeFile(project: ProjectReader, path: string): Promise<ActiveFile> {
  try {
    return { path, content: await project.file(path) };
  } catch (error) {
    if (!OssatureError.is(error, 'INVALID_INPUT')) throw error;
    return { path, content: null, missing: 'unreadable' };
  }
}

/** @throws OssatureError INVALID_INPUT for a beginning that is too short to mean one. */
function meantHash(given: string | undefined, latest: string): string {
  if (given === undefined) return latest;
  if (!/^[0-9a-f]+$/.test(given) || given.length < SHORTEST_HASH) {
    throw new OssatureError(
      'INVALID_INPUT',
      `The hash must be the one of the artifact, or its first ${SHORTEST_HASH} characters at least.`,
      { details: { field: 'hash' } },
    );
  }
  return latest.startsWith(given) ? latest : given;
}
