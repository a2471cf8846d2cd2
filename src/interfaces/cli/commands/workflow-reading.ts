/** The work of `agents workflow list`, `show`, `trace` and `context`. */
import type { WorkflowView } from '../../../application/workflow/workflow-request.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { renderArtifact } from '../../../domain/workflow/render-artifact.js';
import { gapText } from '../../../domain/workflow/trace.js';
import { approvalInForce, latestArtifact } from '../../../domain/workflow/workflow-acts.js';
import { WORKFLOW_PHASES, type WorkflowPhase } from '../../../domain/workflow/workflow-phase.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type CommandResult, type Field, formatCount, type Message } from '../view.js';
import { readingOf } from './workflow-acts.js';
import { artifactDocument, artifactFacts, workflowFacts } from './workflow-facts.js';

export interface ReadingOptions {
  readonly tenant: string;
  readonly projectRoot?: string;
}

export interface ShowOptions extends ReadingOptions {
  readonly phase?: WorkflowPhase;
}

export interface ContextOptions extends ReadingOptions {
  readonly session?: string;
}

export function listWorkflows(
  terminal: Terminal,
  { tenant }: ReadingOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const workflows = await core.workflows.list(tenant);
    return {
      data: { workflows: workflows.map(workflowFacts) },
      view: [
        {
          block: 'table',
          title: 'Workflows',
          columns: [
            { title: 'name', isElastic: true },
            { title: 'workflow_id' },
            { title: 'phase' },
            { title: 'state' },
          ],
          rows: workflows.map(({ name, workflowId, phase, state }) => [
            name,
            workflowId,
            phase,
            state,
          ]),
          none: 'There are no workflows. Begin one with `agents workflow create NAME`.',
        },
      ],
    };
  });
}

export function showWorkflow(
  terminal: Terminal,
  name: string,
  { phase, tenant }: ShowOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { workflows } = core;
    const view = await workflows.show(await workflows.resolve(tenant, name));
    return phase === undefined ? whole(view) : onePhase(view, phase);
  });
}

function whole(view: WorkflowView): CommandResult {
  const { workflow, artifacts, approvals, sources, stages } = view;
  const { name, workflowId, goal, phase, state, version, budgets } = workflow;
  const ratio = (share: number | null): string => (share === null ? 'none' : String(share));
  return {
    data: {
      ...workflowFacts(workflow),
      artifacts: artifacts.map(artifactFacts),
      approvals,
      sources: sources.map(({ content, ...source }) => ({ ...source, isKept: content !== null })),
      stages,
    },
    view: [
      {
        block: 'fields',
        title: name,
        fields: [
          ['workflow_id', workflowId],
          ['goal', goal],
          ['phase', phase],
          ['state', state],
          ['version', String(version)],
          ['source tokens', formatCount(stages.sourceTokens)],
          ['research to sources', ratio(stages.researchRatio)],
          ['spec to research', ratio(stages.specRatio)],
          ['spec to sources', ratio(stages.overallRatio)],
        ],
      },
      {
        block: 'table',
        title: 'Phases',
        isPart: true,
        columns: [
          { title: 'phase' },
          { title: 'version', align: 'right' },
          { title: 'tokens', align: 'right' },
          { title: 'budget', align: 'right' },
          { title: 'approved by', isElastic: true },
          { title: 'hash' },
        ],
        rows: WORKFLOW_PHASES.map((one) => {
          const latest = latestArtifact(view, one);
          return [
            one,
            latest === null ? 'none' : String(latest.version),
            latest === null ? '0' : formatCount(latest.tokenCount),
            formatCount(budgets[one]),
            approvalInForce(view, one)?.by ?? 'nobody',
            latest?.hash.slice(0, 12) ?? '',
          ];
        }),
        none: '',
      },
    ],
  };
}

function onePhase(view: WorkflowView, phase: WorkflowPhase): CommandResult {
  const latest = latestArtifact(view, phase);
  if (latest === null) {
    throw new OssatureError('NOT_FOUND', `The ${phase} phase has no artifact yet.`, {
      details: { phase },
    });
  }
  return {
    data: {
      ...workflowFacts(view.workflow),
      artifact: { ...artifactFacts(latest), document: artifactDocument(latest) },
      approval: approvalInForce(view, phase),
    },
    view: [{ block: 'text', text: renderArtifact(latest.artifact) }],
  };
}

export function showTrace(
  terminal: Terminal,
  name: string,
  { tenant, projectRoot }: ReadingOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const reading = await readingOf(projectRoot);
    const key = await core.workflows.resolve(tenant, name);
    const { workflow, items, gaps, unchecked } = await core.workflows.trace({ key, reading });
    return {
      data: { ...workflowFacts(workflow), items, gaps, unchecked },
      messages: unchecked.map((reference): Message => ({
        level: 'info',
        text: `Not looked at: ${reference}.`,
      })),
      view: [
        {
          block: 'table',
          title: `Trace of ${workflow.name}`,
          columns: [
            { title: 'item' },
            { title: 'stands on', isElastic: true },
            { title: 'sources', isElastic: true },
          ],
          rows: items.map(({ itemId, standsOn, sources }) => [
            itemId,
            standsOn.join(', '),
            sources.map((source) => source.replace(/@[0-9a-f]{64}$/, '')).join(', '),
          ]),
          none: 'No phase has an artifact yet.',
        },
        {
          block: 'table',
          title: 'Gaps',
          isPart: true,
          columns: [{ title: 'phase' }, { title: 'gap', isElastic: true }],
          rows: gaps.map((gap) => [gap.phase, gapText(gap)]),
          none: 'No gaps.',
        },
      ],
    };
  });
}

export function showContext(
  terminal: Terminal,
  name: string,
  { tenant, projectRoot, session }: ContextOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const reading = await readingOf(projectRoot);
    const key = await core.workflows.resolve(tenant, name);
    const sessionId =
      session === undefined
        ? undefined
        : (await core.sessions.stored.resolve(tenant, session)).sessionId;
    const { workflow, ...context } = await core.workflows.context({
      key,
      reading,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    const { outcome, text, tokens, budgetTokens, leftOut } = context;
    const isOver = outcome === 'over-budget';
    const sizes: readonly Field[] = [
      ['tokens', `${formatCount(tokens)} of ${formatCount(budgetTokens)}`],
      ['constraints', formatCount(context.constraintTokens)],
      ['spec', formatCount(context.specTokens)],
    ];
    return {
      data: { ...workflowFacts(workflow), ...context },
      exitCode: isOver ? 1 : 0,
      messages: leftOut.map(({ path, reason }): Message => ({
        level: 'warning',
        text: `Not shown: ${path} (${reason}).`,
      })),
      view: isOver
        ? [{ block: 'fields', title: 'Goal, constraints and spec do not fit', fields: sizes }]
        : [{ block: 'text', text }],
    };
  });
}
