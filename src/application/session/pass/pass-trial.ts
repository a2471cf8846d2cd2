/** Strategies tried on the span of one pass, up to the gate. Nothing is written. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import { NO_REDACTION } from '../../../domain/redaction/redact.js';
import { TextCleaner } from '../../../domain/redaction/text-cleaner.js';
import { selectOutgoing } from '../../../domain/session/export/outgoing-context.js';
import { isTelling, type MarkedEntry } from '../../../domain/session/marked-entry.js';
import { draftOffline } from '../../../domain/session/pass/draft-offline.js';
import {
  type FinishedPass,
  finishPass,
  type PassDraft,
  type PassInput,
  type SpanPlace,
} from '../../../domain/session/pass/finish-pass.js';
import { keptEntries, newStubs, spanHashOf } from '../../../domain/session/pass/pass-span.js';
import type { SessionEntry } from '../../../domain/session/session.js';
import type {
  CheckOutcome,
  GateCode,
  SummaryStrategy,
} from '../../../domain/session/summary/gate-input.js';
import {
  type AttemptReason,
  liveCycles,
  type ModelCall,
} from '../../../domain/session/summary/session-cycle.js';
import type { AnchoredSummary, Making } from '../../../domain/session/summary/summary-item.js';
import { isHumanPrompt } from '../../../domain/session/transcript.js';
import { readSectionLines } from '../read-section-lines.js';
import type { PassNeeds } from '../summary-needs.js';
import { requireAlive } from './ask-in-time.js';
import { draftAnchored } from './draft-anchored.js';
import { draftOpaque } from './draft-opaque.js';
import { draftRegenerative } from './draft-regenerative.js';
import { PassContents } from './pass-contents.js';
import { requestShares } from './pass-limits.js';
import { reviewerOf } from './pass-needs.js';
import type { PassWork } from './pass-work.js';
import { reviewDraft, type Reviewed } from './review-draft.js';
import type { DraftOutcome, SummarizerRun } from './summarizer-run.js';

/** Which contents of the span are read. */
type SpanRead = 'telling' | 'all';

export interface Passed {
  readonly outcome: 'passed';
  readonly finished: FinishedPass;
  readonly draft: PassDraft;
  /** What a reader of the result should know, in words. */
  readonly notes: readonly string[];
}

export type Tried =
  | Passed
  | {
      readonly outcome: 'rejected' | 'failed';
      readonly reasons: readonly AttemptReason[];
      readonly checks: Readonly<Record<GateCode, CheckOutcome>> | null;
      readonly tokensAfter: number | null;
    };

const NOTHING_REVIEWED: Reviewed = { refusals: [], notes: [] };

/** Strategies tried on one span; what they read is read once. */
export class PassTrial {
  readonly cycleNumber: number;
  spanHash = '';
  /** Entries that leave, with those that are summarized again. */
  span: readonly MarkedEntry[] = [];
  replaces: readonly number[] = [];
  readonly #contents: PassContents;
  readonly #entryIds = new Map<number, string>();

  constructor(
    private readonly needs: PassNeeds,
    private readonly work: PassWork,
    /** The span, but for what is summarized again. */
    private readonly leaving: readonly MarkedEntry[],
    private readonly time: AbortSignal,
    private readonly renew: () => Promise<void>,
  ) {
    const { cycles, session } = work.material;
    this.cycleNumber = 1 + cycles.reduce((last, { cycle }) => Math.max(last, cycle), 0);
    this.#contents = new PassContents(needs.repositories.sessions, session);
  }

  /** Without a model, code reads what tells it something; all of the span only where the gate misses words. */
  async run(strategy: SummaryStrategy, calls: ModelCall[]): Promise<Tried> {
    const isModel = strategy !== 'offline';
    const tried = await this.#try(strategy, calls, isModel ? 'all' : 'telling');
    const isMissing = tried.outcome === 'rejected' && tried.checks?.identifiers === 'failed';
    return isMissing && !isModel ? this.#try(strategy, calls, 'all') : tried;
  }

