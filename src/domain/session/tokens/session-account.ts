/**
 * One session, entry by entry, as records of what its requests cost: reported by the provider where it
 * did, counted by us where it did not; and which of its tool results repeat what was there before.
 */
import { MESSAGE_OVERHEAD_TOKENS } from '../pass/unit-mark.js';
import type { JsonValue } from '../../redaction/json-value.js';
import type { SessionEntry, SessionUsage } from '../session.js';
import type { SessionAttempt, SessionCycle } from '../summary/session-cycle.js';
import { type ArtifactEvent, isChange, type LineRange } from '../trail/artifact-event.js';
import { isHumanPrompt, type ToolEffect, type ToolResultEntry } from '../transcript.js';
import { RefetchFinder, type SeqRange } from './refetch.js';
import type { TokenOrigin, TokenRecord } from './task-tokens.js';

export interface AccountFacts {
  readonly sessionId: string;
  readonly isChild: boolean;
  /** The task of an entry. */
  readonly taskOf: (seq: number) => string;
  readonly usage: readonly SessionUsage[];
  readonly events: readonly ArtifactEvent[];
  /** Ascending. */
  readonly cycles: readonly SessionCycle[];
  readonly attempts: readonly SessionAttempt[];
  /** Cycles in force when somebody expanded a handle, one each, with the last entry that was there. */
  readonly expansions: readonly { readonly seq: number }[];
  readonly normalizePath: (path: string) => string;
}

/** A pass that dropped entries from the tail: one of ours, or one of the vendor's own. */
interface Pass {
  /** Number of a cycle; `vendor:N` for the vendor's. */
  readonly cycle: TokenOrigin['cycle'];
  readonly strategy: string | null;
  readonly ranges: readonly SeqRange[];
  /** The last entry that was there. */
  readonly atSeq: number;
  /** Of a request right after it, where that is known. */
  readonly tokensAfter: number;
}

interface OpenMessage {
  readonly key: string;
  readonly inputTokens: number;
  readonly origin: TokenOrigin;
  outputTokens: number;
  isReported: boolean;
}

const START: Pass = { cycle: 0, strategy: null, ranges: [], atSeq: 0, tokensAfter: 0 };

export class SessionAccount {
  readonly records: TokenRecord[] = [];
  readonly calls: { readonly seq: number; readonly effect: ToolEffect }[] = [];
  readonly passes: Pass[] = [];
  readonly #finder: RefetchFinder;
  readonly #calls = new Map<string, { toolName: string; given: JsonValue; effect: ToolEffect }>();
  readonly #events = new Map<number, ArtifactEvent[]>();
  readonly #usage: readonly SessionUsage[];
  readonly #cycles: SessionCycle[];
  #nextUsage = 0;
  #vendorPasses = 0;
  #contextTokens = 0;
  #open: OpenMessage | null = null;
  #lastSeq = 0;

  constructor(private readonly facts: AccountFacts) {
    this.#finder = new RefetchFinder(facts.normalizePath);
    this.#usage = [...facts.usage].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
    this.#cycles = facts.cycles.filter(({ state }) => state !== 'rolled-back');
    for (const event of facts.events) {
      const held = this.#events.get(event.resultSeq);
      if (held === undefined) this.#events.set(event.resultSeq, [event]);
      else held.push(event);
    }
  }

  /** @param entry the next one, in order. */
  add(entry: SessionEntry): void {
    this.#lastSeq = entry.seq;
    this.#passBefore(entry);
    this.#note(entry);
    if (entry.active) this.#contextTokens += entry.tokenCount;
    for (let usage = this.#usage[this.#nextUsage]; usage !== undefined;) {
      if ((usage.seq ?? 0) > entry.seq) break;
      this.#report(usage, entry.seq);
      this.#nextUsage += 1;
      usage = this.#usage[this.#nextUsage];
    }
  }

