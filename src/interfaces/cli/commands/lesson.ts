/** `agents lesson …`: declares the commands; their work lies beside this file. */
import type { Command } from 'commander';
import {
  defineCommand,
  parseCountOption,
  parsePositiveOption,
  type Session,
} from '../define-command.js';
import { addLesson, type AddOptions, archiveLessons } from './lesson-adding.js';
import { compressLessons, type CompressOptions } from './lesson-compression.js';
import { showAttempts, type AttemptsOptions } from './lesson-attempts.js';
import {
  type ConflictsOptions,
  listConflicts,
  resolveConflict,
  type ResolveOptions,
} from './lesson-conflicts.js';
import { defineDescents } from './lesson-descent-commands.js';
import { lessonPolicy } from './lesson-policy.js';
import { listLessons, type ListOptions, showLesson, type ShowOptions } from './lesson-reading.js';
import { recallLessons, type RecallOptions } from './lesson-recall.js';
import { showTree } from './lesson-tree.js';
import { recordUse, type UseOptions } from './lesson-uses.js';
import type { ScopeOptions } from './lesson-names.js';

const EXAMPLE_ID = '01J8ZQ4Q2M7V0C3K5T9N6R1W8X';
const LESSON_ARGUMENT = 'LESSON is a lesson_id, or any beginning of one that no other shares.';

export function defineLessonCommands(program: Command, session: Session): void {
  const command = program
    .command('lesson')
    .description('advice that earns a shorter form by use, and gets back what it lost');
  defineBook(command, session);
  defineReading(command, session);
  defineCompression(command, session);
  defineDescents(command, session, { argument: LESSON_ARGUMENT, exampleId: EXAMPLE_ID });
  defineVerdicts(command, session);
}

const scoped = (command: Command): Command =>
  command
    .option('--project <name>', 'of this project and the global ones')
    .option('--global', 'of no project: for all of them');

const paged = (command: Command): Command =>
  command
    .option('--limit <count>', 'at most so many; left out: 50', parsePositiveOption)
    .option('--after <key>', 'go on behind the page before');

function defineBook(parent: Command, session: Session): void {
  scoped(
    defineCommand<AddOptions>(
      parent,
      session,
      {
        usage: 'add',
        does: 'store a lesson at level 0, as it is',
        example:
          'agents lesson add --family flaky-services --title "Flaky services" --gist "Applies when a remote call sometimes fails" --file lesson.md',
        more: 'Without --file and --text the text comes from standard input. A text that the project has is\nnot stored again. Where nobody says it, the lesson belongs to the only project there is.',
        isGuarded: true,
      },
      (terminal, _, options) => addLesson(terminal, options),
    ),
  )
    .option('--family <slug>', 'what it is about; related lessons share it')
    .option('--title <text>', 'one line of at most 120 characters')
    .option('--gist <text>', 'one line of at most 25 words: when it applies')
    .option('--file <path>', 'the text of the lesson')
    .option('--text <text>', 'the text itself')
    .option('--tag <tag...>', 'words to find it by')
    .option('--refines <lesson>', "append the text to the original of this lesson's lineage")
    .option('--specialises <lesson>', 'a sibling of this lesson, in its family')
    .option('--contradicts <lesson>', 'both are disputed from now on, until somebody settles it')
    .option('--question <text>', 'with --contradicts: what must be settled');
  scoped(
    defineCommand<UseOptions>(
      parent,
      session,
      {
        usage: 'use',
        does: 'record a piece of work, and what each lesson had to do with it',
        example: `agents lesson use --prompt "Fetch the report" --outcome success --summary "Retried with backoff" --served ${EXAMPLE_ID} --used ${EXAMPLE_ID}`,
        more: '--used none says that nothing helped; without --used nobody says. A line of FILE is an object\nwith the names prompt, outcome, accepted_summary, served, used, corrected, confidence, check, spans,\nsession_id, use_key, kind, axis, correction and project_id; a bad line takes no other with it.',
        isGuarded: true,
      },
      (terminal, _, options) => recordUse(terminal, options),
    ),
  )
    .option('--prompt <text>', 'what was to be done')
    .option('--outcome <outcome>', 'success, failure or unknown')
    .option('--summary <text>', 'what was accepted; makes the work a regression test')
    .option('--served <lessons>', 'lessons that were put before the agent, as A,B')
    .option('--used <lessons>', 'those that bore on the work, as A,B; none: nothing helped')
    .option('--corrected <lessons>', 'those that somebody had to correct')
    .option('--correction <text>', "a person's words about what was wrong")
    .option('--confidence <number>', 'in the outcome, 0 to 1; left out: 0.8')
    .option('--span <lesson:text...>', 'words of a lesson that were seen changing what was done')
    .option('--check <value...>', 'must be in the answer of a replay; decides in place of a judge')
    .option('--axis <text>', 'what this work tests')
    .option('--session <session>', 'the session of the agent')
    .option('--session-end', 'credit only what the session has not credited yet')
    .option('--key <key>', 'the same use under it again is recorded once')
    .option('--file <path>', 'many uses, as JSON Lines; - reads standard input');
}

