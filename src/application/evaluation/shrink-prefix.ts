/** One arm at work on one prefix, in a core of its own: the stored session stays as it is. */
import type { ComparedArm, PlainArm } from '../../domain/evaluation/compared-arm.js';
import type { SurvivingContext } from '../../domain/evaluation/survival.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import { NO_REDACTION, type Redact } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import { renderUnit } from '../../domain/session/render-unit.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import type { Summarizer } from '../session/summarise.js';
import type { HostArms } from './ports.js';
import { readPoint } from './read-point.js';
import type { OpenScratch, Scratch } from './scratch.js';

export interface ArmContext {
  readonly arm: string;
  /** Null where it cannot be looked into. */
  readonly context: SurvivingContext | null;
  readonly tokensAfter: number;
  /** Whether a span left, so that a share of it can be told. */
  readonly removesSpan: boolean;
  /** Null: it compressed, or had nothing to. */
  readonly failure: string | null;
  /** Tokens that summarizers took and gave up to here. */
  readonly summarizerTokens: number;
  /** Milliseconds that shrinking took up to here. */
  readonly elapsedMs: number;
}

export interface ShrinkParts {
  readonly openScratch: OpenScratch;
  readonly hostArms: HostArms;
  readonly mappings: readonly ToolMapping[];
  readonly counter: TokenCounter;
  readonly digest: Digest;
  /** Of what a host's arm gives; null: nothing is redacted. */
  readonly redact: Redact | null;
  /** Milliseconds from any beginning. */
  readonly now: () => number;
}

/** The drain line and the reserve of a pass, by which a target becomes a window (specification of sessions, §7.1). */
const WINDOW_PER_TARGET = 1 / (0.4 * 0.8);

/** A session in a core of its own that grows part by part and is compacted after each. */
export class ShrinkingCopy {
  #outcome: string | null = null;
  #elapsedMs = 0;

  private constructor(
    private readonly session: Session,
    private readonly arm: Extract<ComparedArm, { way: 'pass' }>,
    private readonly targetTokens: number,
    private readonly scratch: Scratch,
    private readonly parts: ShrinkParts,
  ) {}

  /** @param summarizer null: the strategy needs none, or there is none. */
  static async open(
    session: Session,
    arm: Extract<ComparedArm, { way: 'pass' }>,
    targetTokens: number,
    summarizer: Summarizer | null,
    parts: ShrinkParts,
  ): Promise<ShrinkingCopy> {
    const scratch = parts.openScratch(summarizer);
    await scratch.repositories.sessions.insert({
      ...session,
      projectId: null,
      planId: null,
      parentSessionId: null,
      parentEntryId: null,
      settings: {},
      cycle: 0,
      revision: 1,
      lastSeq: 0,
      lastTurn: 0,
    });
    return new ShrinkingCopy(session, arm, targetTokens, scratch, parts);
  }

  /** Why the last pass was not adopted; null: it was. */
  get outcome(): string | null {
    return this.#outcome;
  }

  async extend(entries: readonly SessionEntry[], signal: AbortSignal): Promise<void> {
    const { scratch, session, parts } = this;
    const texts = entries.map((entry): SessionEntry => {
      if (entry.kind !== 'attachment') return entry;
      // Bytes of media stay in the store of the session.
      const { mediaHash: _hash, ...rest } = entry;
      return rest;
    });
    await scratch.repositories.sessions.append(session, texts, session.updatedAt);
    await scratch.trails.rebuild(session);
    const began = parts.now();
    this.#outcome = await this.#compact(signal);
    this.#elapsedMs += parts.now() - began;
  }

  /** The point that the last adopted pass made. */
  point() {
    const { mappings, digest } = this.parts;
    return readPoint({ ports: this.scratch.repositories, mappings, digest }, this.session, null);
  }

  /** What it leaves; all of it, with the reason, where the last pass was not adopted. */
  async context(entries: readonly SessionEntry[], tokensBefore: number): Promise<ArmContext> {
    const told = {
      arm: this.arm.name,
      failure: this.#outcome,
      summarizerTokens: await this.#summarizerTokens(),
      elapsedMs: this.#elapsedMs,
    };
    if (this.#outcome !== null) {
      const context = wordForWord(entries);
      return { ...told, context, tokensAfter: tokensBefore, removesSpan: false };
    }
    const { context, cycle } = await this.point();
    const isBlob = this.arm.strategy === 'opaque';
    return {
      ...told,
      context: isBlob ? null : context,
      tokensAfter: cycle.tokensAfter,
      removesSpan: true,
    };
  }

