/** Declares `expand`, `pin`, `unpin` and `rollback`: what a person does with a summary. */
import type { Command } from 'commander';
import { defineCommand, type Session } from '../define-command.js';
import {
  type ActOptions,
  type ExpandOptions,
  expandSession,
  pinInSession,
  rollBackSession,
  type RollbackOptions,
  unpinInSession,
} from './session-summary-acts.js';

/** @param argument says what SESSION is. @param tenant where none is named. */
export function defineActs(
  parent: Command,
  session: Session,
  { argument, tenant }: { readonly argument: string; readonly tenant: string },
): void {
  const whose = ['--tenant <name>', 'whose session', tenant] as const;
  defineCommand<ExpandOptions>(
    parent,
    session,
    {
      usage: 'expand <session> <handle>',
      does: 'show the entries that a part of the summary stands for',
      example: "agents session expand 01J8ZQ4Q2M7V0C3K5T9N6R1W8X '#17'",
      more: `${argument} HANDLE is #N, section:KEY, cycle:N, entry:N, path:PATH, a bare path, or\ntrail:GROUP as a rendered trail counts what it left out.`,
    },
    (terminal, [name = '', handle = ''], options) => expandSession(terminal, name, handle, options),
  )
    .option('--max-tokens <tokens>', 'at most so many, but one entry at least', '10000')
    .option('--after <entry>', 'go on behind this entry: next of the page before')
    .option(...whose);
  defineCommand<ActOptions>(
    parent,
    session,
    {
      usage: 'pin <session> <text>',
      does: 'keep a rule word for word through every pass',
      example: "agents session pin 01J8ZQ4Q2M7V0C3K5T9N6R1W8X 'Never push to main.'",
      more: argument,
    },
    (terminal, [name = '', text = ''], options) => pinInSession(terminal, name, text, options),
  ).option(...whose);
  defineCommand<ActOptions>(
    parent,
    session,
    {
      usage: 'unpin <session> <item>',
      does: 'end a pin; it stays in the store',
      example: 'agents session unpin 01J8ZQ4Q2M7V0C3K5T9N6R1W8X 17',
      more: argument,
    },
    (terminal, [name = '', item = ''], options) => unpinInSession(terminal, name, item, options),
  ).option(...whose);
  defineCommand<RollbackOptions>(
    parent,
    session,
    {
      usage: 'rollback <session>',
      does: 'take summary and cut back to what they were after a cycle',
      example: 'agents session rollback 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --to-cycle 1',
      more: `${argument} Pins that were set or ended by hand stay as they are.`,
    },
    (terminal, [name = ''], options) => rollBackSession(terminal, name, options),
  )
    .requiredOption('--to-cycle <cycle>', 'the cycle; 0: as before the first')
    .option(...whose);
}