  finish(): void {
    this.#close();
    for (const usage of this.#usage.slice(this.#nextUsage)) this.#report(usage, this.#lastSeq);
    for (const attempt of this.facts.attempts) this.#addSummarizer(attempt);
    for (const { seq } of this.facts.expansions) {
      this.records.push({ ...this.#originAt(seq), record: 'expansion' });
    }
  }

  #passBefore(entry: SessionEntry): void {
    for (let [next] = this.#cycles; next !== undefined && next.lastSeq < entry.seq;) {
      this.#enter({
        cycle: next.cycle,
        strategy: next.strategy,
        ranges: next.span,
        atSeq: next.lastSeq,
        tokensAfter: next.tokensAfter,
      });
      this.#cycles.shift();
      [next] = this.#cycles;
    }
    if (entry.kind !== 'system' || !entry.boundary) return;
    this.#vendorPasses += 1;
    this.#enter({
      cycle: `vendor:${this.#vendorPasses}`,
      strategy: 'vendor',
      ranges: [{ from: 1, to: entry.seq - 1 }],
      atSeq: entry.seq - 1,
      tokensAfter: 0,
    });
  }

  #enter(pass: Pass): void {
    this.#close();
    this.passes.push(pass);
    this.#finder.add({ event: 'dropped', ranges: pass.ranges });
    this.#contextTokens = pass.tokensAfter;
  }

  #note(entry: SessionEntry): void {
    if (isHumanPrompt(entry)) this.#close();
    switch (entry.kind) {
      case 'assistant':
      case 'thinking':
      case 'tool_call':
        if (entry.author === 'agent') this.#say(entry);
        if (entry.kind !== 'tool_call') return;
        this.calls.push({ seq: entry.seq, effect: entry.effect });
        this.#calls.set(entry.callId, {
          toolName: entry.toolName,
          given: entry.arguments,
          effect: entry.effect,
        });
        return;
      case 'tool_result':
        this.#fetch(entry);
        return;
      case 'user':
      case 'system':
      case 'summary':
      case 'attachment':
        if (entry.active) this.#contextTokens += MESSAGE_OVERHEAD_TOKENS;
    }
  }

  /** Entries of one message of the provider are one request. */
  #say(entry: SessionEntry): void {
    const key = entry.messageKey ?? entry.sourceKey;
    if (this.#open?.key !== key) {
      this.#close();
      const origin = this.#originAt(entry.seq);
      const inputTokens = this.#contextTokens;
      this.#open = { key, inputTokens, origin, outputTokens: 0, isReported: false };
      if (entry.active) this.#contextTokens += MESSAGE_OVERHEAD_TOKENS;
    }
    this.#open.outputTokens += entry.tokenCount;
  }

  #close(): void {
    const message = this.#open;
    this.#open = null;
    if (message === null || message.isReported) return;
    this.records.push({
      ...message.origin,
      record: 'request',
      purpose: 'agent',
      uncachedInputTokens: message.inputTokens,
      cachedInputTokens: 0,
      outputTokens: message.outputTokens,
      isEstimated: true,
    });
  }

  #report(usage: SessionUsage, seq: number): void {
    const { purpose, uncachedInputTokens, cachedInputTokens, outputTokens } = usage;
    if (this.#open !== null && purpose === 'agent') this.#open.isReported = true;
    this.records.push({
      ...this.#originAt(seq),
      record: 'request',
      purpose,
      uncachedInputTokens,
      cachedInputTokens,
      outputTokens,
      isEstimated: false,
    });
  }

  /** A result of a call that changes something is no fetch. */
  #fetch(entry: ToolResultEntry & SessionEntry): void {
    if (entry.active) this.#contextTokens += MESSAGE_OVERHEAD_TOKENS;
    const call = this.#calls.get(entry.callId);
    const events = this.#events.get(entry.seq) ?? [];
    const read = events.find(({ action, ok }) => action === 'read' && ok) ?? null;
    const repeats =
      call === undefined || call.effect === 'changes'
        ? null
        : this.#finder.add({
            event: 'fetched',
            seq: entry.seq,
            toolName: call.toolName,
            arguments: call.given,
            path: read?.path ?? null,
            range: closed(read?.range ?? null),
            resultHash: entry.contentHash,
            artifactHash: read?.hashAfter ?? null,
          });
    for (const { action, ok, path } of events) {
      if (ok && isChange(action)) this.#finder.add({ event: 'changed', seq: entry.seq, path });
    }
    this.records.push({
      ...this.#originAt(entry.seq),
      record: 'result',
      repeats: repeats?.kind ?? null,
      tokens: entry.tokenCount,
    });
  }

  #addSummarizer({ modelCalls, lastSeq, strategy }: SessionAttempt): void {
    for (const { usage, requestTokens } of modelCalls) {
      this.records.push({
        ...this.#originAt(lastSeq),
        strategy,
        record: 'request',
        purpose: 'summarizer',
        uncachedInputTokens: usage?.uncachedInputTokens ?? requestTokens,
        cachedInputTokens: usage?.cachedInputTokens ?? 0,
        outputTokens: usage?.outputTokens ?? 0,
        isEstimated: usage === null,
      });
    }
  }

  #originAt(seq: number): TokenOrigin {
    const { sessionId, isChild, taskOf } = this.facts;
    const { cycle, strategy } = this.passes.findLast(({ atSeq }) => atSeq < seq) ?? START;
    return { taskId: taskOf(seq), sessionId, isChild, cycle, strategy };
  }
}

function closed(range: LineRange | null): SeqRange | null {
  return range && { from: range.from, to: range.to ?? Number.MAX_SAFE_INTEGER };
}
