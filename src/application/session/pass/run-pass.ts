/**
 * One pass as a recipe: read the span, let a strategy summarize it, ask the gate, then the fallback,
 * and write all of it in one transaction or nothing. No model is called inside a transaction.
 */
import { OssatureError } from '../../../domain/kernel/errors.js';
import { TextCleaner } from '../../../domain/redaction/text-cleaner.js';
import { selectOutgoing } from '../../../domain/session/export/outgoing-context.js';
import { draftOffline } from '../../../domain/session/pass/draft-offline.js';
import {
  type FinishedPass,
  finishPass,
  type PassDraft,
  type PassInput,
} from '../../../domain/session/pass/finish-pass.js';
import {
  leavingEntries,
  newStubs,
  spanHashOf,
  spanOf,
} from '../../../domain/session/pass/pass-span.js';
import type { PassPlan } from '../../../domain/session/pass/plan-pass.js';
import type { PassSettings } from '../../../domain/session/pass/settings.js';
import type { RequestInput } from '../../../domain/session/pass/request-state.js';
import type { SessionEntry } from '../../../domain/session/session.js';
import type {
  CheckOutcome,
  GateCode,
  SummaryStrategy,
} from '../../../domain/session/summary/gate-input.js';
import {
  type AttemptReason,
  type AttemptTrigger,
  type EntrySpan,
  liveCycles,
  type ModelCall,
  newVersions,
  type SessionAttempt,
  type SessionCycle,
} from '../../../domain/session/summary/session-cycle.js';
import type { Making } from '../../../domain/session/summary/summary-item.js';
import type { CompactRequest } from '../pass-request.js';
import type { PassMaterial, PlannedPass } from '../read-pass-material.js';
import { type ReadLines, readSectionLines } from '../read-section-lines.js';
import type { PassNeeds } from '../summary-needs.js';
import { PassCancelled } from './ask-summarizer.js';
import { keepAlive, newAttempt, settleAs } from './attempt-record.js';
import { draftAnchored } from './draft-anchored.js';
import { draftOpaque } from './draft-opaque.js';
import { draftRegenerative } from './draft-regenerative.js';
import { requestShares } from './pass-limits.js';
import { fallbackOf, leaseMs } from './pass-needs.js';
import { readContents } from './read-contents.js';
import type { DraftOutcome, SummarizerRun } from './summarizer-run.js';

export interface PassWork {
  readonly material: PassMaterial;
  readonly planned: PlannedPass;
  readonly plan: Omit<PassPlan, 'trigger'>;
  readonly trigger: AttemptTrigger;
  readonly settings: PassSettings;
  readonly strategy: SummaryStrategy;
  readonly request: Pick<CompactRequest, 'focus' | 'signal' | 'redact'>;
}

export interface PassResult {
  readonly outcome: 'adopted' | 'rejected' | 'failed' | 'cancelled' | 'busy' | 'stale';
  readonly reasons: readonly (AttemptReason | { readonly code: string; readonly reason: string })[];
  /** Of the last attempt; for `busy` the one that is running. */
  readonly attemptId: string | null;
  readonly cycle: number;
  readonly strategy: SummaryStrategy;
  readonly span: readonly EntrySpan[];
  readonly tokensBefore: number;
  readonly tokensAfter: number | null;
  /** What was tried before it, in words. */
  readonly notes: readonly string[];
}

/** The span of a pass, before anything is read of its contents. */
export function leavingOf({ planned, plan }: Pick<PassWork, 'planned' | 'plan'>) {
  return leavingEntries(planned.request, planned.measured, plan);
}

