/**
 * Tokens per task: input and output of its requests, of the summarizer, and a surcharge for what had
 * to be fetched again. The surcharge is on purpose; the sum without it stands beside.
 */
import type { Repetition } from './refetch.js';

/** Where a record belongs. */
export interface TokenOrigin {
  /** As the host gives it, or the human prompt in force. */
  readonly taskId: string;
  readonly sessionId: string;
  /** A sub-agent's session: its tokens are part of the task and shown apart. */
  readonly isChild: boolean;
  /** Cycle in force; 0 before the first; `vendor:N` after the vendor's own N-th pass. */
  readonly cycle: number | string;
  /** Strategy of that cycle, `vendor` of the vendor's own; null before the first. */
  readonly strategy: string | null;
}

export type TokenRecord = TokenOrigin &
  (
    | {
        readonly record: 'request';
        readonly purpose: 'agent' | 'summarizer';
        readonly uncachedInputTokens: number;
        readonly cachedInputTokens: number;
        readonly outputTokens: number;
        /** Counted by our counter, for the provider reported nothing. */
        readonly isEstimated: boolean;
      }
    /** A tool result; what it repeats, if anything. */
    | {
        readonly record: 'result';
        readonly repeats: Repetition['kind'] | null;
        readonly tokens: number;
      }
    | { readonly record: 'expansion' }
  );

export interface TokenSums {
  readonly key: string;
  readonly requests: number;
  readonly estimatedRequests: number;
  readonly uncachedInputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Input and output of summarizer calls. */
  readonly summarizerTokens: number;
  readonly refetchTokens: number;
  /** All of the above: uncached and cached input, output, summarizer, re-fetches. */
  readonly taskTokens: number;
  readonly taskTokensWithoutRefetch: number;
  /** What child sessions have in `taskTokens`. */
  readonly childTokens: number;
  readonly results: number;
  readonly refetches: number;
  readonly duplicates: number;
  /** Re-fetches per result; 0 without results. */
  readonly refetchRate: number;
  readonly expansions: number;
}

export type TokenGrouping = 'task' | 'session' | 'cycle' | 'strategy' | 'all';

type Tally = {
  -readonly [Field in keyof Omit<TokenSums, 'key' | 'refetchRate'>]: number;
};

/** Sums by key, in the order in which the keys first occur. */
export function sumTokens(records: Iterable<TokenRecord>, by: TokenGrouping): readonly TokenSums[] {
  const tallies = new Map<string, Tally>();
  for (const record of records) {
    const key = keyOf(record, by);
    const tally = tallies.get(key) ?? emptyTally();
    tallies.set(key, tally);
    addRecord(tally, record);
  }
  return [...tallies].map(([key, tally]) => ({
    key,
    ...tally,
    refetchRate: tally.results === 0 ? 0 : tally.refetches / tally.results,
  }));
}

function keyOf({ taskId, sessionId, cycle, strategy }: TokenOrigin, by: TokenGrouping): string {
  switch (by) {
    case 'task':
      return taskId;
    case 'session':
      return sessionId;
    case 'cycle':
      return String(cycle);
    case 'strategy':
      return strategy ?? 'none';
    case 'all':
      return 'all';
  }
}

function addRecord(tally: Tally, record: TokenRecord): void {
  switch (record.record) {
    case 'request': {
      const { uncachedInputTokens, cachedInputTokens, outputTokens } = record;
      tally.requests += 1;
      if (record.isEstimated) tally.estimatedRequests += 1;
      if (record.purpose === 'summarizer') {
        tally.summarizerTokens += uncachedInputTokens + cachedInputTokens + outputTokens;
      } else {
        tally.uncachedInputTokens += uncachedInputTokens;
        tally.cachedInputTokens += cachedInputTokens;
        tally.outputTokens += outputTokens;
      }
      addToSums(tally, record, uncachedInputTokens + cachedInputTokens + outputTokens);
      break;
    }
    case 'result':
      tally.results += 1;
      if (record.repeats === 'duplicate') tally.duplicates += 1;
      if (record.repeats === 'refetch') {
        tally.refetches += 1;
        tally.refetchTokens += record.tokens;
        addToSums(tally, record, record.tokens);
        tally.taskTokensWithoutRefetch -= record.tokens;
      }
      break;
    case 'expansion':
      tally.expansions += 1;
  }
}

function addToSums(tally: Tally, { isChild }: TokenOrigin, tokens: number): void {
  tally.taskTokens += tokens;
  tally.taskTokensWithoutRefetch += tokens;
  if (isChild) tally.childTokens += tokens;
}

/** The sums of nothing. */
export function noTokens(key: string): TokenSums {
  return { key, ...emptyTally(), refetchRate: 0 };
}

function emptyTally(): Tally {
  return {
    requests: 0,
    estimatedRequests: 0,
    uncachedInputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    summarizerTokens: 0,
    refetchTokens: 0,
    taskTokens: 0,
    taskTokensWithoutRefetch: 0,
    childTokens: 0,
    results: 0,
    refetches: 0,
    duplicates: 0,
    expansions: 0,
  };
}
