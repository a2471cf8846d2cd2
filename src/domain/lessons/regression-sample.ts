/**
 * Which episodes an attempt replays: a pure function of lesson, number of the attempt, set and size.
 * The order is that of a digest, so that neither time nor the order of arrival decides, and another
 * attempt takes others; what failed before is in every sample.
 */
import type { Digest } from '../kernel/measures.js';
import type { AttemptSample } from './attempt.js';
import type { RegressionEntry } from './episode.js';
import { isWithinShare } from './exact-share.js';

export interface SampleRequest {
  readonly lessonId: string;
  readonly attemptNo: number;
  /** Quarantined ones are left out here. */
  readonly set: readonly RegressionEntry[];
  readonly size: number;
  /** Share that is held out, 0..1; 0: none. */
  readonly holdoutFraction: number;
  /** Episodes that an agent without the lesson is known to solve; taken last. */
  readonly known: ReadonlySet<string>;
}

export interface SamplePlan extends AttemptSample {
  /** In-sample episodes behind the sample, in order: what replaces a quarantined one. */
  readonly reserve: readonly string[];
  /** Held out by their digest, exposed ones not: no text of theirs reaches a compressor. */
  readonly unshown: ReadonlySet<string>;
}

export function chooseSample(request: SampleRequest, digest: Digest): SamplePlan {
  const { set, size, holdoutFraction } = request;
  const ordered = inOrder(
    set.filter(({ quarantined }) => !quarantined),
    request,
    digest,
  );
  const isHeldOut = ({ episodeId, exposed }: RegressionEntry): boolean =>
    !exposed && holdsOut(episodeId, holdoutFraction, digest);
  const heldOut = ordered.filter(isHeldOut);
  const isOut = new Set(heldOut);
  const rest = ordered.filter((entry) => !isOut.has(entry));
  const split = holdoutFraction > 0 && rest.length >= size;
  const pool = split ? rest : ordered;
  const inSample = take(pool, size);
  const taken = new Set(inSample);
  return {
    split,
    inSample,
    heldOut: split ? heldOut.slice(0, size).map(({ episodeId }) => episodeId) : [],
    reserve: pool.flatMap(({ episodeId }) => (taken.has(episodeId) ? [] : [episodeId])),
    unshown: new Set(heldOut.map(({ episodeId }) => episodeId)),
  };
}

/** Stable as the set grows: it depends on the episode alone. */
export function holdsOut(episodeId: string, fraction: number, digest: Digest): boolean {
  if (fraction <= 0) return false;
  const place = Number.parseInt(digest(episodeId).slice(0, 8), 16) % 1_000;
  return isWithinShare(place + 1, 1_000, fraction);
}

function inOrder(
  set: readonly RegressionEntry[],
  { lessonId, attemptNo, known }: SampleRequest,
  digest: Digest,
): readonly RegressionEntry[] {
  return set
    .map((entry) => ({ entry, key: digest(`${lessonId}|${attemptNo}|${entry.episodeId}`) }))
    .sort(
      (a, b) =>
        Number(known.has(a.entry.episodeId)) - Number(known.has(b.entry.episodeId)) ||
        byCodeUnit(a.key, b.key) ||
        byCodeUnit(a.entry.episodeId, b.entry.episodeId),
    )
    .map(({ entry }) => entry);
}

function take(ordered: readonly RegressionEntry[], size: number): readonly string[] {
  if (ordered.length <= size) return ordered.map(({ episodeId }) => episodeId);
  const taken = new Set<RegressionEntry>(
    ordered
      .filter(({ stickyAt }) => stickyAt !== null)
      .sort(
        (a, b) =>
          (b.stickyAt?.getTime() ?? 0) - (a.stickyAt?.getTime() ?? 0) ||
          byCodeUnit(a.episodeId, b.episodeId),
      )
      .slice(0, 2 * size),
  );
  const strata = new Set([...taken].map(stratumOf));
  for (const entry of ordered) {
    if (taken.size >= size) break;
    if (strata.has(stratumOf(entry))) continue;
    strata.add(stratumOf(entry));
    taken.add(entry);
  }
  for (const entry of ordered) {
    if (taken.size >= size) break;
    taken.add(entry);
  }
  const isSticky = (entry: RegressionEntry): boolean => entry.stickyAt !== null;
  const sticky = [...taken].filter(isSticky);
  const others = ordered.filter((entry) => taken.has(entry) && !isSticky(entry));
  return [...sticky, ...others].map(({ episodeId }) => episodeId);
}

function stratumOf({ axis, tiedTo }: RegressionEntry): string {
  return axis === null ? `lesson ${tiedTo}` : `axis ${axis}`;
}

export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