export async function runPass(needs: PassNeeds, work: PassWork): Promise<PassResult> {
  const { material, planned, settings, strategy, request } = work;
  const { session: key } = material;
  const { summaries } = needs.repositories;
  const leaving = leavingOf(work);
  const base = {
    cycle: key.cycle,
    strategy,
    span: spanOf(leaving),
    tokensBefore: planned.verdict.usedTokens,
    tokensAfter: null,
    notes: [],
  };
  const open = (next: SummaryStrategy, fallback: string | null): SessionAttempt =>
    newAttempt(needs, {
      ...work,
      strategy: next,
      span: base.span,
      targetTokens: work.plan.targetTokens,
      fallbackOf: fallback,
    });
  if (request.signal?.aborted === true) {
    return { ...base, outcome: 'cancelled', reasons: [CANCELLED], attemptId: null };
  }
  let attempt = open(strategy, null);
  if (!(await summaries.startAttempt(key, attempt))) {
    const running = (await summaries.listAttempts(key, 10)).find(
      ({ outcome }) => outcome === 'started',
    );
    const reasons = [{ code: 'busy', reason: 'another pass of this session is running' }];
    return { ...base, outcome: 'busy', reasons, attemptId: running?.attemptId ?? null };
  }
  const time = new AbortController();
  const cancelTime = needs.startTimer(settings.passTimeoutMs, () => time.abort());
  const renew = async (): Promise<void> => {
    const until = new Date(needs.clock().getTime() + leaseMs(settings));
    if (await summaries.renewLease(key, attempt.attemptId, until)) return;
    throw new OssatureError('STALE', 'The attempt was settled by another process.');
  };
  const endLife = keepAlive(needs.startTimer, Math.ceil(leaseMs(settings) / 3), renew);
  const calls: ModelCall[] = [];
  const trial = new PassTrial(needs, work, time.signal, renew);
  const notes: string[] = [];
  try {
    for (let current: SummaryStrategy = strategy; ;) {
      calls.length = 0;
      const tried = await trial.run(current, calls);
      requireAlive(request.signal);
      const told = { ...base, strategy: current, notes, attemptId: attempt.attemptId };
      if (tried.outcome === 'passed') {
        const { finished } = tried;
        const { tokensBefore, tokensAfter, gate } = finished;
        const settled = {
          ...attempt,
          modelCalls: [...calls],
          tokensAfter,
          checks: gate.checks,
          outcome: 'adopted' as const,
          finishedAt: needs.clock(),
        };
        const cycle = await adopt(needs, work, trial, tried, settled);
        needs.log.info('session.compacted', {
          tenantId: key.tenantId,
          sessionId: key.sessionId,
          cycle,
          strategy: current,
          tokensBefore,
          tokensAfter,
        });
        return { ...told, outcome: 'adopted', reasons: [], cycle, tokensBefore, tokensAfter };
      }
      const settled: SessionAttempt = {
        ...attempt,
        modelCalls: [...calls],
        tokensAfter: tried.tokensAfter,
        outcome: tried.outcome,
        reasons: tried.reasons,
        checks: tried.checks,
        finishedAt: needs.clock(),
      };
      needs.log.warn('session.pass-refused', {
        tenantId: key.tenantId,
        sessionId: key.sessionId,
        strategy: current,
        outcome: tried.outcome,
        reasons: tried.reasons.map(({ code }) => code),
      });
      const next = fallbackOf(settings, current, needs.summarizer);
      if (next === null || attempt.fallbackOf !== null) {
        await summaries.settleAttempt(key, settled);
        const { outcome, reasons, tokensAfter } = tried;
        return { ...told, outcome, reasons, tokensAfter };
      }
      const [why] = tried.reasons;
      notes.push(`${current} came to nothing (${why?.code}: ${why?.reason}); ${next} followed.`);
      const following = open(next, attempt.attemptId);
      // In one step, so that no other pass comes between.
      await needs.unitOfWork(async (bound) => {
        await bound.summaries.settleAttempt(key, settled);
        await bound.summaries.startAttempt(key, following);
      });
      [attempt, current] = [following, next];
    }
  } catch (error) {
    const told = { ...base, notes, attemptId: attempt.attemptId };
    const withCalls = { ...attempt, modelCalls: [...calls] };
    if (error instanceof PassCancelled) {
      await settleAs(needs, key, withCalls, 'cancelled', [CANCELLED]);
      return { ...told, outcome: 'cancelled', reasons: [CANCELLED] };
    }
    const isStale = OssatureError.is(error, 'STALE');
    const reason = error instanceof Error ? error.message : 'it failed';
    await settleAs(needs, key, withCalls, isStale ? 'stale' : 'failed', [
      { code: 'error', itemNo: null, reason },
    ]);
    if (!isStale) throw error;
    const reasons = [{ code: 'stale', reason: 'the summary was changed meanwhile' }];
    return { ...told, outcome: 'stale', reasons };
  } finally {
    cancelTime();
    endLife();
  }
}

