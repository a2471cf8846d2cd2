/** One replay: a fresh agent answers, a mechanical check or a judge decides. Nothing it does throws but an abort. */
import type { Arm, JudgeVote, ReplayOutcome, ReplayResult } from '../../domain/lessons/attempt.js';
import type { Episode } from '../../domain/lessons/episode.js';
import type { LessonSettings } from '../../domain/lessons/lesson-settings.js';
import { cutAt } from '../../domain/lessons/normal-text.js';
import { readVote, tally, unreadable } from '../../domain/lessons/verdict.js';
import type { Digest } from '../../domain/kernel/measures.js';
import { Aborted, askModel } from './ask-model.js';
import { cleanerOf, type LessonNeeds } from './lesson-needs.js';
import type { JudgeReplay, ModelUsage, ReplayTask } from './ports.js';

/** Characters of an error that are kept. */
const FAULT_CHARACTERS = 500;

/** Time of a judge, which answers with one object. */
const JUDGE_TIMEOUT_MS = 60_000;

export interface ReplayParts {
  readonly needs: LessonNeeds;
  readonly agent: ReplayTask;
  readonly judge: JudgeReplay;
  readonly settings: LessonSettings;
  readonly signal: AbortSignal | undefined;
}

export interface Spent {
  probes: number;
  judges: number;
  inputTokens: number;
  outputTokens: number;
}

export interface ReplayAsk {
  readonly attemptId: string;
  readonly episode: Episode;
  readonly arm: Arm;
  readonly phase: ReplayResult['phase'];
  /** Null: no lesson. */
  readonly lesson: string | null;
}

/** Everything that a result depends on, as one digest: equal keys mean that the result holds again. */
export function armKey(
  parts: Pick<ReplayParts, 'agent' | 'judge' | 'settings'>,
  episodeId: string,
  lessonDigest: string | null,
  digest: Digest,
): string {
  const { agent, judge, settings } = parts;
  return digest(
    JSON.stringify([
      episodeId,
      lessonDigest,
      agent.identity,
      agent.isolation,
      judge.identity,
      settings['replay.probe_words'],
      settings['compression.judge_votes'],
      settings['judge.input_chars'],
    ]),
  );
}

export async function replayEpisode(
  parts: ReplayParts,
  ask: ReplayAsk,
  spent: Spent,
): Promise<Omit<ReplayResult, 'ordinal'>> {
  const { needs, agent, settings, signal } = parts;
  const { episode, lesson, attemptId, arm, phase } = ask;
  const startedAt = needs.clock();
  const base = {
    attemptId,
    arm,
    phase,
    episodeId: episode.episodeId,
    armKey: armKey(
      parts,
      episode.episodeId,
      lesson === null ? null : needs.digest(lesson),
      needs.digest,
    ),
    reused: false,
    startedAt,
  };
  const timeoutMs = settings['replay.timeout_s'] * 1_000;
  spent.probes += 1;
  let answer: string;
  let processId: number | null = null;
  try {
    const given = await askModel(
      (within) =>
        agent.replay(
          { lesson, prompt: episode.prompt, words: settings['replay.probe_words'], timeoutMs },
          within,
        ),
      timeoutMs,
      needs.startTimer,
      signal,
    );
    count(spent, given.usage);
    processId = given.processId;
    answer = cleanedAnswer(needs, settings, given.answer);
    if (answer.trim() === '') throw new Error('The agent said nothing.');
  } catch (error) {
    if (error instanceof Aborted) throw error;
    return {
      ...base,
      ...readable('unreadable', [unreadable(null)]),
      answer: null,
      fault: cleanerOf(needs, settings['privacy.redact']).clean(faultOf(error)),
      checkedMechanically: false,
      processId,
      durationMs: since(needs, startedAt),
    };
  }
  const { check } = episode;
  const votes = check === null ? await askJudge(parts, episode, answer, spent) : [];
  const decided =
    check === null
      ? readable(tally(votes, votesOf(parts)) ?? 'unreadable', votes)
      : checked(check.values, answer);
  return {
    ...base,
    ...decided,
    answer,
    fault:
      votes.length > 0 && votes.every(({ raw }) => raw === null)
        ? 'the judge did not answer'
        : null,
    checkedMechanically: check !== null,
    processId,
    durationMs: since(needs, startedAt),
  };
}

async function askJudge(
  parts: ReplayParts,
  episode: Episode,
  answer: string,
  spent: Spent,
): Promise<readonly JudgeVote[]> {
  const { needs, judge, settings, signal } = parts;
  const limit = settings['judge.input_chars'];
  const cast: JudgeVote[] = [];
  while (tally(cast, votesOf(parts)) === null) {
    spent.judges += 1;
    try {
      const { text, usage } = await askModel(
        (within) =>
          judge.judge(
            {
              task: cutAt(episode.prompt, limit),
              acceptedSummary: cutAt(episode.acceptedSummary ?? '', limit),
              answer: cutAt(answer, limit),
            },
            within,
          ),
        JUDGE_TIMEOUT_MS,
        needs.startTimer,
        signal,
      );
      count(spent, usage);
      cast.push(typeof text === 'string' ? cleanedVote(needs, settings, text) : unreadable(null));
    } catch (error) {
      if (error instanceof Aborted) throw error;
      cast.push(unreadable(null));
    }
  }
  return cast;
}

function votesOf({ judge, settings }: ReplayParts): number {
  return judge.deterministic ? 1 : settings['compression.judge_votes'];
}

function cleanedVote(needs: LessonNeeds, settings: LessonSettings, text: string): JudgeVote {
  const vote = readVote(text);
  const cleaner = cleanerOf(needs, settings['privacy.redact']);
  return {
    ...vote,
    raw: vote.raw === null ? null : cleaner.clean(vote.raw),
    reason: vote.reason === null ? null : cleaner.clean(vote.reason),
    missing: vote.missing.map((item) => cleaner.clean(item)),
  };
}

function cleanedAnswer(needs: LessonNeeds, settings: LessonSettings, answer: unknown): string {
  if (typeof answer !== 'string') throw new Error('The answer of the agent is no text.');
  return cleanerOf(needs, settings['privacy.redact']).clean(
    cutAt(answer, settings['replay.max_answer_bytes']),
  );
}

type Decision = Pick<ReplayResult, 'outcome' | 'reason' | 'missing' | 'votes'>;

function readable(outcome: ReplayOutcome, votes: readonly JudgeVote[]): Decision {
  const speaking = votes.find((vote) => vote.outcome === outcome);
  return { outcome, votes, reason: speaking?.reason ?? null, missing: speaking?.missing ?? [] };
}

function checked(values: readonly string[], answer: string): Decision {
  const said = answer.toLowerCase();
  const missing = values.filter((value) => !said.includes(value.toLowerCase()));
  return {
    outcome: missing.length === 0 ? 'passed' : 'failed',
    reason: missing.length === 0 ? null : `missing: ${missing.join(', ')}`,
    missing,
    votes: [],
  };
}

function count(spent: Spent, usage: ModelUsage | undefined): void {
  spent.inputTokens += usage?.inputTokens ?? 0;
  spent.outputTokens += usage?.outputTokens ?? 0;
}

function since(needs: LessonNeeds, startedAt: Date): number {
  return Math.max(0, needs.clock().getTime() - startedAt.getTime());
}

export function faultOf(error: unknown): string {
  return cutAt(error instanceof Error ? error.message : String(error), FAULT_CHARACTERS);
}