  async #compact(signal: AbortSignal): Promise<string | null> {
    const { tenantId, sessionId } = this.session;
    const { strategy, trigger } = this.arm;
    const { outcome, reasons } = await this.scratch.summaries.compact({
      tenantId,
      sessionId,
      settings: {
        windowTokens: Math.max(1_000, Math.ceil(this.targetTokens * WINDOW_PER_TARGET)),
        strategy,
        // Its own failure counts, not what another strategy makes of it.
        fallback: 'none',
        ...(trigger === null ? {} : { triggers: [[trigger]] }),
      },
      now: true,
      signal,
    });
    signal.throwIfAborted();
    return outcome === 'adopted'
      ? null
      : [outcome, ...reasons.map(({ reason }) => reason)].join(': ');
  }

  async #summarizerTokens(): Promise<number> {
    const attempts = await this.scratch.repositories.summaries.listAttempts(
      this.session,
      MOST_ATTEMPTS,
    );
    return attempts
      .flatMap(({ modelCalls }) => modelCalls)
      .reduce(
        (sum, { usage }) =>
          usage === null
            ? sum
            : sum + usage.uncachedInputTokens + usage.cachedInputTokens + usage.outputTokens,
        0,
      );
  }
}

const MOST_ATTEMPTS = 1_000;

/** What stands word for word within the target, at one end of the prefix or all of it. */
export function plainContext(
  arm: PlainArm,
  entries: readonly SessionEntry[],
  targetTokens: number,
  tokensBefore: number,
): ArmContext {
  const kept = within(entries, arm, targetTokens);
  const tokens = kept.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  return {
    arm,
    context: wordForWord(kept),
    tokensAfter: arm === 'full' ? tokensBefore : tokens,
    removesSpan: false,
    failure: null,
    summarizerTokens: 0,
    elapsedMs: 0,
  };
}

/** What a host's own arm makes of the prefix; what it throws is its failure. */
export async function hostContext(
  name: string,
  entries: readonly SessionEntry[],
  targetTokens: number,
  tokensBefore: number,
  { hostArms, counter, redact, now }: ShrinkParts,
  signal: AbortSignal,
): Promise<ArmContext> {
  const active = entries.filter((entry) => entry.active);
  const began = now();
  const told = { arm: name, removesSpan: false } as const;
  try {
    const shrink = hostArms[name];
    if (shrink === undefined) throw new Error('the host gives no such arm');
    const shrunk = await shrink({ entries: active, targetTokens }, signal);
    const { summarizerTokens = 0 } = shrunk;
    const text = new TextCleaner(redact ?? NO_REDACTION).clean(shrunk.text);
    return {
      ...told,
      context: { summary: '', tail: text, carried: new Set(), reachable: new Set() },
      tokensAfter: counter.count(text),
      failure: null,
      summarizerTokens,
      elapsedMs: now() - began,
    };
  } catch (error) {
    signal.throwIfAborted();
    return {
      ...told,
      context: wordForWord(active),
      tokensAfter: tokensBefore,
      failure: error instanceof Error ? error.message : String(error),
      summarizerTokens: 0,
      elapsedMs: now() - began,
    };
  }
}

function within(
  entries: readonly SessionEntry[],
  arm: PlainArm,
  targetTokens: number,
): readonly SessionEntry[] {
  const active = entries.filter((entry) => entry.active);
  if (arm === 'full') return active;
  const kept: SessionEntry[] = [];
  let free = targetTokens;
  for (const entry of arm === 'tail' ? [...active].reverse() : active) {
    if (entry.tokenCount > free) break;
    free -= entry.tokenCount;
    kept.push(entry);
  }
  return arm === 'tail' ? kept.reverse() : kept;
}

function wordForWord(entries: readonly SessionEntry[]): SurvivingContext {
  const active = entries.filter((entry) => entry.active);
  return {
    summary: '',
    tail: active.map((entry) => renderUnit([entry])).join('\n'),
    carried: new Set(active.map(({ entryId }) => entryId)),
    reachable: new Set(),
  };
}
