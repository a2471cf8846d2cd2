/** The work of `agents workflow create`, `source`, `put`, `draft`, `approve` and `reject`. */
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { GivenText } from '../../../application/workflow/read-sources.js';
import type { ProjectReading } from '../../../application/workflow/project-reading.js';
import type { ApprovalReport, PutReport } from '../../../application/workflow/workflow-request.js';
import { gapText } from '../../../domain/workflow/trace.js';
import type { PhaseBudgets } from '../../../domain/workflow/workflow.js';
import { parseWorkflowPhase, type WorkflowPhase } from '../../../domain/workflow/workflow-phase.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import { namedFile, projectFiles, textOf } from '../project-files.js';
import type { Terminal } from '../terminal.js';
import { type CommandResult, type Field, formatCount, type Message } from '../view.js';
import { artifactFacts, workflowFacts } from './workflow-facts.js';

export interface CreateOptions {
  readonly project: string;
  readonly goal: string;
  readonly seedExample?: readonly string[];
  readonly budget?: readonly string[];
  readonly tenant: string;
}

interface LockedOptions {
  readonly tenant: string;
  readonly projectRoot?: string;
  readonly expectVersion?: number;
}

export interface SourceOptions extends LockedOptions {
  readonly document?: readonly string[];
  readonly content?: string;
  readonly seedExample?: readonly string[];
}

export interface WritingOptions extends LockedOptions {
  readonly phase: WorkflowPhase;
}

export interface PutOptions extends WritingOptions {
  readonly by: string;
}

export interface VerdictOptions extends PutOptions {
  readonly comment?: string;
  readonly hash?: string;
  readonly acceptGaps?: boolean;
}

export async function createWorkflow(
  terminal: Terminal,
  name: string,
  { project, goal, seedExample = [], budget = [], tenant }: CreateOptions,
): Promise<CommandResult> {
  const budgets = readBudgets(budget);
  const seedExamples = await texts('seed', seedExample);
  return withCore(terminal, async (core) => {
    const given = { tenantId: tenant, project, name, goal, budgets, seedExamples };
    const workflow = await core.workflows.create(given);
    const seeds = (await core.workflows.show(workflow)).sources;
    return {
      data: { ...workflowFacts(workflow), sources: seeds.map(({ reference }) => reference) },
      view: [
        {
          block: 'fields',
          title: 'Workflow created',
          fields: [
            ['name', workflow.name],
            ['workflow_id', workflow.workflowId],
            ['phase', workflow.phase],
            ...seeds.map(({ reference }): Field => ['source', reference]),
          ],
        },
      ],
    };
  });
}

export async function addSources(
  terminal: Terminal,
  name: string,
  references: readonly string[],
  options: SourceOptions,
): Promise<CommandResult> {
  const { document = [], seedExample = [], tenant } = options;
  if (references.length + document.length + seedExample.length === 0) {
    throw new UsageError('Give references, --document FILE or --seed-example FILE.');
  }
  const given = [...(await texts('document', document)), ...(await texts('seed', seedExample))];
  const fetched = await fetchedFrom(references, options.content);
  return withCore(terminal, async (core) => {
    const reading = { ...(await readingOf(options.projectRoot)), ...fetched };
    const key = await core.workflows.resolve(tenant, name);
    const request = { key, references, texts: given, reading, ...locked(options) };
    const { workflow, added } = await core.workflows.addSources(request);
    return {
      data: {
        ...workflowFacts(workflow),
        added: added.map(({ reference, hash, tokenCount }) => ({ reference, hash, tokenCount })),
      },
      view: [
        {
          block: 'table',
          title: `Sources of ${workflow.name}`,
          columns: [
            { title: 'source', isElastic: true },
            { title: 'tokens', align: 'right' },
          ],
          rows: added.map(({ reference, tokenCount }) => [reference, formatCount(tokenCount)]),
          none: 'All of them are registered already, as they are.',
        },
      ],
    };
  });
}

/** No network is asked: the text of an address comes from a file that a person saved. */
async function fetchedFrom(
  references: readonly string[],
  content: string | undefined,
): Promise<Pick<ProjectReading, 'fetchSource'>> {
  if (content === undefined) return {};
  const [address, ...others] = references.filter((reference) => reference.startsWith('url:'));
  if (address === undefined || others.length > 0) {
    throw new UsageError(
      '--content gives the text of one address: name one url:https://… with it.',
    );
  }
  const text = await namedFile(content);
  return { fetchSource: async () => text };
}

export async function put(
  terminal: Terminal,
  name: string,
  file: string,
  options: PutOptions,
): Promise<CommandResult> {
  const text =
    file === '-' ? textOf(await buffer(terminal.stdin), 'Standard input') : await namedFile(file);
  return withCore(terminal, async (core) => {
    const reading = await readingOf(options.projectRoot);
    const key = await core.workflows.resolve(options.tenant, name);
    const { phase, by } = options;
    return told(await core.workflows.put({ key, phase, by, text, reading, ...locked(options) }));
  });
}

