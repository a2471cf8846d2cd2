/** `agents eval …`: declares the commands; their work lies beside this file. */
import { REPORT_FORMS } from './evaluation-options.js';
import { type Command, Option } from 'commander';
import { EVIDENCE_TASKS } from '../../../domain/evaluation/evidence/evidence-task.js';
import { defineCommand, type Session } from '../define-command.js';
import { type EvidenceOptions, measureEvidence } from './evaluation-evidence.js';
import { PLANT_DEFAULTS } from '../../../domain/evaluation/planted/plant-defaults.js';
import { measureTrail, type TrailRecallOptions } from './evaluation-trail.js';
import { checkJudge } from './evaluation-judge.js';
import type { AssertOptions } from './evaluation-assertions.js';
import { plantFacts, type PlantOptions } from './evaluation-plant.js';
import {
  compareStrategies,
  type CompareOptions,
  gradeAnswers,
  type GradeOptions,
  makeProbes,
  type ProbesOptions,
  runProbes,
  type RunOptions,
} from './evaluation-probes.js';
import { listRuns, type ReportOptions, showRun, writeReport } from './evaluation-reading.js';

/** The tenant of the command line, where none is named. */
const LOCAL = 'local';

export function defineEvaluationCommands(program: Command, session: Session): void {
  const command = program
    .command('eval')
    .description('whether what survived a compression still does the work');
  defineProbes(command, session);
  definePlant(command, session);
  defineEvidence(command, session);
  defineCompare(command, session);
  defineTrailRecall(command, session);
  defineReading(command, session);
}

function defineEvidence(parent: Command, session: Session): void {
  withAsserts(
    defineCommand<EvidenceOptions>(
      parent,
      session,
      {
        usage: 'evidence <data>',
        does: 'measure which share of marked evidence survives at a budget',
        example: 'agents eval evidence cases.jsonl --task aware --assert "ours.share@10>=0.5"',
        more: 'DATA is JSONL, one case a line: case_id, turns (turn_id, speaker, text) and questions\n(question_id, text, evidence, category). Works without a model.',
      },
      (terminal, [file = ''], options) => measureEvidence(terminal, file, options),
    )
      .option('--budgets <percents>', 'shares of the tokens of a case', '5,10,15,30,50')
      .addOption(
        new Option('--task <task>', 'whether the selection knows the question')
          .choices(EVIDENCE_TASKS)
          .default('aware'),
      )
      .option('--arms <names>', 'the arms to measure; left out, all')
      .option('--seed <number>', 'of the intervals', '1')
      .option('--tuned', 'say that something was tuned on these data')
      .option('--tenant <name>', 'whose run', LOCAL),
  );
}

const SESSION_ARGUMENT = 'SESSION is a session_id, or the name that its vendor gave it.';

function defineProbes(parent: Command, session: Session): void {
  withAsserts(
    defineCommand<ProbesOptions>(
      parent,
      session,
      {
        usage: 'probes <session>',
        does: 'make questions about what a pass dropped, with their answers',
        example: 'agents eval probes 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --types recall,artifact',
        more: SESSION_ARGUMENT,
      },
      (terminal, [name = ''], options) => makeProbes(terminal, name, options),
    )
      .option('--cycle <number>', 'the pass; left out, the last one')
      .option('--types <types>', 'of recall, artifact, continuation, decision; left out, all')
      .option('--seed <number>', 'another seed chooses other questions', '1')
      .option('--model', 'let the configured model write them; each is checked against the span')
      .option('--tenant <name>', 'whose session', LOCAL),
  );
  withAsserts(
    defineCommand<RunOptions>(
      parent,
      session,
      {
        usage: 'run <session>',
        does: 'ask probes of what remains after a pass, and of the whole as control',
        example: 'agents eval run 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --assert "offline.survival>=0.95"',
        more: `${SESSION_ARGUMENT} Without a model survival is measured: whether each fact is kept, or can be reached.\nA run that was interrupted goes on where it stopped.`,
      },
      (terminal, [name = ''], options) => runProbes(terminal, name, options),
    )
      .option('--probes <id>', 'a set of probes; left out, one is made from structure')
      .option('--cycle <number>', 'the pass; left out, the last one')
      .option(
        '--strategy <name>',
        'shrink the prefix in this way instead; left out, as it was stored',
      )
      .option('--judge', 'let the configured model mark the answers, once it passed judge-check')
      .option('--judge-runs <number>', 'how often each answer is judged', '1')
      .option('--seed <number>', 'of the probes and the intervals', '1')
      .option('--tenant <name>', 'whose session', LOCAL),
  );
  withAsserts(
    defineCommand<GradeOptions>(
      parent,
      session,
      {
        usage: 'grade <probes> <answers>',
        does: 'mark answers that you bring, without a model',
        example: 'agents eval grade 01J8ZQ4Q2M7V0C3K5T9N6R1W8X answers.jsonl',
        more: 'ANSWERS is JSONL, one answer a line: probe_id and text. Missing answers shrink n; they are not wrong.',
      },
      (terminal, [probes = '', answers = ''], options) =>
        gradeAnswers(terminal, probes, answers, options),
    ).option('--tenant <name>', 'whose probes', LOCAL),
  );
}

