/** Declares `agents lesson fail`, `rescue` and `repair`: down from what failed, and back up with what helped. */
import type { Command } from 'commander';
import { defineCommand, parsePositiveOption, type Session } from '../define-command.js';
import {
  type FailOptions,
  failLesson,
  type RescueOptions,
  rescueLesson,
} from './lesson-descents.js';
import { type RepairOptions, repairLessons } from './lesson-repairs.js';

/** @param argument says what LESSON is. */
export function defineDescents(
  parent: Command,
  session: Session,
  { argument, exampleId }: { readonly argument: string; readonly exampleId: string },
): void {
  defineCommand<FailOptions>(
    parent,
    session,
    {
      usage: 'fail [lesson]',
      does: 'say that a lesson failed, and get what to try next',
      example: `agents lesson fail ${exampleId} --prompt "Read the object" --missing "errors with status 200"`,
      more: `${argument} Somebody who can tell says so, never the agent\nitself. --descent D alone: the step that was tried failed, too. --correction T: a person's words after\nthe fact, by which nothing is tried again.`,
      isGuarded: true,
    },
    (terminal, [name], options) => failLesson(terminal, name, options),
  )
    .option('--prompt <text>', 'what was to be done')
    .option('--episode <episode>', 'recorded work that it failed')
    .option('--missing <text...>', 'what the agent did not know')
    .option('--category <kind>', 'what kind of thing that is, such as parameter or edge-case')
    .option('--wrong-step <text>', 'what it did wrong')
    .option('--confidence <number>', 'in this diagnosis, 0 to 1')
    .option('--strategy <strategy>', 'delta-patch, delta-jump or stepwise')
    .option('--budget <tokens>', 'of what is tried, at most', parsePositiveOption)
    .option('--descent <descent>', 'the step of this descent failed, too')
    .option('--correction <text>', 'what a person said was wrong');
  defineCommand<RescueOptions>(
    parent,
    session,
    {
      usage: 'rescue [lesson] [claim]',
      does: 'say that a step of a descent worked, or that a claim would have',
      example: `agents lesson rescue --descent ${exampleId} --summary "Parsed the body before trusting it"`,
      more: `${argument} CLAIM is what the lesson no longer says: its words,\nor the beginning of its print.`,
      isGuarded: true,
    },
    (terminal, words, options) => rescueLesson(terminal, words, options),
  )
    .option('--descent <descent>', 'the step of this descent worked')
    .option('--summary <text>', 'what was accepted in the end')
    .option('--episode <episode>', 'the work that it rescued');
  defineCommand<RepairOptions>(
    parent,
    session,
    {
      usage: 'repair [lesson]',
      does: 'fold claims that rescued twice back into the text, for good',
      example: 'agents lesson repair --all',
      more: `${argument} Without an argument it tells what is due.`,
      isGuarded: true,
    },
    (terminal, [name], options) => repairLessons(terminal, name, options),
  )
    .option('--all', 'every lesson with a claim that is due')
    .option('--dry-run', 'tell what would change, and change nothing')
    .option('--project <name>', 'of this project and the global ones')
    .option('--global', 'of no project');
}
