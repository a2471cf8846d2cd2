/** Declares the commands about passes of a session. */
import { type Command, Option } from 'commander';
import { defineCommand, type Session } from '../define-command.js';
import { setSession, type SetOptions } from './session-settings.js';
import {
  compactSession,
  type CompactOptions,
  showStatus,
  type StatusOptions,
} from './session-summary.js';

/** @param argument says what SESSION is. @param tenant where none is named. */
export function definePasses(
  parent: Command,
  session: Session,
  { argument, tenant }: { readonly argument: string; readonly tenant: string },
): void {
  defineCommand<StatusOptions>(
    parent,
    session,
    {
      usage: 'status <session>',
      does: 'show what a request of a session holds, and whether a pass is due',
      example: 'agents session status 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --window 200000',
      more: `${argument} The window is that of its model where that is known.`,
    },
    (terminal, [name = ''], options) => showStatus(terminal, name, options),
  )
    .option('--window <tokens>', 'the context window, input and output together')
    .option('--frame <file>', 'system prompt and tools sent beside it, as texts or counts')
    .option('--tenant <name>', 'whose session', tenant);
  defineCommand<CompactOptions>(
    parent,
    session,
    {
      usage: 'compact <session>',
      isGuarded: true,
      does: 'let a summary stand for the older entries, which stay in the store',
      example: 'agents session compact 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --window 200000 --now',
      more: `${argument} Works without a model, and by one where the core has one.\nEnds with 1 where a pass was needed and did not come about; the session is then as it was.`,
    },
    (terminal, [name = ''], options) => compactSession(terminal, name, options),
  )
    .option('--window <tokens>', 'the context window, input and output together')
    .addOption(
      new Option('--strategy <name>', 'how it is summarized').choices([
        'auto',
        'anchored',
        'offline',
        'regenerative',
        'opaque',
      ]),
    )
    .option('--frame <file>', 'system prompt and tools sent beside it, as texts or counts')
    .option('--focus <text>', 'what a model is to attend to; asks for a pass as --now does')
    .option('--now', 'also where no trigger is due')
    .option('--dry-run', 'say what would go, but write nothing')
    .option('--tenant <name>', 'whose session', tenant);
  defineCommand<SetOptions>(
    parent,
    session,
    {
      usage: 'set <session> <setting...>',
      does: 'keep settings of passes with a session',
      example: 'agents session set 01J8ZQ4Q2M7V0C3K5T9N6R1W8X window_tokens=200000 keep_turns=12',
      more: `${argument} SETTING is NAME=VALUE; NAME= takes it back to its default.\ntriggers=task_boundary,sliding_window+importance: "," means or, "+" means and.\nschema=coding, debugging, migration or @FILE with one of your own.`,
    },
    (terminal, [name = '', ...settings], options) => setSession(terminal, name, settings, options),
  ).option('--tenant <name>', 'whose session', tenant);
}
