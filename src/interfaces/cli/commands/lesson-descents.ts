/** The work of `agents lesson fail` and `rescue`: down from an apex that failed, and what helped. */
import type { RescueReport } from '../../../application/lessons/record-rescue.js';
import type { DescentReport } from '../../../application/lessons/descent-report.js';
import type { ClaimKind } from '../../../domain/lessons/claim.js';
import type { DescentEnd, DescentStrategy, ScoredOption } from '../../../domain/lessons/descent.js';
import type { Repair } from '../../../domain/lessons/evidence.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type Block, type CommandResult, countOf, type Field, formatCount } from '../view.js';
import { shortPrint, textUnder } from './lesson-facts.js';
import { lessonOf } from './lesson-names.js';
import { repairFacts, repairTable } from './lesson-repairs.js';

export interface FailOptions {
  readonly prompt?: string;
  readonly episode?: string;
  readonly missing?: readonly string[];
  readonly category?: string;
  readonly wrongStep?: string;
  readonly confidence?: string;
  readonly strategy?: string;
  readonly budget?: number;
  readonly descent?: string;
  readonly correction?: string;
}

export interface RescueOptions {
  readonly descent?: string;
  readonly summary?: string;
  readonly episode?: string;
}

export async function failLesson(
  terminal: Terminal,
  name: string | undefined,
  options: FailOptions,
): Promise<CommandResult> {
  const { prompt, episode, descent, correction } = options;
  if ((name === undefined) === (descent === undefined)) {
    throw new UsageError('Give LESSON, or --descent D alone where a step of it failed, too.');
  }
  const given = [prompt, episode, correction].filter((one) => one !== undefined).length;
  if (name !== undefined && (given === 0 || (given > 1 && correction === undefined))) {
    throw new UsageError('Give one of --prompt, --episode and --correction.');
  }
  return withCore(terminal, async (core) => {
    const { recall } = core.lessons;
    if (name === undefined) {
      const descentId = await recall.findDescentByPrefix(descent ?? '');
      return descended(
        await recall.advanceDescent({ descentId, outcome: 'failed', signal: terminal.signal }),
      );
    }
    const lessonId = await lessonOf(core, name);
    if (correction !== undefined) {
      return rescued(
        await recall.recordRescue({
          lessonId,
          correction,
          signal: terminal.signal,
          ...(prompt === undefined ? {} : { prompt }),
        }),
      );
    }
    return descended(await open(core, lessonId, options, terminal.signal));
  });
}

async function open(
  core: Ossature,
  lessonId: string,
  options: FailOptions,
  signal: AbortSignal,
): Promise<DescentReport> {
  const {
    prompt,
    episode,
    missing = [],
    category,
    wrongStep,
    confidence,
    strategy,
    budget,
  } = options;
  return core.lessons.recall.openDescent({
    lessonId,
    signal,
    ...(prompt === undefined ? {} : { prompt }),
    ...(episode === undefined
      ? {}
      : { episodeId: await core.lessons.ledger.findEpisodeByPrefix(episode) }),
    diagnosis: {
      missing,
      // What is no kind or strategy is refused by the core, by its field.
      ...(category === undefined ? {} : { category: category as ClaimKind }),
      ...(wrongStep === undefined ? {} : { wrongStep }),
      ...(confidence === undefined ? {} : { confidence: Number(confidence || Number.NaN) }),
    },
    ...(strategy === undefined ? {} : { strategy: strategy as DescentStrategy }),
    ...(budget === undefined ? {} : { maxPackTokens: budget }),
  });
}

export async function rescueLesson(
  terminal: Terminal,
  [name, claim]: readonly (string | undefined)[],
  { descent, summary, episode }: RescueOptions,
): Promise<CommandResult> {
  if ((name === undefined) === (descent === undefined)) {
    throw new UsageError('Give LESSON and CLAIM, or --descent D.');
  }
  if (name !== undefined && claim === undefined) {
    throw new UsageError(
      'Give the claim, too: its words, or the beginning of its print as `lesson show` tells it.',
    );
  }
  return withCore(terminal, async (core) => {
    const { recall, ledger } = core.lessons;
    if (name === undefined) {
      const descentId = await recall.findDescentByPrefix(descent ?? '');
      return descended(
        await recall.advanceDescent({
          descentId,
          outcome: 'succeeded',
          signal: terminal.signal,
          ...(summary === undefined ? {} : { summary }),
        }),
      );
    }
    return rescued(
      await recall.recordRescue({
        lessonId: await lessonOf(core, name),
        claim: claim ?? '',
        ...(episode === undefined ? {} : { episodeId: await ledger.findEpisodeByPrefix(episode) }),
      }),
    );
  });
}

