/** `agents eval …`: declares the commands; their work lies beside this file. */
import { type Command, Option } from 'commander';
import { EVIDENCE_TASKS } from '../../../domain/evaluation/evidence/evidence-arms.js';
import { defineCommand, type Session } from '../define-command.js';
import { type EvidenceOptions, measureEvidence } from './evaluation-evidence.js';
import { PLANT_DEFAULTS } from '../../../application/evaluation/planted-facts-service.js';
import { plantFacts, type PlantOptions } from './evaluation-plant.js';

/** The tenant of the command line, where none is named. */
const LOCAL = 'local';

export function defineEvaluationCommands(program: Command, session: Session): void {
  const command = program
    .command('eval')
    .description('whether what survived a compression still does the work');
  definePlant(command, session);
  defineEvidence(command, session);
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
