/** The work of `agents lesson attempts`: the audit of every attempt, and of one in full. */
import {
  ATTEMPT_OUTCOMES,
  type AttemptCalls,
  type AttemptOutcome,
  type CompressionAttempt,
  type ReplayResult,
} from '../../../domain/lessons/attempt.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type Block, type CommandResult, type Field, formatCount } from '../view.js';
import { Verbatim } from '../wire-names.js';
import { boundOf, sizeChange, textUnder } from './lesson-facts.js';
import { lessonOf } from './lesson-names.js';
import { moreMessage, type PageOptions, pageOf } from './lesson-pages.js';

export interface AttemptsOptions extends PageOptions {
  readonly outcome?: string;
  readonly show?: string;
}

export function showAttempts(
  terminal: Terminal,
  name: string | undefined,
  options: AttemptsOptions,
): Promise<CommandResult> {
  const { outcome, show } = options;
  if (show !== undefined && (name !== undefined || outcome !== undefined)) {
    throw new UsageError('--show stands alone.');
  }
  if (outcome !== undefined && !isOutcome(outcome)) {
    throw new UsageError(`--outcome must be one of ${ATTEMPT_OUTCOMES.join(', ')}.`);
  }
  if (show !== undefined) return showAttempt(terminal, show);
  return withCore(terminal, async (core) => {
    const { items, next } = await core.lessons.compression.listAttempts({
      ...(name === undefined ? {} : { lessonId: await lessonOf(core, name) }),
      ...(outcome === undefined ? {} : { outcome }),
      ...pageOf(options),
    });
    return {
      data: { attempts: items.map(attemptFacts), next },
      messages: moreMessage(next),
      view: [
        {
          block: 'table',
          title: 'Attempts',
          columns: [
            { title: 'attempt_id' },
            { title: 'lesson_id' },
            { title: 'no', align: 'right' },
            { title: 'kind' },
            { title: 'outcome' },
            { title: 'tokens' },
            { title: 'passed', align: 'right' },
            { title: 'started_at' },
          ],
          rows: items.map((attempt) => [
            attempt.attemptId,
            attempt.lessonId,
            String(attempt.attemptNo),
            `${attempt.kind}${attempt.dryRun ? ' (dry run)' : ''}`,
            outcomeOf(attempt),
            attempt.candidate === null
              ? formatCount(attempt.sourceTokens)
              : sizeChange(attempt.sourceTokens, attempt.candidate.tokens),
            `${attempt.passed}/${attempt.usable}`,
            attempt.startedAt.toISOString(),
          ]),
          none: 'There are no attempts.',
        },
      ],
    };
  });
}

function isOutcome(text: string): text is AttemptOutcome {
  return (ATTEMPT_OUTCOMES as readonly string[]).includes(text);
}

function showAttempt(terminal: Terminal, prefix: string): Promise<CommandResult> {
  return withCore(terminal, async ({ lessons }) => {
    const attemptId = await lessons.compression.findAttemptByPrefix(prefix);
    const { attempt, replays } = await lessons.compression.getAttempt(attemptId);
    const { candidate, settings, models, sample } = attempt;
    const overrides = Object.entries(settings.origins).map(([key, origin]): Field => [
      key,
      `${JSON.stringify(settings.values[key as keyof typeof settings.values])} (${origin})`,
    ]);
    return {
      data: {
        ...attemptFacts(attempt),
        candidate,
        settings: new Verbatim(settings),
        replays: replays.map(replayFacts),
      },
      view: [
        {
          block: 'fields',
          title: `Attempt ${attempt.attemptNo}`,
          fields: [
            ...attemptFields(attempt),
            ['source version', String(attempt.sourceVersion)],
            ['counter', `${attempt.counterName} ${attempt.counterVersion}`],
            ['sample', sample.inSample.join(' ')],
            ['held out', sample.split ? sample.heldOut.join(' ') : 'not split'],
            ['spans told', attempt.toldSpans ?? 'the compressor was not asked'],
            ['compressor', models.compressor ?? 'none'],
            ['agent', models.agent ?? 'none'],
            ['judge', models.judge ?? 'none'],
            ['auditor', models.auditor ?? 'none'],
            ['worker', attempt.worker],
            ['started_at', attempt.startedAt.toISOString()],
            ['finished_at', attempt.finishedAt?.toISOString() ?? ''],
            ...overrides,
          ],
        },
        ...(candidate === null ? [] : [textUnder('candidate', candidate.proposal.body)]),
        verdictTable(replays),
        ...replays.flatMap((replay) => answerBlocks(replay)),
      ],
    };
  });
}