const ENDS: Readonly<Record<DescentEnd, string>> = {
  'rescued-by-claim': 'a claim rescued it',
  'rescued-by-child': 'a level below rescued it',
  'compression-bug': 'the original knew it: the compression lost too much',
  'knowledge-gap': 'the original did not know it either: new knowledge',
  'nothing-below': 'it is an original, with nothing below it: new knowledge',
  corrected: 'a person corrected it',
};

function descended({ descent, next, scored, repairs, demoted }: DescentReport): CommandResult {
  const { end } = descent;
  const fields: readonly Field[] = [
    ['descent_id', descent.descentId],
    ['lesson_id', descent.lessonId],
    ['strategy', descent.strategy],
    ['status', end === null ? descent.status : `${descent.status}: ${end}, ${ENDS[end]}`],
    ['step', next === null ? '' : String(next.step.step)],
    ['try', next === null ? '' : chosenText(next.step.chosen)],
    ['pack', next === null ? '' : countOf(next.step.pack.tokens, 'token')],
    ['demoted', demoted ? descent.lessonId : ''],
    ['not considered', descent.notConsidered.join(' ')],
  ];
  return {
    data: {
      descentId: descent.descentId,
      lessonId: descent.lessonId,
      strategy: descent.strategy,
      status: descent.status,
      end,
      diagnosis: descent.diagnosis,
      next: next === null ? null : { ...next.step, text: next.text },
      scored,
      steps: descent.steps,
      notConsidered: descent.notConsidered,
      repairs: repairs.map(repairFacts),
      demoted,
    },
    messages: descent.warnings.map((text) => ({ level: 'warning', text: `${text}.` })),
    view: [
      {
        block: 'fields',
        title: end === null ? 'Try this' : 'Descent ended',
        fields: fields.filter(([, value]) => value !== ''),
      },
      ...(next === null ? [] : [textUnder('pack', next.text)]),
      ...(scored.length === 0 ? [] : [scoreTable(scored)]),
      ...repaired(repairs),
    ],
  };
}

function chosenText(chosen: ScoredOption | null): string {
  if (chosen === null) return 'the original of its own lineage';
  const { option } = chosen;
  return option.kind === 'claim'
    ? `claim ${shortPrint(option.fingerprint)}: ${option.text}`
    : `lesson ${option.lessonId}, level ${option.level}`;
}

function scoreTable(scored: readonly ScoredOption[]): Block {
  return {
    block: 'table',
    title: 'Scores',
    isPart: true,
    columns: [
      { title: 'score', align: 'right' },
      { title: 'useful', align: 'right' },
      { title: 'prior', align: 'right' },
      { title: 'tokens', align: 'right' },
      { title: 'what', isElastic: true },
    ],
    rows: scored.map(({ option, usefulness, prior, score }) => [
      score.toFixed(4),
      usefulness === null ? '-' : usefulness.toFixed(2),
      prior.toFixed(4),
      formatCount(option.tokens),
      option.kind === 'claim'
        ? `${shortPrint(option.fingerprint)} ${option.text}`
        : `lesson ${option.lessonId}: ${option.text}`,
    ]),
    none: '',
  };
}

const SKIPPED: Readonly<Record<NonNullable<RescueReport['reason']>, string>> = {
  'new-knowledge': 'the lesson has dropped nothing, so this is new knowledge',
  'no-claim-fits': 'none of the claims that it dropped fits; kept as a hint',
};

function rescued({ outcome, reason, rescue, repairs, warnings }: RescueReport): CommandResult {
  const fields: readonly Field[] =
    rescue === null
      ? [['skipped', reason === null ? '' : SKIPPED[reason]]]
      : [
          ['rescue_id', rescue.rescueId],
          ['lesson_id', rescue.lessonId],
          ['claim', `${shortPrint(rescue.fingerprint)} ${rescue.claim}`],
          ['holder', rescue.holderId],
        ];
  return {
    data: { outcome, reason, rescue, repairs: repairs.map(repairFacts) },
    messages: warnings.map((text) => ({ level: 'warning', text: `${text}.` })),
    view: [
      { block: 'fields', title: rescue === null ? 'No rescue' : 'Rescue recorded', fields },
      ...repaired(repairs),
    ],
  };
}

function repaired(repairs: readonly Repair[]): readonly Block[] {
  return repairs.length === 0 ? [] : [repairTable(repairs, 'Repaired', '')];
}
