/** `agents database …`: the schema, the local server, and moving everything between stores. */
import type { Command } from 'commander';
import { defineCommand, type Session } from '../define-command.js';
import { checkSchema, migrate, revert, type RevertWishes } from './database-schema.js';
import { startServer, stopServer } from './database-server.js';
import { exportTo, type ExportOptions, importFrom } from './database-transfer.js';

export function defineDatabaseCommands(program: Command, session: Session): void {
  const database = program
    .command('database')
    .description('the schema, the local server, and moving everything between stores');
  defineCommand(
    database,
    session,
    {
      usage: 'migrate',
      does: 'bring the schema up to date',
      example: 'DATABASE_URL=postgres://localhost/agents agents database migrate',
    },
    migrate,
  );
  defineCommand(
    database,
    session,
    {
      usage: 'check',
      does: 'compare the schema with this version; exit code 1 where they differ',
      example: 'agents database check',
    },
    checkSchema,
  );
  defineCommand<RevertWishes>(
    database,
    session,
    {
      usage: 'revert',
      does: 'undo the newest migration; refused where that would destroy what it holds',
      example: 'agents database revert',
      more: 'The database of a home folder is brought up to date again by the next command, so revert\nit only right before going back to an older version.',
    },
    (terminal, _, options) => revert(terminal, options),
  ).option('--force', 'undo it with the rows and values that it holds');
  defineCommand(
    database,
    session,
    {
      usage: 'start',
      does: 'run a local Postgres in the home folder, for later commands to use',
      example: 'agents database start',
    },
    startServer,
  );
  defineCommand(
    database,
    session,
    { usage: 'stop', does: 'stop the local Postgres', example: 'agents database stop' },
    stopServer,
  );
  defineCommand<ExportOptions>(
    database,
    session,
    {
      usage: 'export <file>',
      does: 'write everything to a file, as JSON lines; - is standard output',
      example: 'agents database export backup.jsonl',
    },
    (terminal, [file = ''], options) => exportTo(terminal, file, options),
  ).option('--force', 'overwrite the file where there is one');
  defineCommand(
    database,
    session,
    {
      usage: 'import <file>',
      does: 'read what an export wrote into an empty store; - is standard input',
      example: 'agents database import backup.jsonl',
    },
    (terminal, [file = '']) => importFrom(terminal, file),
  );
}
