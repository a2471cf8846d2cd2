/** `agents plan assemble`, `agents project context inspect` and `simulate`: what a model would be shown. */
import type { Command } from 'commander';
import type { AssemblyRequestInput } from '../../../domain/assembly/assembly-request.js';
import { POLICY_VIEWS } from '../../../domain/context/context-policy.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import {
  defineCommand,
  parseCountOption,
  parseRatioOption,
  type Session,
} from '../define-command.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult } from '../view.js';
import { writePayload } from './assembly-file.js';
import {
  inspectionView,
  messagesOn,
  payloadView,
  simulationView,
  summaryView,
} from './assembly-view.js';

interface BudgetOptions {
  readonly budget?: number;
  readonly reserve?: number;
  readonly skeletonReserve?: number;
  readonly compressor?: string;
}

interface InspectOptions extends BudgetOptions {
  readonly view: string;
  readonly plan?: string;
}

interface SimulateOptions extends BudgetOptions {
  readonly query: string;
  readonly plan?: string;
  readonly prefer?: readonly string[];
}

interface AssembleOptions extends BudgetOptions {
  readonly query?: string;
  readonly prefer?: readonly string[];
  readonly out?: string;
}

const MORE =
  '--budget is the size of the whole request to the model; of a window it is the window itself, and\n--reserve what the response, the tool definitions and the system prompt take of it.';

/** Below `project context`. */
export function defineInspectionCommands(context: Command, session: Session): void {
  withBudget(
    defineCommand<InspectOptions>(
      context,
      session,
      {
        usage: 'inspect <name>',
        does: 'show what would be assembled for a plan: strategies, shares, skeleton, budget',
        example: 'agents project context inspect demo --plan build --budget 128000 --reserve 7696',
        more: `Without --plan it is the newest root plan of the project. ${MORE}`,
      },
      (terminal, [name = ''], options) => inspect(terminal, name, options),
    )
      .option('--view <view>', `the policy's view: ${POLICY_VIEWS.join(', ')}`, 'default')
      .option('--plan <plan>', 'a plan_id, or the name of a root plan'),
  );
  withBudget(
    defineCommand<SimulateOptions>(
      context,
      session,
      {
        usage: 'simulate <name>',
        does: 'try an assembly: what each strategy gave, what was fused, kept and left out',
        example: 'agents project context simulate demo --query "How do logins expire?"',
        more: `Nothing is changed. Without --plan it is the newest root plan of the project. ${MORE}`,
      },
      (terminal, [name = ''], options) => simulate(terminal, name, options),
    )
      .requiredOption('--query <text>', 'what the model is about to be asked')
      .option('--plan <plan>', 'a plan_id, or the name of a root plan')
      .option('--prefer <strategy...>', 'strategies that are served first'),
  );
}

/** Below `plan`. */
export function defineAssembleCommand(plan: Command, session: Session): void {
  withBudget(
    defineCommand<AssembleOptions>(
      plan,
      session,
      {
        usage: 'assemble <plan>',
        does: 'put together what a model is shown of a plan, within a budget',
        example: 'agents plan assemble build --query "How do logins expire?" --out context.txt',
        more: `PLAN is a plan_id, or the name of a root plan. FILE gets the text for the model, or all of the\npayload where its name ends in .json. ${MORE}`,
      },
      (terminal, [name = ''], options) => assemble(terminal, name, options),
    )
      .option('--query <text>', "what the model is about to be asked; else the plan's goal")
      .option('--prefer <strategy...>', 'strategies that are served first')
      .option('--out <file>', 'write the payload there'),
  );
}

function withBudget(command: Command): Command {
  return command
    .option('--budget <tokens>', 'tokens of the whole request; 4096', parseCountOption)
    .option('--reserve <tokens>', 'tokens of it that stay free; 512', parseCountOption)
    .option(
      '--skeleton-reserve <ratio>',
      'share of the available tokens reserved for what was inherited, 0 to 1; 0.15',
      parseRatioOption,
    )
    .option('--compressor <name>', 'builtin:skeleton or builtin:depth-reduction');
}

function inspect(
  terminal: Terminal,
  project: string,
  { view, plan, ...budget }: InspectOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const inspection = await core.inspections.inspect({
      project,
      view,
      ...(await planOf(core, plan)),
      ...settingsOf(budget),
    });
    const { payload, spawnRatio, planId } = inspection;
    const { budget: tokens, strategies, totalTokens, budgetUsed } = payload;
    const fragments = payload.fragments.length;
    const skeletonFragments = payload.skeletonFragments.length;
    return {
      data: {
        project: inspection.project.name,
        planId,
        query: payload.query,
        view: inspection.view,
        spawnRatio,
        budget: tokens,
        strategies,
        fragments,
        skeletonFragments,
        excluded: payload.excluded.length,
        totalTokens,
        budgetUsed,
      },
      view: inspectionView(inspection),
      messages: messagesOn(payload),
    };
  });
}

function simulate(
  terminal: Terminal,
  project: string,
  { query, plan, prefer = [], ...budget }: SimulateOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const simulation = await core.inspections.simulate({
      project,
      query,
      ...(await planOf(core, plan)),
      ...settingsOf(budget),
      preferredStrategies: prefer,
    });
    const { payload, fused, planId } = simulation;
    return {
      data: { project: simulation.project.name, dryRun: true, fused, ...payload, planId },
      view: simulationView(simulation),
      messages: [
        { level: 'info', text: 'A dry run: nothing was written.' },
        ...messagesOn(payload),
      ],
    };
  });
}

function assemble(
  terminal: Terminal,
  name: string,
  { query, prefer = [], out, ...budget }: AssembleOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { planId } = await core.plans.resolve(name);
    const payload = await core.contexts.assemble({
      planId,
      ...(query === undefined ? {} : { query }),
      preferredStrategies: prefer,
      ...settingsOf(budget),
    });
    if (out === undefined) {
      return { data: payload, view: payloadView(payload), messages: messagesOn(payload) };
    }
    await writePayload(out, payload);
    return {
      data: { ...payload, file: out },
      view: summaryView(payload, out),
      messages: messagesOn(payload),
    };
  });
}

async function planOf(
  core: Ossature,
  name: string | undefined,
): Promise<{ readonly planId?: string }> {
  return name === undefined ? {} : { planId: (await core.plans.resolve(name)).planId };
}

function settingsOf({
  budget,
  reserve,
  skeletonReserve,
  compressor,
}: BudgetOptions): Omit<AssemblyRequestInput, 'planId'> {
  return {
    ...(budget === undefined ? {} : { maxTokens: budget }),
    ...(reserve === undefined ? {} : { reservedTokens: reserve }),
    ...(skeletonReserve === undefined ? {} : { skeletonRatio: skeletonReserve }),
    ...(compressor === undefined ? {} : { compressor }),
  };
}
