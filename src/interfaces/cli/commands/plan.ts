/** `agents plan …`: declares the commands; their work lies beside this file. */
import { type Command, Option } from 'commander';
import {
  defineCommand,
  parseCountOption,
  parseRatioOption,
  type Session,
} from '../define-command.js';
import { type CreateOptions, createPlan, listPlans, showTree } from './plan-roots.js';
import { type ContextOptions, showContext, showStatus } from './plan-reading.js';
import { listDropped, recallFragment } from './plan-audit.js';
import {
  type DecisionsOptions,
  listDecisions,
  supersedeDecision,
  type SupersedeOptions,
} from './plan-decisions.js';
import { type ImportOptions, importFiles } from './plan-import.js';
import { spawnChild, type SpawnOptions } from './plan-spawn.js';
import { defineAssembleCommand } from './assembly.js';

/** The tenant of the command line, where none is named. */
const LOCAL_TENANT = 'local';

const PLAN_ARGUMENT = 'PLAN is a plan_id, or the name of a root plan.';

export function definePlanCommands(program: Command, session: Session): void {
  const plan = program
    .command('plan')
    .description('plans, their context, and what children inherit');
  defineRoots(plan, session);
  defineContext(plan, session);
  defineInheritance(plan, session);
  defineAssembleCommand(plan, session);
  defineDecisions(plan, session);
}

function defineRoots(plan: Command, session: Session): void {
  defineCommand<CreateOptions>(
    plan,
    session,
    {
      usage: 'create',
      does: 'start a root plan in a project',
      example: 'agents plan create --project demo --name build --goal "Build the parser"',
    },
    (terminal, _, options) => createPlan(terminal, options),
  )
    .requiredOption('--project <name>', 'an existing project')
    .requiredOption('--goal <text>', 'what the plan is to do')
    .option('--name <name>', 'a name to call the plan by, unique in its project')
    .option(
      '--skeleton-ratio <ratio>',
      'share of tokens that its spawns remove, 0 to 1',
      parseRatioOption,
    );
  defineCommand<{ readonly project?: string }>(
    plan,
    session,
    {
      usage: 'list',
      does: 'list root plans, newest first',
      example: 'agents plan list --project demo',
    },
    (terminal, _, { project }) => listPlans(terminal, project),
  ).option('--project <name>', 'only those of this project');
  defineCommand(
    plan,
    session,
    {
      usage: 'tree <plan>',
      does: 'show the whole tree in which a plan stands',
      example: 'agents plan tree build',
      more: PLAN_ARGUMENT,
    },
    (terminal, [name = '']) => showTree(terminal, name),
  );
  defineCommand(
    plan,
    session,
    {
      usage: 'status <plan>',
      does: 'show where a plan stands, what it knows and what it inherited',
      example: 'agents plan status build',
      more: PLAN_ARGUMENT,
    },
    (terminal, [name = '']) => showStatus(terminal, name),
  );
}

function defineContext(plan: Command, session: Session): void {
  defineCommand<ImportOptions>(
    plan,
    session,
    {
      usage: 'import <plan> <file...>',
      isGuarded: true,
      does: 'make fragment files or agent transcripts the context of a plan',
      example: 'agents plan import build session.jsonl',
      more: `${PLAN_ARGUMENT} FILE is a fragment file (JSON or JSONL) or a transcript; - reads standard input.\nA transcript is stored as a session too, as by "agents session import FILE --plan PLAN".\nWhat the plan already holds is not added again.`,
    },
    (terminal, [name = '', ...files], options) => importFiles(terminal, name, files, options),
  )
    .option('--from <format>', 'take the files as this format without looking')
    .option('--skip-invalid', 'leave out objects that break a rule, and name them')
    .option('--thinking', 'keep the thinking of agents in what the plan gets')
    .option('--max-fragment-tokens <n>', 'longest fragment of a transcript (default: 8000)')
    .option('--dry-run', 'read and report, but write nothing')
    .option('--tenant <name>', 'whose sessions transcripts become', LOCAL_TENANT);
  defineCommand<ContextOptions>(
    plan,
    session,
    {
      usage: 'context <plan>',
      does: 'show the fragments that a plan knows, its own and inherited ones',
      example: 'agents plan context build --limit 20',
      more: PLAN_ARGUMENT,
    },
    (terminal, [name = ''], options) => showContext(terminal, name, options),
  )
    .option('--limit <count>', 'fragments to show at most', parseCountOption, 50)
    .option('--offset <count>', 'fragments to pass over first', parseCountOption, 0)
    .option('--full', 'show the whole text of each fragment');
}

function defineInheritance(plan: Command, session: Session): void {
  defineCommand<SpawnOptions>(
    plan,
    session,
    {
      usage: 'spawn <plan>',
      isGuarded: true,
      does: 'start a child that inherits a skeleton of the context',
      example:
        'agents plan spawn build --goal "Write the tests" --skeleton-ratio 0.5 --relevance goal',
      more: `${PLAN_ARGUMENT} Without --skeleton-ratio the plan, the project's policy or the default decides.`,
    },
    (terminal, [name = ''], options) => spawnChild(terminal, name, options),
  )
    .requiredOption('--goal <text>', 'what the child is to do')
    .option('--skeleton-ratio <ratio>', 'share of tokens to remove, 0 to 1', parseRatioOption)
    .addOption(
      new Option('--relevance <source>', 'the stored relevance, or scored against the goal')
        .choices(['stored', 'goal'])
        .default('stored'),
    )
    .option('--idempotency-key <key>', 'the same key and request give the same child')
    .option('--session <session>', 'give the child a capsule of this session')
    .option('--capsule-tokens <count>', 'ceiling of the capsule, 2000 by default', parseCountOption)
    .option('--tenant <name>', 'whose session', LOCAL_TENANT)
    .option('--dry-run', 'show what the child would inherit, but write nothing');
  defineCommand(
    plan,
    session,
    {
      usage: 'dropped <plan>',
      does: 'list what a plan does not know, because a spawn left it out',
      example: 'agents plan dropped 01J8ZQ4Q2M7V0C3K5T9N6R1W8X',
      more: PLAN_ARGUMENT,
    },
    (terminal, [name = '']) => listDropped(terminal, name),
  );
  defineCommand(
    plan,
    session,
    {
      usage: 'recall <plan> <fragment>',
      does: 'give a plan one dropped fragment back',
      example: 'agents plan recall 01J8ZQ4Q2M7V0C3K5T9N6R1W8X notes-7',
      more: `${PLAN_ARGUMENT} FRAGMENT is an id of \`agents plan dropped\`, or the beginning of one.`,
    },
    (terminal, [name = '', fragment = '']) => recallFragment(terminal, name, fragment),
  );
}

function defineDecisions(plan: Command, session: Session): void {
  defineCommand<DecisionsOptions>(
    plan,
    session,
    {
      usage: 'decisions <plan>',
      does: 'list the decisions of a plan, oldest first',
      example: 'agents plan decisions build --all',
      more: PLAN_ARGUMENT,
    },
    (terminal, [name = ''], options) => listDecisions(terminal, name, options),
  ).option('--all', 'superseded ones too');
  defineCommand<SupersedeOptions>(
    plan,
    session,
    {
      usage: 'supersede <decision>',
      does: 'put a new decision in the place of an earlier one',
      example: 'agents plan supersede 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --choice "Use a queue"',
      more: 'Fragments of the earlier decision leave every later skeleton.',
    },
    (terminal, [decision = ''], options) => supersedeDecision(terminal, decision, options),
  )
    .requiredOption('--choice <text>', 'what is decided now')
    .option('--rationale <text>', 'why');
}