const CANCELLED = { code: 'cancelled', itemNo: null, reason: 'it was cancelled' } as const;

function requireAlive(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new PassCancelled();
}

type Tried =
  | { readonly outcome: 'passed'; readonly finished: FinishedPass; readonly draft: PassDraft }
  | {
      readonly outcome: 'rejected' | 'failed';
      readonly reasons: readonly AttemptReason[];
      readonly checks: Readonly<Record<GateCode, CheckOutcome>> | null;
      readonly tokensAfter: number | null;
    };

/** Strategies tried on one span; what they read is read once. */
class PassTrial {
  readonly cycleNumber: number;
  spanHash = '';
  /** Entries that leave, with those that are summarized again. */
  span: readonly SessionEntry[] = [];
  replaces: readonly number[] = [];

  constructor(
    private readonly needs: PassNeeds,
    private readonly work: PassWork,
    private readonly time: AbortSignal,
    private readonly renew: () => Promise<void>,
  ) {
    const { cycles } = work.material;
    this.cycleNumber = 1 + cycles.reduce((last, { cycle }) => Math.max(last, cycle), 0);
  }

  async run(strategy: SummaryStrategy, calls: ModelCall[]): Promise<Tried> {
    const { needs, work } = this;
    const input = await this.#input(strategy);
    requireAlive(work.request.signal);
    let drafted: DraftOutcome;
    if (strategy === 'offline') {
      drafted = { outcome: 'drafted', draft: draftOffline(input), again: async () => drafted };
    } else if (needs.summarizer === null) {
      const reason = `no summarizer is given, which the strategy ${strategy} needs`;
      drafted = { outcome: 'failed', reasons: [{ code: 'unavailable', itemNo: null, reason }] };
    } else {
      const run = this.#summarizerRun(input, calls);
      drafted =
        strategy === 'anchored'
          ? await draftAnchored(input, run)
          : strategy === 'opaque'
            ? await draftOpaque(input, run)
            : await draftRegenerative(input, await this.#history(), run);
    }
    const rounds = strategy === 'offline' ? 0 : work.settings.maxModelRetries;
    for (let round = 0; ; round += 1) {
      if (drafted.outcome !== 'drafted') return { ...drafted, checks: null, tokensAfter: null };
      const finished = finishPass(input, drafted.draft);
      const { gate, tokensAfter } = finished;
      if (gate.outcome === 'passed') return { outcome: 'passed', finished, draft: drafted.draft };
      if (round >= rounds) {
        return { outcome: 'rejected', reasons: gate.reasons, checks: gate.checks, tokensAfter };
      }
      requireAlive(work.request.signal);
      drafted = await drafted.again(gate.reasons);
    }
  }

  async #input(strategy: SummaryStrategy): Promise<PassInput<SessionEntry>> {
    const { needs, work } = this;
    const { material, planned, plan, settings } = work;
    const request = await this.#contents();
    const leaving = leavingEntries(request, planned.measured, plan);
    const blobs = liveCycles(material.cycles).filter((cycle) => cycle.strategy === 'opaque');
    const again = strategy === 'opaque' ? [] : blobs;
    this.replaces = again.map(({ cycle }) => cycle);
    const earlier = await this.#entriesOf(again.flatMap(({ span }) => span));
    this.span = [...earlier, ...leaving].sort((a, b) => a.seq - b.seq);
    this.spanHash = spanHashOf(this.span, needs.digest);
    const read = await readSectionLines(
      needs.repositories,
      { ...material, request },
      this.span,
      needs.digest,
    );
    for (const { seq, entryId } of this.span) read.entryIds.set(seq, entryId);
    this.#read = read;
    return {
      request,
      plan,
      span: this.span.filter(({ active }) => active),
      newStubs: newStubs(planned.measured, plan),
      settings,
      lines: read.lines,
      commands: read.commands,
      making: this.#making(read),
      counter: needs.tokenCounter,
      digest: needs.digest,
    };
  }

  #request: RequestInput<SessionEntry> | null = null;

