/** From arguments to an exit code. Everything of the outer world comes in as a `Terminal`. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { defineDatabaseCommands } from './commands/database.js';
import { defineEvaluationCommands } from './commands/evaluation.js';
import { defineLessonCommands } from './commands/lesson.js';
import { definePlanCommands } from './commands/plan.js';
import { defineProjectCommands } from './commands/project.js';
import { defineSessionCommands } from './commands/session.js';
import { defineWorkflowCommands } from './commands/workflow.js';
import { type Session, wordsOf } from './define-command.js';
import { describeFailure, EXIT_USAGE, Interrupted } from './failure.js';
import { FORMATS, type Outcome, tell, wantedFormat, writeOutcome } from './output.js';
import { columnsOf, type Terminal, write } from './terminal.js';

/** @param argv the words behind the program's name. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const startedAt = new Date();
  const start = performance.now();
  const format = wantedFormat(argv, terminal);
  const session: Session = { terminal, command: '', result: null };
  const shown = { help: '' };
  const program = buildProgram(argv, session, shown);
  const finish = async (ending: Omit<Outcome, 'startedAt' | 'elapsedMs'>): Promise<number> => {
    const elapsedMs = Math.round(performance.now() - start);
    await writeOutcome({ ...ending, startedAt, elapsedMs }, format, terminal);
    return ending.exitCode;
  };

  try {
    await program.parseAsync([...argv], { from: 'user' });
    const { command, result } = session;
    const { exitCode = 0, data = null, view = [], messages = [] } = result ?? {};
    if (result?.isWritten === true) {
      for (const message of messages) await tell(message, terminal);
      return exitCode;
    }
    return await finish({ command, exitCode, data, view, messages });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      await write(terminal.stdout, shown.help);
      return 0;
    }
    const isHuman = format === 'rich' || format === 'plain';
    if (error instanceof CommanderError && error.code === 'commander.help' && isHuman) {
      await write(terminal.stderr, shown.help);
      return EXIT_USAGE;
    }
    const command = session.command === '' ? wordsOf(commandOf(program, argv)) : session.command;
    // Whatever broke first after Ctrl-C, it broke because of it.
    const cause = terminal.signal.aborted ? new Interrupted('Interrupted.') : error;
    const { exitCode, message } = describeFailure(cause, command);
    return finish({ command, exitCode, data: null, view: [], messages: [message] });
  }
}

function buildProgram(argv: readonly string[], session: Session, shown: { help: string }): Command {
  const program = new Command('agents')
    .description(
      'Decides what an agent keeps when its context must shrink, and names what it drops.',
    )
    .helpOption('-h, --help', 'show the help of a command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void (shown.help += text),
      writeErr: (text) => void (shown.help += text),
      getOutHelpWidth: () => columnsOf(session.terminal.stdout),
      getErrHelpWidth: () => columnsOf(session.terminal.stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride();
  defineProjectCommands(program, session);
  definePlanCommands(program, session);
  defineSessionCommands(program, session);
  defineEvaluationCommands(program, session);
  defineWorkflowCommands(program, session);
  defineLessonCommands(program, session);
  defineDatabaseCommands(program, session);
  // Options of the program are read wherever they stand, so that of a command under the same name goes first.
  const hasItsOwn = commandOf(program, argv).options.some(({ long }) => long === '--version');
  if (!hasItsOwn) program.version(packageVersion(), '-V, --version', 'print the version');
  program.addOption(
    new Option(
      '--format <format>',
      'how the result is shown; rich on a terminal, else plain',
    ).choices(FORMATS),
  );
  program.addHelpText(
    'after',
    '\nExample:\n  $ agents project create demo\n  $ agents plan create --project demo --name build --goal "Build it"\n  $ agents plan import build session.jsonl\n  $ agents plan spawn build --goal "Write the tests" --relevance goal',
  );
  return program;
}

/** The command that the first words name, as far as they name one. */
function commandOf(program: Command, argv: readonly string[]): Command {
  let command = program;
  const words = argv.filter((word, at) => !word.startsWith('-') && argv[at - 1] !== '--format');
  for (const word of words) {
    const next = command.commands.find((child) => child.name() === word);
    if (next === undefined) break;
    command = next;
  }
  return command;
}

function packageVersion(): string {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    try {
      const text = readFileSync(new URL('package.json', folder), 'utf8');
      const { name, version } = JSON.parse(text) as { name: string; version: string };
      if (name === 'ossature') return version;
    } catch (error) {
      if (folder.pathname === '/') throw error;
    }
  }
}
