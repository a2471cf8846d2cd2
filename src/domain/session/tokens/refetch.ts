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
  /** By request and hash of the result, and by request and hash of the artifact: equals stand together. */
  readonly #byResult = new Map<string, Fetched[]>();
  readonly #byArtifact = new Map<string, Fetched[]>();
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
    const { seq, artifactHash } = event;
    const ofResult = listAt(this.#byResult, `${event.resultHash} ${key}`);
    const ofArtifact =
      artifactHash === null ? [] : listAt(this.#byArtifact, `${artifactHash} ${key}`);
    const found = [this.#last(ofResult, event), this.#last(ofArtifact, event)];
    ofResult.push(event);
    if (artifactHash !== null) ofArtifact.push(event);
    const inTail = latest(found.map((last) => last.inTail));
    if (inTail !== null) return { kind: 'duplicate', seq, of: inTail };
    const gone = latest(found.map((last) => last.gone));
    return gone === null ? null : { kind: 'refetch', seq, of: gone };
  }

  /** The last one that the event repeats, in the tail and out of it; the latter only where the former is none. */
  #last(
    earlier: readonly Fetched[],
    event: Fetched,
  ): { readonly inTail: number | null; readonly gone: number | null } {
    let gone: number | null = null;
    const changedAt = this.#changedAt(event);
    for (let at = earlier.length - 1; at >= 0; at -= 1) {
      const other = earlier[at];
      if (other === undefined) continue;
      // Before a change nothing is the same but by the artifact's own hash.
      if (event.artifactHash === null && other.seq <= changedAt) break;
      if (!covers(other, event) || !this.#isUnchanged(other, event)) continue;
      if (!this.#isDropped(other.seq)) return { inTail: other.seq, gone };
      gone ??= other.seq;
    }
    return { inTail: null, gone };
  }

  #isUnchanged(earlier: Fetched, later: Fetched): boolean {
    if (earlier.artifactHash !== null && later.artifactHash !== null) {
      return earlier.artifactHash === later.artifactHash;
    }
    return earlier.resultHash === later.resultHash && this.#changedAt(later) < earlier.seq;
  }

  /** What reads no artifact that we know may depend on any. */
  #changedAt({ path }: Fetched): number {
    return path === null ? this.#lastChangeOfAny : (this.#lastChange.get(path) ?? 0);
  }

  #isDropped(seq: number): boolean {
    return this.#dropped.some(({ from, to }) => seq >= from && seq <= to);
  }
}

function listAt(lists: Map<string, Fetched[]>, key: string): Fetched[] {
  const held = lists.get(key);
  if (held !== undefined) return held;
  const made: Fetched[] = [];
  lists.set(key, made);
  return made;
}

function latest(seqs: readonly (number | null)[]): number | null {
  return seqs.reduce((last, seq) => (seq !== null && seq > (last ?? 0) ? seq : last), null);
}

/** A whole covers every part of it. */
function covers(earlier: Fetched, later: Fetched): boolean {
  if (earlier.range === null) return true;
  if (later.range === null) return false;
  return earlier.range.from <= later.range.from && earlier.range.to >= later.range.to;
}
