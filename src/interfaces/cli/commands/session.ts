/** `agents session …`: declares the commands; their work lies beside this file. */
import { type Command, Option } from 'commander';
import { EXPORT_PROVIDERS } from '../../../domain/session/export/providers.js';
import { defineCommand, parsePositiveOption, type Session } from '../define-command.js';
import { defineActs } from './session-acts.js';
import { exportSession, type SessionExportOptions } from './session-export.js';
import { importSessions, type SessionImportOptions } from './session-import.js';
import { definePasses } from './session-passes.js';
import {
  deleteSession,
  type DeleteOptions,
  listSessions,
  showSession,
  type ShowOptions,
} from './session-reading.js';
import { showSummaryPart } from './session-show-summary.js';
import { defineTokens } from './session-tokens.js';
import { showTrail, type TrailOptions } from './session-trail.js';

const SESSION_ARGUMENT = 'SESSION is a session_id, or the name that its vendor gave it.';

/** The tenant of the command line, where none is named. */
const LOCAL = 'local';

export function defineSessionCommands(program: Command, session: Session): void {
  const command = program
    .command('session')
    .description('transcripts of agents in the store, and what they did');
  defineImport(command, session);
  defineReading(command, session);
  defineTrail(command, session);
  definePasses(command, session, { argument: SESSION_ARGUMENT, tenant: LOCAL });
  defineActs(command, session, { argument: SESSION_ARGUMENT, tenant: LOCAL });
  defineTokens(command, session, { argument: SESSION_ARGUMENT, tenant: LOCAL });
  defineExport(command, session);
}

function defineImport(parent: Command, session: Session): void {
  defineCommand<SessionImportOptions>(
    parent,
    session,
    {
      usage: 'import <file...>',
      isGuarded: true,
      does: 'store transcripts, entry by entry, with the trail of what they did',
      example: 'agents session import session.jsonl',
      more: 'FILE is a transcript; - reads standard input. What a session already holds is not added again,\nso a file that has grown adds what is new. Sub-agents in files beside it come along.',
    },
    (terminal, files, options) => importSessions(terminal, files, options),
  )
    .option('--from <format>', 'take the files as this format without looking')
    .option('--plan <plan>', 'make them the context of this plan too')
    .option('--session-key <key>', 'the session of a format that names none')
    .option('--project-root <path>', 'the folder from which paths are told')
    .option('--window <tokens>', 'the context window of their agents, kept with each session')
    .option('--thinking', 'keep the thinking of agents in what the plan gets')
    .option('--max-fragment-tokens <n>', 'longest fragment of a transcript (default: 8000)')
    .option('--dry-run', 'read and compare, but write nothing')
    .option('--tenant <name>', 'whose sessions', LOCAL);
}

function defineReading(parent: Command, session: Session): void {
  defineCommand<{ readonly tenant: string }>(
    parent,
    session,
    {
      usage: 'list',
      does: 'list the sessions, newest first',
      example: 'agents session list',
    },
    (terminal, _, { tenant }) => listSessions(terminal, tenant),
  ).option('--tenant <name>', 'whose sessions', LOCAL);
  defineCommand<ShowOptions>(
    parent,
    session,
    {
      usage: 'show <session>',
      does: 'show a session: its summary, and the end of its tail',
      example: 'agents session show 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --entries 1..20',
      more: SESSION_ARGUMENT,
    },
    (terminal, [name = ''], options) =>
      options.section === undefined && options.item === undefined && options.cycle === undefined
        ? showSession(terminal, name, options)
        : showSummaryPart(terminal, name, options),
  )
    .option('--entries <range>', 'the entries to show, such as 5..20, or 5.. for all from 5 on')
    .option('--section <key>', 'this section of its summary instead, such as constraints')
    .option('--item <number>', 'this item instead, with every version of it')
    .option('--cycle <number>', 'this pass instead, with what it made and changed')
    .option('--provenance', 'with cycle, producer and sources of each item')
    .option('--tenant <name>', 'whose session', LOCAL);
  defineCommand<DeleteOptions>(
    parent,
    session,
    {
      usage: 'delete <session>',
      does: 'remove a session with everything of it, and nothing else',
      example: 'agents session delete 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --yes',
      more: `${SESSION_ARGUMENT} Sessions of its sub-agents stay.`,
    },
    (terminal, [name = ''], options) => deleteSession(terminal, name, options),
  )
    .option('--yes', 'remove it without asking')
    .option('--tenant <name>', 'whose session', LOCAL);
}

function defineTrail(parent: Command, session: Session): void {
  defineCommand<TrailOptions>(
    parent,
    session,
    {
      usage: 'trail <session>',
      does: 'show what a session made, changed, read and ran',
      example: 'agents session trail 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --path src/login.ts',
      more: SESSION_ARGUMENT,
    },
    (terminal, [name = ''], options) => showTrail(terminal, name, options),
  )
    .option('--modified', 'what was made, changed, removed or renamed')
    .option('--read', 'what was only read')
    .option('--errors', 'errors, the open ones first')
    .option('--commands', 'commands and how they ended, the last first')
    .option('--path <path>', 'one artifact, with its events in order')
    .option(
      '--limit <count>',
      'with --path: about so many events; left out: 1,000',
      parsePositiveOption,
    )
    .option(
      '--after <entry>',
      'with --path: go on behind this entry, next of the page before',
      parsePositiveOption,
    )
    .option('--with-children', 'sub-agents too, each line with its origin')
    .option('--rebuild', 'make the trail anew from the entries first')
    .option('--tenant <name>', 'whose session', LOCAL);
}

function defineExport(parent: Command, session: Session): void {
  defineCommand<SessionExportOptions>(
    parent,
    session,
    {
      usage: 'export <session>',
      does: 'give a session out as messages that a provider accepts',
      example:
        'agents session export 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --to openai-chat --out messages.json',
      more: `${SESSION_ARGUMENT} What was changed or left out is told on standard error.`,
    },
    (terminal, [name = ''], options) => exportSession(terminal, name, options),
  )
    .addOption(
      new Option('--to <provider>', 'whose messages')
        .choices(EXPORT_PROVIDERS)
        .makeOptionMandatory(),
    )
    .option('--out <file>', 'write them into this file, not to standard output')
    .option('--force', 'overwrite the file')
    .option('--tenant <name>', 'whose session', LOCAL);
}
