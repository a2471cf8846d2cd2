/**
 * Re-fetches: results that the agent asked for again because a pass had dropped them. What is still
 * in the tail is a duplicate, what changed in between is neither.
 */
import type { JsonValue } from '../../redaction/json-value.js';
import { normalArguments } from './normal-arguments.js';

export interface SeqRange {
  readonly from: number;
  readonly to: number;
}

/** What happens in a session, in the order in which it happened. */
export type FetchEvent =
  | {
      readonly event: 'fetched';
      /** `seq` of the result. */
      readonly seq: number;
      readonly toolName: string;
      readonly arguments: JsonValue;
      /** The artifact read, as the trail writes it, or null. */
      readonly path: string | null;
      /** Lines read, both ends included; null: the whole, or no matter of lines. */
      readonly range: SeqRange | null;
      readonly resultHash: string;
      /** Hash of the whole artifact, or null where it is not known. */
      readonly artifactHash: string | null;
    }
  | { readonly event: 'changed'; readonly seq: number; readonly path: string }
  /** An adopted pass: entries in these ranges left the tail. */
  | { readonly event: 'dropped'; readonly ranges: readonly SeqRange[] };

export interface Repetition {
  readonly kind: 'refetch' | 'duplicate';
  readonly seq: number;
  /** The earlier result. */
  readonly of: number;
}

type Fetched = Extract<FetchEvent, { event: 'fetched' }>;

/** Follows one session. Holds a line per result, no contents. */
export class RefetchFinder {
  readonly #earlier = new Map<string, Fetched[]>();
  readonly #lastChange = new Map<string, number>();
  #lastChangeOfAny = 0;
  readonly #dropped: SeqRange[] = [];

  /** @param normalizePath writes a path as the trail does. */
  constructor(private readonly normalizePath: (path: string) => string) {}

  /** @returns what the event repeats, or null. */
  add(event: FetchEvent): Repetition | null {
    if (event.event === 'changed') {
      this.#lastChange.set(event.path, event.seq);
      this.#lastChangeOfAny = event.seq;
      return null;
    }
    if (event.event === 'dropped') {
      this.#dropped.push(...event.ranges);
      return null;
    }
    // A read of a whole file stands beside reads of its parts.
    const hasRange = event.range !== null || event.path !== null;
    const written = normalArguments(event.arguments, this.normalizePath, hasRange);
    const key = JSON.stringify([event.toolName, written]);
    const earlier = this.#earlier.get(key) ?? [];
    const same = earlier.filter((other) => covers(other, event) && this.#isUnchanged(other, event));
    earlier.push(event);
    this.#earlier.set(key, earlier);
    const inTail = same.findLast(({ seq }) => !this.#isDropped(seq));
    if (inTail !== undefined) return { kind: 'duplicate', seq: event.seq, of: inTail.seq };
    const gone = same.at(-1);
    return gone === undefined ? null : { kind: 'refetch', seq: event.seq, of: gone.seq };
  }

  #isUnchanged(earlier: Fetched, later: Fetched): boolean {
    if (earlier.artifactHash !== null && later.artifactHash !== null) {
      return earlier.artifactHash === later.artifactHash;
    }
    // What reads no artifact that we know may depend on any.
    const changedAt =
      later.path === null ? this.#lastChangeOfAny : (this.#lastChange.get(later.path) ?? 0);
    return earlier.resultHash === later.resultHash && changedAt < earlier.seq;
  }

  #isDropped(seq: number): boolean {
    return this.#dropped.some(({ from, to }) => seq >= from && seq <= to);
  }
}

/** A whole covers every part of it. */
function covers(earlier: Fetched, later: Fetched): boolean {
  if (earlier.range === null) return true;
  if (later.range === null) return false;
  return earlier.range.from <= later.range.from && earlier.range.to >= later.range.to;
}