function defineReading(parent: Command, session: Session): void {
  paged(
    scoped(
      defineCommand<ListOptions>(
        parent,
        session,
        { usage: 'list', does: 'list lessons', example: 'agents lesson list --status active' },
        (terminal, _, options) => listLessons(terminal, options),
      ),
    ),
  )
    .option('--family <slug>', 'of this family')
    .option('--status <status>', 'active, superseded, demoted, disputed or archived')
    .option('--level <level>', 'at this level; 0: originals', parseCountOption)
    .option('--apex', 'only those that are served')
    .option('--due', 'only those that may be compressed now, best first')
    .option('--costly', 'only those that cost more tokens than they saved');
  defineCommand<ShowOptions>(
    parent,
    session,
    {
      usage: 'show <lesson>',
      does: 'show a lesson: its text, what it no longer says and who still does, how it fares',
      example: `agents lesson show ${EXAMPLE_ID} --episodes`,
      more: LESSON_ARGUMENT,
    },
    (terminal, [name = ''], options) => showLesson(terminal, name, options),
  )
    .option('--version <number>', 'its text in this version instead', parsePositiveOption)
    .option('--episodes', 'with the work that it must still answer for');
  defineCommand(
    parent,
    session,
    {
      usage: 'tree <lesson>',
      does: 'show a lineage from the shortest form down, and at which level each claim left',
      example: `agents lesson tree ${EXAMPLE_ID}`,
      more: LESSON_ARGUMENT,
    },
    (terminal, [name = '']) => showTree(terminal, name),
  );
  scoped(
    defineCommand<RecallOptions>(
      parent,
      session,
      {
        usage: 'recall [prompt]',
        does: 'show what would be served for a prompt, and why; what was left out, and why',
        example: 'agents lesson recall "The remote call fails now and then" --project harbor',
        more: 'With --session it remembers what was served, and serves a lesson again only when it is due.\nWithout --project: the only project there is, else global lessons alone.',
        isGuarded: true,
      },
      (terminal, [prompt], options) => recallLessons(terminal, prompt, options),
    ),
  )
    .option('--session <session>', 'the session that is served')
    .option('--turn <number>', 'of the session, from 0', parseCountOption)
    .option('--budget <tokens>', 'of what is served, at most', parsePositiveOption)
    .option('--compacted', 'the context of the session was compacted: it has seen nothing');
}

function defineCompression(parent: Command, session: Session): void {
  scoped(
    defineCommand<CompressOptions>(
      parent,
      session,
      {
        usage: 'compress [lesson]',
        does: 'give a lesson that has earned it a shorter form, if fresh agents still do their work by it',
        example: `agents lesson compress ${EXAMPLE_ID} --dry-run`,
        more: `${LESSON_ARGUMENT} Without an argument it lists what is due. A rejected\ncandidate is a result and no failure.`,
        isGuarded: true,
      },
      (terminal, [name], options) => compressLessons(terminal, name, options),
    ),
  )
    .option('--list', 'list what is due')
    .option('--all', 'everything that is due, best first')
    .option('--limit <count>', 'with --all: at most so many', parsePositiveOption)
    .option('--dry-run', 'judge a candidate, and change nothing')
    .option('--ignore-cooldown', 'waive the cooldown, and nothing else; it is recorded')
    .option('--revisit', 'make up for checks that could not run before, with LESSON or --all');
  paged(
    defineCommand<AttemptsOptions>(
      parent,
      session,
      {
        usage: 'attempts [lesson]',
        does: 'list the attempts to compress, or show one in full',
        example: `agents lesson attempts --show ${EXAMPLE_ID}`,
        more: LESSON_ARGUMENT,
      },
      (terminal, [name], options) => showAttempts(terminal, name, options),
    ),
  )
    .option('--outcome <outcome>', 'accepted, rejected, failed, stale, abandoned or running')
    .option('--show <attempt>', 'its sample, answers, verdicts, votes, calls and cost');
}

function defineVerdicts(parent: Command, session: Session): void {
  paged(
    scoped(
      defineCommand<ConflictsOptions>(
        parent,
        session,
        {
          usage: 'conflicts',
          does: 'list the questions between lessons that contradict each other',
          example: 'agents lesson conflicts',
        },
        (terminal, _, options) => listConflicts(terminal, options),
      ),
    ),
  ).option('--all', 'those that are settled, too');
  defineCommand<ResolveOptions>(
    parent,
    session,
    {
      usage: 'resolve <conflict>',
      does: 'settle a question; or lift the quarantine of an episode of a lesson',
      example: `agents lesson resolve ${EXAMPLE_ID} --keep both --note "one for reads, one for writes"`,
      more: 'CONFLICT is a conflict_id; with --release it is a lesson.',
      isGuarded: true,
    },
    (terminal, [name = ''], options) => resolveConflict(terminal, name, options),
  )
    .option(
      '--keep <lesson>',
      'the lesson that stays, or both; the lineage of the other is archived',
    )
    .option('--note <text>', 'why')
    .option('--release <episode>', 'let this episode count again for the lesson');
  defineCommand(
    parent,
    session,
    {
      usage: 'archive <lesson...>',
      does: 'take lessons out of service for good; nothing is deleted',
      example: `agents lesson archive ${EXAMPLE_ID}`,
      more: `${LESSON_ARGUMENT} What others\nhold on to is archived with them, or not at all.`,
      isGuarded: true,
    },
    (terminal, names) => archiveLessons(terminal, names),
  );
  scoped(
    defineCommand<ScopeOptions>(
      parent,
      session,
      {
        usage: 'policy [settings...]',
        does: 'show the settings in force and where they come from, or store some for a project',
        example: 'agents lesson policy --project harbor compression.max_ratio=0.6',
        more: 'A setting is KEY=VALUE; KEY= takes it back. What names programs, files or variables can only\nbe set by the environment.',
      },
      (terminal, settings, options) => lessonPolicy(terminal, settings, options),
    ),
  );
}