function answerBlocks({ ordinal, answer, fault, votes }: ReplayResult): readonly Block[] {
  const lines = [
    ...(answer === null ? [] : [answer]),
    ...(fault === null ? [] : [`fault: ${fault}`]),
    ...votes.map(
      ({ outcome, reason, raw }, at) => `vote ${at + 1}: ${outcome} ${raw ?? reason ?? ''}`,
    ),
  ];
  return lines.length === 0 ? [] : [textUnder(`answer ${ordinal}`, lines.join('\n'))];
}

/** Without the candidate's text and the settings, which one attempt alone shows. */
export function attemptFacts(attempt: CompressionAttempt) {
  const { candidate, settings: _settings, details, evidenceAtOpen: _evidence, ...rest } = attempt;
  return {
    ...rest,
    details: new Verbatim(details),
    candidateTokens: candidate?.tokens ?? null,
    lossless: candidate?.proposal.lossless ?? null,
  };
}

export function replayFacts({ attemptId: _attemptId, ...replay }: ReplayResult) {
  return replay;
}

function outcomeOf({ outcome, reason }: CompressionAttempt): string {
  return reason === null ? outcome : `${outcome}: ${reason}`;
}

export function attemptFields(attempt: CompressionAttempt): readonly Field[] {
  const { candidate, details, calls, provisionalBecause, comparison } = attempt;
  const more = Object.keys(details).length === 0 ? '' : JSON.stringify(details);
  const fields: readonly Field[] = [
    ['attempt_id', attempt.attemptId],
    ['lesson_id', attempt.lessonId],
    ['kind', `${attempt.kind}${attempt.dryRun ? ', dry run' : ''}`],
    ['outcome', outcomeOf(attempt)],
    ['details', more],
    ['new lesson', attempt.acceptedId ?? ''],
    [
      'tokens',
      candidate === null
        ? formatCount(attempt.sourceTokens)
        : sizeChange(attempt.sourceTokens, candidate.tokens),
    ],
    ['target', formatCount(attempt.targetTokens)],
    ['passed', `${attempt.passed} of ${attempt.usable}`],
    ['bound', boundOf(attempt.passRateLowerBound)],
    ['provisional', provisionalBecause.join(', ')],
    ['quarantined', attempt.quarantined.join(' ')],
    [
      'against the source',
      comparison === null
        ? ''
        : `${comparison.wins} won, ${comparison.losses} lost (p = ${comparison.p.toFixed(3)})`,
    ],
    ['calls', describeCalls(calls)],
    ['cooldown', attempt.ignoredCooldown ? 'waived' : ''],
    ['model', attempt.models.offline ? 'offline' : ''],
  ];
  return fields.filter(([, value]) => value !== '');
}

export function verdictTable(replays: readonly ReplayResult[]): Block {
  return {
    block: 'table',
    title: 'Replays',
    isPart: true,
    columns: [
      { title: 'no', align: 'right' },
      { title: 'episode_id' },
      { title: 'arm' },
      { title: 'phase' },
      { title: 'verdict' },
      { title: 'votes', align: 'right' },
      { title: 'reason', isElastic: true },
    ],
    rows: replays.map((replay) => [
      String(replay.ordinal),
      replay.episodeId,
      replay.arm,
      replay.phase,
      `${replay.outcome}${replay.reused ? ' (before)' : ''}`,
      replay.checkedMechanically ? 'check' : formatCount(replay.votes.length),
      replay.fault ?? replay.reason ?? '',
    ]),
    none: 'none',
  };
}

/** What it cost: calls, and the tokens that the models told. */
function describeCalls(calls: AttemptCalls): string {
  const { compressor, audits, probes, judges, inputTokens, outputTokens } = calls;
  const tokens =
    inputTokens + outputTokens === 0
      ? ''
      : `; tokens in ${formatCount(inputTokens)}, out ${formatCount(outputTokens)}`;
  return `compressor ${compressor}, probes ${probes}, judges ${judges}, audits ${audits}${tokens}`;
}
