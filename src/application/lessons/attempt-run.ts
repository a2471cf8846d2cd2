/** An attempt under way: what it is about, and what it has found so far. */
import type { CompressionAttempt, ReplayResult } from '../../domain/lessons/attempt.js';
import type { Episode } from '../../domain/lessons/episode.js';
import type { Lesson } from '../../domain/lessons/lesson.js';
import type { LessonSettings } from '../../domain/lessons/lesson-settings.js';
import type { SamplePlan } from '../../domain/lessons/regression-sample.js';
import type {
  LessonEvidence,
  LessonLedger,
  Lineage,
  StoredArm,
} from '../../domain/lessons/repositories.js';
import { type LessonNeeds } from './lesson-needs.js';
import type { JudgeReplay, ReplayTask } from './ports.js';
import type { ReplayAsk, ReplayParts, Spent } from './replay-episode.js';
import { armKey, replayEpisode } from './replay-episode.js';
import { findArms } from './stored-arms.js';

/** Share of a lease that may pass between two replays before it is prolonged. */
const PROLONGED_AFTER = 1 / 8;

export interface AttemptSource {
  readonly lesson: Lesson;
  readonly ledger: LessonLedger;
  readonly evidence: LessonEvidence;
}

export interface OpenedAttempt {
  readonly attempt: CompressionAttempt;
  readonly sources: readonly AttemptSource[];
  readonly lineage: Lineage;
  /** Bodies of everything below the sources, themselves included. */
  readonly subtreeBodies: readonly string[];
  readonly plan: SamplePlan;
  /** Episodes of the set that are not quarantined. */
  readonly setIds: ReadonlySet<string>;
}

/** Progress for whoever watches: one line a replay. */
export type WatchReplay = (result: ReplayResult) => void;

export class AttemptRun {
  readonly replays: ReplayResult[] = [];
  readonly spent: Spent = { probes: 0, judges: 0, inputTokens: 0, outputTokens: 0 };
  compressorCalls = 0;
  auditCalls = 0;
  #attempt: CompressionAttempt;
  readonly #episodes = new Map<string, Episode>();

  constructor(
    readonly needs: LessonNeeds,
    readonly opened: OpenedAttempt,
    private readonly models: { readonly agent: ReplayTask; readonly judge: JudgeReplay },
    readonly signal: AbortSignal | undefined,
    private readonly watch: WatchReplay,
  ) {
    this.#attempt = opened.attempt;
  }

  get attempt(): CompressionAttempt {
    return this.#attempt;
  }

  get settings(): LessonSettings {
    return this.opened.attempt.settings.values;
  }

  get parts(): ReplayParts {
    return { needs: this.needs, settings: this.settings, signal: this.signal, ...this.models };
  }

  /** Saves what is known and prolongs the lease. STALE where the attempt was taken away. */
  async step(known: Partial<CompressionAttempt>): Promise<void> {
    this.#attempt = { ...this.#attempt, ...known, ...this.#prolonged() };
    await this.needs.repositories.attempts.renew(this.#attempt);
  }

  /** Prolongs the lease once a share of it has passed. STALE where the attempt was taken away. */
  async prolong(): Promise<void> {
    const { leaseUntil, calls } = this.#prolonged();
    const passedMs = leaseUntil.getTime() - this.#attempt.leaseUntil.getTime();
    if (passedMs < this.settings['compression.attempt_lease_s'] * 1_000 * PROLONGED_AFTER) return;
    this.#attempt = { ...this.#attempt, calls, leaseUntil };
    await this.needs.repositories.attempts.prolong(this.#attempt);
  }

  #prolonged(): Pick<CompressionAttempt, 'calls' | 'leaseUntil'> {
    return { calls: this.calls(), leaseUntil: leaseEnd(this.needs.clock(), this.settings) };
  }

  calls(): CompressionAttempt['calls'] {
    const { probes, judges, inputTokens, outputTokens } = this.spent;
    const { compressorCalls: compressor, auditCalls: audits } = this;
    return { compressor, audits, probes, judges, inputTokens, outputTokens };
  }

  /** Texts of episodes, read when they are replayed. */
  async episodes(ids: readonly string[]): Promise<readonly Episode[]> {
    const unread = ids.filter((id) => !this.#episodes.has(id));
    if (unread.length > 0) {
      for (const episode of await this.needs.repositories.episodes.getMany(unread)) {
        this.#episodes.set(episode.episodeId, episode);
      }
    }
    return ids.flatMap((id) => this.#episodes.get(id) ?? []);
  }

  async replay(ask: Omit<ReplayAsk, 'attemptId'>): Promise<ReplayResult> {
    const { attemptId } = this.#attempt;
    return this.#keep(await replayEpisode(this.parts, { ...ask, attemptId }, this.spent));
  }

  /** The same with a text that is no candidate: it counts as calls and leaves no row. */
  async probe(ask: Omit<ReplayAsk, 'attemptId'>): Promise<ReplayResult['outcome']> {
    const { attemptId } = this.#attempt;
    const { outcome } = await replayEpisode(this.parts, { ...ask, attemptId }, this.spent);
    await this.prolong();
    return outcome;
  }

  /** The same for an arm that does not depend on the candidate: a stored result is used again. */
  async replayArm(
    ask: Omit<ReplayAsk, 'attemptId'>,
    stored: ReadonlyMap<string, StoredArm>,
  ): Promise<ReplayResult> {
    const known = stored.get(this.keyOf(ask.episode.episodeId, ask.lesson));
    if (known === undefined) return this.replay(ask);
    return this.#keep({
      ...known,
      attemptId: this.#attempt.attemptId,
      episodeId: ask.episode.episodeId,
      arm: ask.arm,
      phase: ask.phase,
      answer: null,
      fault: null,
      votes: [],
      checkedMechanically: false,
      reused: true,
      processId: null,
      startedAt: this.needs.clock(),
      durationMs: 0,
    });
  }

  storedArms(ids: readonly string[], lesson: string | null) {
    return findArms(this.parts, ids, lesson);
  }

  keyOf(episodeId: string, lesson: string | null): string {
    const { digest } = this.needs;
    return armKey(this.parts, episodeId, lesson === null ? null : digest(lesson), digest);
  }

  async #keep(result: Omit<ReplayResult, 'ordinal'>): Promise<ReplayResult> {
    const kept = { ...result, ordinal: this.replays.length + 1 };
    this.replays.push(kept);
    this.watch(kept);
    await this.prolong();
    return kept;
  }
}

export function leaseEnd(now: Date, settings: LessonSettings): Date {
  return new Date(now.getTime() + settings['compression.attempt_lease_s'] * 1_000);
}