  async #contents(): Promise<RequestInput<SessionEntry>> {
    const { material, planned } = this.work;
    const { sessions } = this.needs.repositories;
    return (this.#request ??= await readContents(sessions, material.session, planned.request));
  }

  #read: ReadLines | null = null;

  #making({ entryIds }: ReadLines): Making {
    const { needs, spanHash } = this;
    return {
      cycle: this.cycleNumber,
      producer: 'offline',
      spanHash,
      itemIdOf: () => needs.newId(),
      entryIdOf: (seq) => {
        const entryId = entryIds.get(seq);
        if (entryId !== undefined) return entryId;
        throw new OssatureError('STORE_FAILED', `There is no entry ${seq} to cite.`, {
          details: { seq },
        });
      },
    };
  }

  #summarizerRun(input: PassInput<SessionEntry>, calls: ModelCall[]): SummarizerRun {
    const { needs, work, time, renew } = this;
    const { summarizer, clock, tokenCounter: counter } = needs;
    if (summarizer === null) throw new OssatureError('INVALID_CONFIG', 'No summarizer is given.');
    const cleaner = new TextCleaner(work.request.redact ?? ((text) => ({ text, redactions: {} })));
    const { schema } = input.request.summary;
    const focus = work.request.focus === undefined ? null : cleaner.clean(work.request.focus);
    return {
      summarizer,
      signals: { cancelled: work.request.signal, time },
      clock,
      counter,
      schema,
      shares: requestShares(work.settings, summarizer, schema, focus, counter),
      focus,
      maxRetries: work.settings.maxModelRetries,
      cleaner,
      renew,
      calls,
    };
  }

  /** Everything before the new cut, as it was said. */
  async #history(): Promise<readonly SessionEntry[]> {
    const { material, plan } = this.work;
    const to = Math.max(material.request.cut.cutSeq, plan.span.cutSeq);
    const entries = await this.needs.repositories.sessions.listEntries(material.session, {
      from: 1,
      to,
    });
    for (const { seq, entryId } of entries) this.#read?.entryIds.set(seq, entryId);
    const none = { cutSeq: 0, leftUnits: new Set<string>(), promptAgainSeq: null };
    return selectOutgoing(entries, none).tail;
  }

  async #entriesOf(spans: readonly EntrySpan[]): Promise<readonly SessionEntry[]> {
    const entries: SessionEntry[] = [];
    const { sessions } = this.needs.repositories;
    for (const range of spans) {
      for (const entry of await sessions.listEntries(this.work.material.session, range)) {
        entries.push(entry);
      }
    }
    return entries;
  }
}

/** @returns the number of the cycle. @throws OssatureError STALE, and nothing is written. */
async function adopt(
  needs: PassNeeds,
  { material, planned, plan }: PassWork,
  trial: PassTrial,
  { finished, draft }: Extract<Tried, { outcome: 'passed' }>,
  settled: SessionAttempt,
): Promise<number> {
  const { session } = material;
  const { cycleNumber: cycle, replaces } = trial;
  const { cutSeq } = finished;
  const adopted: SessionCycle = {
    cycle,
    revision: session.revision + 1,
    attemptId: settled.attemptId,
    state: 'live',
    strategy: draft.strategy,
    lastSeq: session.lastSeq,
    cutSeq,
    span: spanOf(trial.span),
    spanHash: trial.spanHash,
    previews: [...planned.request.previews]
      .filter(([seq]) => seq > cutSeq)
      .map(([seq, characters]) => ({ seq, characters }))
      .sort((a, b) => a.seq - b.seq),
    stubs: finished.stubs,
    blob: draft.blob,
    replaces,
    promptAgainSeq: plan.promptAgainSeq,
    tokensBefore: finished.tokensBefore,
    tokensAfter: finished.tokensAfter,
    targetTokens: plan.targetTokens,
    floorTokens: planned.verdict.breakdown.floorTokens,
    createdAt: needs.clock(),
  };
  const step = {
    fromRevision: session.revision,
    sessionCycle: cycle,
    items: newVersions(planned.request.summary, finished.summary),
    adopted,
    rolledBack: [],
    replaced: replaces,
  };
  await needs.unitOfWork(async ({ summaries }) => {
    await summaries.apply(session, step, needs.clock());
    await summaries.settleAttempt(session, settled);
  });
  return cycle;
}
