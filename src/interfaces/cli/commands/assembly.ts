/** `agents plan assemble`, `agents project context inspect` and `simulate`: what a model would be shown. */
import type { Command } from 'commander';
import { POLICY_VIEWS } from '../../../domain/context/context-policy.js';
import {
  defineCommand,
  parseCountOption,
  parsePositiveOption,
  parseReserveOption,
  type Session,
} from '../define-command.js';
import {
  assemble,
  type AssembleOptions,
  inspect,
  type InspectOptions,
  simulate,
  type SimulateOptions,
} from './assembly-work.js';

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
        more: `Names behind --prefer end with the next option, or with --. PLAN is a plan_id, or the name of a root plan. FILE gets the text for the model, or all of the\npayload where its name ends in .json. ${MORE}`,
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
    .option(
      '--budget <tokens>',
      'tokens of the whole request, at least 1; 4096',
      parsePositiveOption,
    )
    .option(
      '--reserve <tokens>',
      'tokens of it that stay free; 512, at most an eighth',
      parseCountOption,
    )
    .option(
      '--skeleton-reserve <ratio>',
      'share of the available tokens reserved for what was inherited, 0 to 1; 0.15',
      parseReserveOption,
    )
    .option('--compressor <name>', 'builtin:skeleton or builtin:depth-reduction');
}