function defineCompare(parent: Command, session: Session): void {
  withAsserts(
    defineCommand<CompareOptions>(
      parent,
      session,
      {
        usage: 'compare <session...>',
        does: 'shrink the same sessions in several ways to one size, and ask each the same probes',
        example: 'agents eval compare 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --strategies full,tail,offline',
        more: `${SESSION_ARGUMENT} The stored sessions stay as they are. Arms: full, tail, head, and the\nstrategies offline, anchored, regenerative, opaque, each also with the chooser of a trigger behind a\ncolon (offline:importance). With a model configured, it answers; it judges once it passed judge-check.`,
      },
      (terminal, names, options) => compareStrategies(terminal, names, options),
    )
      .option('--strategies <names>', 'the arms', 'full,tail,head,offline')
      .option('--target-tokens <number>', 'what a request may have afterwards', '8000')
      .option('--cycles <number>', 'passes one after another', '1')
      .option('--no-judge', 'do not let the configured model mark the answers')
      .option('--judge-runs <number>', 'how often each answer is judged', '1')
      .option('--seed <number>', 'of the probes and the intervals', '1')
      .option('--tenant <name>', 'whose sessions', LOCAL),
  );
}

function defineTrailRecall(parent: Command, session: Session): void {
  withAsserts(
    defineCommand<TrailRecallOptions>(
      parent,
      session,
      {
        usage: 'trail <folder>',
        does: 'measure which files are still named after compactions of a vendor, by its summary and by ours',
        example: 'agents eval trail transcripts --assert "offline.changed_by_path>=1"',
        more: 'FOLDER is looked through for .jsonl and .json transcripts. Every text has as many tokens as the vendor’s summary.',
      },
      (terminal, [folder = ''], options) => measureTrail(terminal, folder, options),
    )
      .option('--seed <number>', 'of the intervals', '1')
      .option('--tenant <name>', 'whose run', LOCAL),
  );
}

function defineReading(parent: Command, session: Session): void {
  withAsserts(
    defineCommand<AssertOptions & { readonly tenant: string }>(
      parent,
      session,
      {
        usage: 'judge-check',
        does: 'hold the configured judge to answers of known worth',
        example: 'agents eval judge-check',
        more: 'Ends with 1 where more than one of twenty cases comes out in the wrong order.',
      },
      (terminal, _, options) => checkJudge(terminal, options),
    ).option('--tenant <name>', 'whose run', LOCAL),
  );
  withAsserts(
    defineCommand<AssertOptions & { readonly tenant: string }>(
      parent,
      session,
      { usage: 'list', does: 'list the runs, newest first', example: 'agents eval list' },
      (terminal, _, options) => listRuns(terminal, options),
    ).option('--tenant <name>', 'whose runs', LOCAL),
  );
  withAsserts(
    defineCommand<AssertOptions & { readonly tenant: string }>(
      parent,
      session,
      {
        usage: 'show <run>',
        does: 'show what a run found',
        example: 'agents eval show 01J8ZQ4Q2M7V0C3K5T9N6R1W8X',
      },
      (terminal, [runId = ''], options) => showRun(terminal, runId, options),
    ).option('--tenant <name>', 'whose run', LOCAL),
  );
  withAsserts(
    defineCommand<ReportOptions>(
      parent,
      session,
      {
        usage: 'report <run>',
        does: 'write a run as Markdown, as JSON, or as one HTML file',
        example: 'agents eval report 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --to html --out report.html',
      },
      (terminal, [runId = ''], options) => writeReport(terminal, runId, options),
    )
      .addOption(new Option('--to <form>', 'the form').choices(REPORT_FORMS).makeOptionMandatory())
      .option('--out <file>', 'write it into this file, not to standard output')
      .option('--force', 'overwrite the file')
      .option('--no-quotes', 'leave out every word of the session')
      .option('--tenant <name>', 'whose run', LOCAL),
  );
}

function definePlant(parent: Command, session: Session): void {
  const { cycles, facts, seed, fillerTurns, windowTokens } = PLANT_DEFAULTS;
  withAsserts(
    defineCommand<PlantOptions>(
      parent,
      session,
      {
        usage: 'plant',
        does: 'plant facts into a transcript and see which survive cycle after cycle',
        example:
          'agents eval plant --cycles 10 --strategy offline --assert "offline.constraints>=1"',
        more: 'The controls full and tail are always measured. Strategies that need a model end with\nMODEL_UNAVAILABLE where none is configured.',
      },
      (terminal, _, options) => plantFacts(terminal, options),
    )
      .option('--transcript <file>', 'plant into this transcript instead of a made-up one')
      .option('--cycles <number>', 'passes one after another', String(cycles))
      .option('--facts <number>', 'facts to plant', String(facts))
      .option('--seed <number>', 'of the facts and the filler', String(seed))
      .option('--turns <number>', 'turns of filler in a cycle', String(fillerTurns))
      .option('--window <tokens>', 'the context window of the agent', String(windowTokens))
      .option('--strategy <names...>', 'strategies to compare; left out, offline')
      .option('--answers', 'ask the model for every fact after each cycle, too: recall')
      .option('--tenant <name>', 'whose run', LOCAL),
  );
}

/** Of every command here: a figure turned into an exit code. */
function withAsserts(command: Command): Command {
  return command.option(
    '--assert <bound...>',
    'end with 1 unless a figure is in bounds, such as ours.share@10>=0.5',
  );
}
