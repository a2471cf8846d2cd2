/** `agents workflow …`: declares the commands; their work lies beside this file. */
import { type Command, Option } from 'commander';
import { WORKFLOW_PHASES } from '../../../domain/workflow/workflow-phase.js';
import { defineCommand, parseCountOption, type Session } from '../define-command.js';
import {
  addSources,
  approve,
  createWorkflow,
  type CreateOptions,
  draft,
  put,
  type PutOptions,
  reject,
  type SourceOptions,
  type VerdictOptions,
  type WritingOptions,
} from './workflow-acts.js';
import {
  type ContextOptions,
  listWorkflows,
  type ReadingOptions,
  showContext,
  showTrace,
  showWorkflow,
  type ShowOptions,
} from './workflow-reading.js';

const NAME_ARGUMENT = 'NAME is the name of a workflow, or its workflow_id.';
const LOCAL = 'local';

export function defineWorkflowCommands(program: Command, session: Session): void {
  const command = program
    .command('workflow')
    .description('work in three phases: research, planning, implementation, each approved');
  defineCreation(command, session);
  defineReading(command, session);
  defineWriting(command, session);
  defineVerdicts(command, session);
}

const phaseOption = (isNeeded: boolean): Option =>
  new Option('--phase <phase>', 'the phase that is meant')
    .choices(WORKFLOW_PHASES)
    .makeOptionMandatory(isNeeded);

const ofTenant = (command: Command): Command =>
  command.option('--tenant <name>', 'whose workflow', LOCAL);

const inProject = (command: Command): Command =>
  ofTenant(command).option(
    '--project-root <folder>',
    'the folder from which paths are told; left out: where you are',
  );

const withLock = (command: Command): Command =>
  command.option(
    '--expect-version <number>',
    'refuse it if the workflow has another version by now',
    parseCountOption,
  );

function defineCreation(parent: Command, session: Session): void {
  ofTenant(
    defineCommand<CreateOptions>(
      parent,
      session,
      {
        usage: 'create <name>',
        does: 'begin a workflow with a goal',
        example:
          'agents workflow create login --project harbor --goal "Sessions end after an hour"',
        more: 'A seed example is a change made by hand, as a unified diff: its files, signatures and the order\nof its steps can be cited as seed:FILE#step-1, seed:FILE#signature-2 and so on.',
      },
      (terminal, [name = ''], options) => createWorkflow(terminal, name, options),
    )
      .requiredOption('--project <name>', 'the project it belongs to')
      .requiredOption('--goal <text>', 'what is wanted, kept word for word')
      .option('--seed-example <file...>', 'unified diffs to learn from')
      .option('--budget <phase=tokens...>', 'tokens of a phase in place of its default'),
  );
  ofTenant(
    defineCommand<ReadingOptions>(
      parent,
      session,
      { usage: 'list', does: 'list the workflows by name', example: 'agents workflow list' },
      (terminal, _, options) => listWorkflows(terminal, options),
    ),
  );
}

function defineReading(parent: Command, session: Session): void {
  ofTenant(
    defineCommand<ShowOptions>(
      parent,
      session,
      {
        usage: 'show <name>',
        does: 'show where a workflow stands, or the artifact of one phase',
        example: 'agents workflow show login --phase planning',
        more: NAME_ARGUMENT,
      },
      (terminal, [name = ''], options) => showWorkflow(terminal, name, options),
    ).addOption(phaseOption(false)),
  );
  inProject(
    defineCommand<ReadingOptions>(
      parent,
      session,
      {
        usage: 'trace <name>',
        does: 'from the steps back to the sources, with what stands on nothing or has changed',
        example: 'agents workflow trace login',
        more: NAME_ARGUMENT,
      },
      (terminal, [name = ''], options) => showTrace(terminal, name, options),
    ),
  );
  inProject(
    defineCommand<ContextOptions>(
      parent,
      session,
      {
        usage: 'context <name>',
        does: 'what implementation starts from: the approved spec, the constraints, the files that fit',
        example: 'agents workflow context login --session 01J8ZQ4Q2M7V0C3K5T9N6R1W8X',
        more: `${NAME_ARGUMENT} With --session the spec is pinned in that session, whole, for all its passes.`,
      },
      (terminal, [name = ''], options) => showContext(terminal, name, options),
    ).option('--session <session>', 'the session that implements'),
  );
}

function defineWriting(parent: Command, session: Session): void {
  inProject(
    withLock(
      defineCommand<SourceOptions>(
        parent,
        session,
        {
          usage: 'source <name> [references...]',
          does: 'read and register sources of the research',
          example: 'agents workflow source login file:src/login.ts:1-40 --document notes.md',
          more: `${NAME_ARGUMENT} A reference is file:PATH, file:PATH:10-20, url:https://…, or entry:SESSION_ID#12.\nDocuments and seed examples are kept with the workflow, and cited as document:FILE and seed:FILE.`,
        },
        (terminal, [name = '', ...references], options) =>
          addSources(terminal, name, references, options),
      )
        .option('--document <file...>', 'texts to keep with the workflow')
        .option('--content <file>', 'the text of the one address, which is not fetched')
        .option('--seed-example <file...>', 'unified diffs to learn from'),
    ),
  );
  inProject(
    withLock(
      defineCommand<PutOptions>(
        parent,
        session,
        {
          usage: 'put <name> <file>',
          does: 'put the artifact of a phase: Markdown with its fixed headings, or JSON',
          example: 'agents workflow put login research.md --phase research --by ada',
          more: `${NAME_ARGUMENT} FILE - reads standard input. A changed artifact voids the approvals of its phase and after.`,
        },
        (terminal, [name = '', file = ''], options) => put(terminal, name, file, options),
      )
        .addOption(phaseOption(true))
        .requiredOption('--by <person>', 'who wrote it'),
    ),
  );
  inProject(
    withLock(
      defineCommand<WritingOptions>(
        parent,
        session,
        {
          usage: 'draft <name>',
          does: 'have a model draft the artifact of a phase',
          example: 'agents workflow draft login --phase research',
          more: `${NAME_ARGUMENT} A draft passes the same checks as a person's, and waits for approval like it.`,
        },
        (terminal, [name = ''], options) => draft(terminal, name, options),
      ).addOption(phaseOption(true)),
    ),
  );
}

function defineVerdicts(parent: Command, session: Session): void {
  inProject(
    withLock(
      defineCommand<VerdictOptions>(
        parent,
        session,
        {
          usage: 'approve <name>',
          does: 'approve the artifact of a phase as it is, so that the next can start',
          example: 'agents workflow approve login --phase research --by ada --comment "as agreed"',
          more: NAME_ARGUMENT,
        },
        (terminal, [name = ''], options) => approve(terminal, name, options),
      )
        .addOption(phaseOption(true))
        .requiredOption('--by <person>', 'who approves')
        .option('--comment <text>', 'what they say to it')
        .option('--hash <hash>', 'of the artifact that was read, or its first 8 characters')
        .option('--accept-gaps', 'approve in spite of gaps in the trace; they are recorded'),
    ),
  );
  ofTenant(
    withLock(
      defineCommand<VerdictOptions>(
        parent,
        session,
        {
          usage: 'reject <name>',
          does: 'return a phase to work, with reasons',
          example:
            'agents workflow reject login --phase planning --by ada --comment "S-2 is unsafe"',
          more: NAME_ARGUMENT,
        },
        (terminal, [name = ''], options) => reject(terminal, name, options),
      )
        .addOption(phaseOption(true))
        .requiredOption('--by <person>', 'who rejects')
        .requiredOption('--comment <text>', 'the reasons'),
    ),
  );
}