export function draft(
  terminal: Terminal,
  name: string,
  options: WritingOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const reading = await readingOf(options.projectRoot);
    const key = await core.workflows.resolve(options.tenant, name);
    const request = { key, phase: options.phase, reading, ...locked(options) };
    return told(await core.workflows.draft(request, terminal.signal));
  });
}

export function approve(
  terminal: Terminal,
  name: string,
  options: VerdictOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const reading = await readingOf(options.projectRoot);
    const key = await core.workflows.resolve(options.tenant, name);
    const { phase, by, comment, hash, acceptGaps = false } = options;
    const report = await core.workflows.approve({
      key,
      phase,
      by,
      acceptGaps,
      reading,
      ...locked(options),
      ...(comment === undefined ? {} : { comment }),
      ...(hash === undefined ? {} : { hash }),
    });
    return toldVerdict(report);
  });
}

export function reject(
  terminal: Terminal,
  name: string,
  options: VerdictOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const key = await core.workflows.resolve(options.tenant, name);
    const { phase, by, comment = '' } = options;
    return toldVerdict(
      await core.workflows.reject({ key, phase, by, comment, ...locked(options) }),
    );
  });
}

/** Files below the root. */
export async function readingOf(root: string | undefined): Promise<ProjectReading> {
  return {
    readFile: await projectFiles(root ?? process.cwd()),
  };
}

const TITLES: Readonly<Record<PutReport['outcome'] | ApprovalReport['outcome'], string>> = {
  put: 'Put; it waits for approval',
  unchanged: 'It was so already',
  'over-budget': 'Over the budget; nothing was written',
  approved: 'Approved',
  rejected: 'Rejected',
  gaps: 'Not approved: there are gaps. Close them, or give --accept-gaps',
};

function told(report: PutReport): CommandResult {
  const { outcome, workflow, phase, artifact, sizes, voided, unread } = report;
  return {
    data: {
      ...workflowFacts(workflow),
      outcome,
      artifactPhase: phase,
      artifact: artifact === null ? null : artifactFacts(artifact),
      sizes,
      voided,
      unread,
    },
    exitCode: outcome === 'over-budget' ? 1 : 0,
    messages: [
      ...voided.map(({ phase: of, by }): Message => ({
        level: 'warning',
        text: `The approval of ${of} by ${by} does not count any more.`,
      })),
      ...unread.map((reference): Message => ({
        level: 'warning',
        text: `Not read by the model: ${reference}.`,
      })),
    ],
    view: [
      {
        block: 'fields',
        title: TITLES[outcome],
        fields: [
          ['workflow', workflow.name],
          ['phase', phase],
          ['version', artifact === null ? 'none' : String(artifact.version)],
          ['hash', artifact?.hash ?? 'none'],
          ['tokens', `${formatCount(sizes.tokens)} of ${formatCount(sizes.budgetTokens)}`],
        ],
      },
      ...(outcome === 'over-budget'
        ? [
            {
              block: 'table' as const,
              title: 'Tokens per item',
              isPart: true,
              columns: [{ title: 'item' }, { title: 'tokens', align: 'right' as const }],
              rows: sizes.items.map(({ itemId, tokens }) => [itemId, formatCount(tokens)]),
              none: 'No items.',
            },
          ]
        : []),
    ],
  };
}

function toldVerdict(report: ApprovalReport): CommandResult {
  const { outcome, workflow, approval, gaps, voided } = report;
  return {
    data: {
      ...workflowFacts(workflow),
      outcome,
      approval,
      gaps,
      voided,
    },
    exitCode: outcome === 'gaps' ? 1 : 0,
    view: [
      {
        block: 'fields',
        title: TITLES[outcome],
        fields: [
          ['workflow', workflow.name],
          ['phase', workflow.phase],
          ['state', workflow.state],
          ['hash', approval?.artifactHash ?? 'none'],
          ...gaps.map((gap): Field => ['gap', gapText(gap)]),
        ],
      },
    ],
  };
}

async function texts<Kind extends GivenText['kind']>(
  kind: Kind,
  files: readonly string[],
): Promise<readonly (GivenText & { readonly kind: Kind })[]> {
  const names = files.map((file) => basename(file));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`Two files are called ${twice}; rename one.`);
  const given = [];
  for (const file of files) {
    given.push({ kind, name: basename(file), content: await namedFile(file) });
  }
  return given;
}

function readBudgets(given: readonly string[]): Partial<PhaseBudgets> {
  return Object.fromEntries(
    given.map((text) => {
      const [, phase, tokens] = /^([a-z]+)=(\d{1,9})$/.exec(text) ?? [];
      if (tokens === undefined) {
        throw new UsageError('--budget takes a phase and tokens, such as research=8000.');
      }
      return [parseWorkflowPhase(phase), Number(tokens)];
    }),
  );
}

function locked({ expectVersion }: LockedOptions): { readonly expectedVersion?: number } {
  return expectVersion === undefined ? {} : { expectedVersion: expectVersion };
}
