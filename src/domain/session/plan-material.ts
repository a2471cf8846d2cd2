/**
 * What a session yields for a plan: decisions and fragments, in order, from entries as they come.
 * Deterministic and without a model. What yields nothing is counted by its reason.
 */
import type { DecisionId } from '../kernel/ids.js';
import type { Digest, TokenCounter } from '../kernel/measures.js';
import type { JsonObject } from '../redaction/json-value.js';
import type { TextCleaner } from '../redaction/text-cleaner.js';
import { decisionScope } from './derived-ids.js';
import { cleanEntry, withoutDetail } from './clean-entry.js';
import { fitContent } from './fit-content.js';
import { renderUnit } from './render-unit.js';
import { DecisionLog, type SessionDecision } from './session-decision.js';
import type { TranscriptEntry } from './transcript.js';
import type { PlacedEntry, UnitProblem } from './place-entries.js';
import { type Unit, UnitCollector } from './unit.js';
import { UNIT_RELEVANCE, unitKind } from './unit-relevance.js';

/** Tokens above which a unit becomes head, tail and handle (specification of sessions, §5). */
export const MAX_FRAGMENT_TOKENS = 8_000;

export interface SessionFragment {
  /** `<session_id>:<unit_id>`. */
  readonly fragmentId: string;
  readonly content: string;
  readonly tokenCount: number;
  /** 0..1, from the unit alone. */
  readonly relevance: number;
  readonly decisionId: DecisionId | null;
  readonly createdAt: string | null;
  /** Names of the wire: kind, turn, source_key, handle, and where they apply tools, paths, failed, whole_tokens, unanswered_calls. */
  readonly metadata: JsonObject;
}

export type PlanMaterialItem =
  | { readonly item: 'decision'; readonly decision: SessionDecision }
  | { readonly item: 'fragment'; readonly fragment: SessionFragment };

/** Why entries yield no fragment. `incomplete-unit`: a last call without its result yet. */
export type LeftOutReason =
  | 'thinking'
  | 'harness'
  | 'vendor-summary'
  | 'system'
  | 'inactive-branch'
  | 'incomplete-unit'
  | 'empty';

export interface PlanMaterialSettings {
  readonly sessionId: string;
  /** Whose decisions they become: ids of decisions are unique in a store, and one session may serve several plans. */
  readonly owner: string;
  readonly digest: Digest;
  readonly counter: TokenCounter;
  readonly cleaner: TextCleaner;
  /** The plan holds a prompt_definition already. */
  readonly planHasPrompt: boolean;
  readonly choice?: MaterialChoice;
}

/** What of a session becomes fragments, and how long one may be. */
export interface MaterialChoice {
  /** Default `MAX_FRAGMENT_TOKENS`; at least 100. */
  readonly maxFragmentTokens?: number;
  /** Thinking stands in the fragment of its unit. Default: it is left out and counted. */
  readonly thinking?: boolean;
}

export class PlanMaterial {
  readonly #units = new UnitCollector();
  readonly #log: DecisionLog;
  readonly #leftOut = new Map<LeftOutReason, number>();
  readonly #incomplete: string[] = [];
  #shortened = 0;

  constructor(private readonly settings: PlanMaterialSettings) {
    this.#log = new DecisionLog(
      decisionScope(settings.sessionId, settings.owner),
      settings.digest,
      settings.planHasPrompt,
    );
  }

  /** Entries that yielded no fragment, by reason. */
  get leftOut(): Readonly<Partial<Record<LeftOutReason, number>>> {
    return Object.fromEntries(this.#leftOut);
  }

  /** Source keys of last units that wait for the result of a call; a grown file completes them. */
  get incomplete(): readonly string[] {
    return this.#incomplete;
  }

  /** Fragments that are head, tail and handle. */
  get shortened(): number {
    return this.#shortened;
  }

  takeProblems(): readonly UnitProblem[] {
    return this.#units.takeProblems();
  }

  add(entry: PlacedEntry): readonly PlanMaterialItem[] {
    const reason = this.#reasonLeftOut(entry);
    if (reason === 'inactive-branch' || reason === 'thinking') {
      this.#leaveOut(reason, 1);
      return [];
    }
    return this.#units.add(entry).flatMap((unit) => this.#yield(unit));
  }

  /** Ends the session. Nothing may be added afterwards. */
  finish(): readonly PlanMaterialItem[] {
    const { complete, incomplete } = this.#units.finish();
    for (const { entries, unitId } of incomplete) {
      this.#leaveOut('incomplete-unit', entries.length);
      this.#incomplete.push(unitId);
    }
    return complete.flatMap((unit) => this.#yield(unit));
  }

  #yield(unit: Unit): readonly PlanMaterialItem[] {
    const kept: TranscriptEntry[] = [];
    for (const entry of unit.entries) {
      const reason = this.#reasonLeftOut(entry);
      if (reason === null) kept.push(cleanEntry(withoutDetail(entry), this.settings.cleaner));
      else this.#leaveOut(reason, 1);
    }
    if (kept.length === 0) return [];
    const whole = renderUnit(kept);
    if (whole.trim() === '') {
      this.#leaveOut('empty', kept.length);
      return [];
    }
    const { decisions, decisionId } = this.#log.add(kept);
    return [
      ...decisions.map((decision) => ({ item: 'decision' as const, decision })),
      { item: 'fragment', fragment: this.#fragment(unit, kept, whole, decisionId) },
    ];
  }

  #fragment(
    unit: Unit,
    kept: readonly TranscriptEntry[],
    whole: string,
    decisionId: DecisionId | null,
  ): SessionFragment {
    const { sessionId, counter, choice } = this.settings;
    const handle = `entry:${unit.seq}`;
    const kind = unitKind(kept);
    const { content, tokenCount, wholeTokens } = fitContent(
      whole,
      choice?.maxFragmentTokens ?? MAX_FRAGMENT_TOKENS,
      handle,
      counter,
    );
    if (wholeTokens !== null) this.#shortened += 1;
    const tools = kept.flatMap((entry) => (entry.kind === 'tool_call' ? [entry.toolName] : []));
    return {
      fragmentId: `${sessionId}:${unit.unitId}`,
      content,
      tokenCount,
      relevance: UNIT_RELEVANCE[kind],
      decisionId,
      createdAt: kept.find(({ occurredAt }) => occurredAt !== null)?.occurredAt ?? null,
      metadata: {
        kind,
        turn: unit.turn,
        source_key: kept[0]?.sourceKey ?? unit.unitId,
        handle,
        ...(tools.length > 0 && { tools: [...new Set(tools)] }),
        ...(kept.some((entry) => entry.kind === 'tool_result' && entry.isError) && {
          failed: true,
        }),
        ...(wholeTokens !== null && { whole_tokens: wholeTokens }),
        ...(unit.unanswered.length > 0 && { unanswered_calls: [...unit.unanswered] }),
      },
    };
  }

  /** Null: the entry belongs into its unit's fragment. */
  #reasonLeftOut(entry: TranscriptEntry): LeftOutReason | null {
    if (!entry.active) return 'inactive-branch';
    if (entry.kind === 'thinking')
      return this.settings.choice?.thinking === true ? null : 'thinking';
    if (entry.kind === 'summary') return 'vendor-summary';
    if (entry.kind === 'system') return 'system';
    return entry.author === 'harness' ? 'harness' : null;
  }

  #leaveOut(reason: LeftOutReason, entries: number): void {
    this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + entries);
  }
}