  async #try(strategy: SummaryStrategy, calls: ModelCall[], read: SpanRead): Promise<Tried> {
    const { needs, work } = this;
    const input = await this.#input(strategy, read);
    requireAlive(work.request.signal);
    let drafted: DraftOutcome;
    let evidence: readonly SessionEntry[] = input.span;
    if (strategy === 'offline') {
      drafted = { outcome: 'drafted', draft: draftOffline(input), again: async () => drafted };
    } else if (needs.summarizer === null) {
      const reason = `no summarizer is given, which the strategy ${strategy} needs`;
      drafted = { outcome: 'failed', reasons: [{ code: 'unavailable', itemNo: null, reason }] };
    } else {
      const run = this.#summarizerRun(input, calls);
      if (strategy === 'regenerative') evidence = await this.#history();
      drafted =
        strategy === 'anchored'
          ? await draftAnchored(input, run)
          : strategy === 'opaque'
            ? await draftOpaque(input, run)
            : await draftRegenerative(input, evidence, run);
    }
    const rounds = strategy === 'offline' ? 0 : work.settings.maxModelRetries;
    for (let round = 0; ; round += 1) {
      if (drafted.outcome !== 'drafted') return { ...drafted, checks: null, tokensAfter: null };
      const finished = finishPass(input, drafted.draft);
      const { gate, tokensAfter } = finished;
      const { refusals, notes } =
        gate.outcome === 'passed'
          ? await this.#review(strategy, input.request.summary, finished.summary, evidence, calls)
          : NOTHING_REVIEWED;
      const reasons = [...gate.reasons, ...refusals];
      if (reasons.length === 0) return { outcome: 'passed', finished, draft: drafted.draft, notes };
      if (round >= rounds) {
        return { outcome: 'rejected', reasons, checks: gate.checks, tokensAfter };
      }
      requireAlive(work.request.signal);
      drafted = await drafted.again(reasons);
    }
  }

  /** @param evidence entries that items may cite, with their texts. */
  async #review(
    strategy: SummaryStrategy,
    before: AnchoredSummary,
    after: AnchoredSummary,
    evidence: readonly SessionEntry[],
    calls: ModelCall[],
  ): Promise<Reviewed> {
    const { needs, work, time, renew } = this;
    const reviewer = reviewerOf(needs, work.settings, strategy);
    if (reviewer === null) return NOTHING_REVIEWED;
    const run = {
      reviewer,
      signals: { cancelled: work.request.signal, time },
      clock: needs.clock,
      counter: needs.tokenCounter,
      settings: work.settings,
      cleaner: this.#cleaner(),
      renew,
      calls,
    };
    return reviewDraft(run, before, after, evidence);
  }

  async #input(strategy: SummaryStrategy, read: SpanRead): Promise<PassInput<SessionEntry>> {
    const { needs, work } = this;
    const { material, planned, plan, settings } = work;
    const { request, measured } = planned;
    const { repositories, digest, tokenCounter: counter } = needs;
    await this.#chooseSpan(strategy);
    this.spanHash = await this.#spanHash();
    const kept = await this.#contents.of(keptEntries(request, measured, plan));
    const active = this.span.filter((entry) => entry.active);
    const span = await this.#contents.of(read === 'all' ? active : active.filter(isTelling));
    const asked = { request, span: this.span, contents: this.#contents, digest };
    const { lines, commands, cited } = await readSectionLines(repositories, material, asked);
    for (const read of [kept, span]) {
      for (const { seq, entryId } of read) this.#entryIds.set(seq, entryId);
    }
    const missing = [...new Set(cited)].filter((seq) => seq > 0 && !this.#entryIds.has(seq));
    if (missing.length > 0) {
      const found = await repositories.summaries.findEntryIds(material.session, missing);
      for (const [seq, entryId] of found) this.#entryIds.set(seq, entryId);
    }
    return {
      request,
      measured,
      plan,
      kept,
      places: this.#places(active),
      span,
      newStubs: newStubs(measured, plan),
      settings,
      lines,
      commands,
      making: this.#making(),
      counter,
      digest,
    };
  }

  /** A summary that anybody can read takes the place of blobs: what those stand for is summarized again. */
  async #chooseSpan(strategy: SummaryStrategy): Promise<void> {
    const { material } = this.work;
    const { sessions } = this.needs.repositories;
    const blobs = liveCycles(material.cycles).filter((cycle) => cycle.strategy === 'opaque');
    const again = strategy === 'opaque' ? [] : blobs;
    this.replaces = again.map(({ cycle }) => cycle);
    const earlier: MarkedEntry[] = [];
    for (const range of again.flatMap(({ span }) => span)) {
      for (const mark of await sessions.listMarks(material.session, range)) earlier.push(mark);
    }
    this.span =
      earlier.length === 0
        ? this.leaving
        : [...earlier, ...this.leaving].sort((a, b) => a.seq - b.seq);
  }

  /** Numbers have no gaps: what lies between two entries of the span is read along and passed over. */
  async #spanHash(): Promise<string> {
    const { sessions } = this.needs.repositories;
    const { session } = this.work.material;
    const [first, last] = [this.span[0]?.seq ?? 1, this.span.at(-1)?.seq ?? 0];
    const hashes = await sessions.listHashes(session, { from: first, to: last });
    return spanHashOf(this.span, (seq) => hashes[seq - first] ?? '', this.needs.digest);
  }

  /** What is neither read nor cited has no text, and nothing speaks of it: the gate need not see it. */
  #places(active: readonly MarkedEntry[]): readonly SpanPlace[] {
    const places: SpanPlace[] = [];
    for (const entry of active) {
      const { seq } = entry;
      const entryId = this.#entryIds.get(seq);
      if (entryId !== undefined) places.push({ seq, entryId, isPrompt: isHumanPrompt(entry) });
    }
    return places;
  }

  #entryIdOf(seq: number): string {
    const entryId = this.#entryIds.get(seq);
    if (entryId !== undefined) return entryId;
    throw new OssatureError('STORE_FAILED', `There is no entry ${seq} to cite.`, {
      details: { seq },
    });
  }

  #making(): Making {
    const { needs, spanHash } = this;
    return {
      cycle: this.cycleNumber,
      producer: 'offline',
      spanHash,
      itemIdOf: () => needs.newId(),
      entryIdOf: (seq) => this.#entryIdOf(seq),
    };
  }

  #summarizerRun(input: PassInput<SessionEntry>, calls: ModelCall[]): SummarizerRun {
    const { needs, work, time, renew } = this;
    const { summarizer, clock, tokenCounter: counter } = needs;
    if (summarizer === null) throw new OssatureError('INVALID_CONFIG', 'No summarizer is given.');
    const cleaner = this.#cleaner();
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

  #cleaner(): TextCleaner {
    const { redact = this.needs.redact } = this.work.request;
    return new TextCleaner(redact ?? NO_REDACTION);
  }

  /** Everything before the new cut, as it was said. */
  async #history(): Promise<readonly SessionEntry[]> {
    const { material, plan } = this.work;
    const to = Math.max(material.request.cut.cutSeq, plan.span.cutSeq);
    const entries = await this.needs.repositories.sessions.listEntries(material.session, {
      from: 1,
      to,
    });
    for (const { seq, entryId } of entries) this.#entryIds.set(seq, entryId);
    const none = { cutSeq: 0, leftUnits: new Set<string>(), promptAgainSeq: null };
    return selectOutgoing(entries, none).tail;
  }
}
