/**
 * The loss manifest: what a lesson no longer says, and who below it still does. The compressor's words
 * are cleaned, the holder is always assigned here, and every level hands down what it had lost before.
 */
import type { Digest } from '../kernel/measures.js';
import type { ProposedLoss } from './attempt.js';
import { type Claim, CLAIM_KINDS, type ClaimKind, type DroppedClaim } from './claim.js';
import { exactValues } from './exact-values.js';
import { fingerprintOf, normalText, type SpokenText } from './normal-text.js';

/** A claim of a source under the number by which the compressor names it. */
export interface SourceClaim {
  readonly number: string;
  readonly lessonId: string;
  readonly claim: Claim;
}

/** A loss as it will stand in a manifest. */
export interface Loss extends Omit<DroppedClaim, 'tokens' | 'originAttemptId'> {
  /** Numbers of the source claims it stands for. */
  readonly numbers: readonly string[];
}

export interface CleanedLosses {
  /** In the order of the source claims. */
  readonly losses: readonly Loss[];
  /** Entries that name no claim of the source or hold a value that it lacks. */
  readonly invalid: readonly { readonly claim: string; readonly fault: string }[];
}

/** One claim under numbers over all ledgers, as the compressor sees them. */
export function numberClaims(
  ledgers: readonly { readonly lessonId: string; readonly claims: readonly Claim[] }[],
): readonly SourceClaim[] {
  return ledgers
    .flatMap(({ lessonId, claims }) => claims.map((claim) => ({ lessonId, claim })))
    .map((entry, index) => ({ ...entry, number: String(index + 1) }));
}

/** @param hasValue whether the texts of the source hold an exact value. */
export function cleanLosses(
  proposed: readonly ProposedLoss[],
  source: readonly SourceClaim[],
  candidate: SpokenText,
  hasValue: (value: string) => boolean,
  digest: Digest,
): CleanedLosses {
  const order = new Map(source.map(({ number }, index) => [number, index]));
  const claims = new NamedClaims(source, digest);
  const losses = new Map<string, Loss>();
  const invalid: { claim: string; fault: string }[] = [];
  for (const { claim: words, kind, claimIds } of proposed) {
    const claim = words.trim();
    if (claim === '') continue;
    const lacking = exactValues(claim).find((value) => !hasValue(value));
    const named = claims.namedBy(claim, claimIds);
    if (lacking !== undefined || named.length === 0) {
      const fault =
        lacking === undefined ? 'names no claim of the source' : `${lacking} is not in it`;
      invalid.push({ claim, fault });
      continue;
    }
    if (candidate.says(claim)) continue;
    for (const lessonId of new Set(named.map((entry) => entry.lessonId))) {
      const own = named.filter((entry) => entry.lessonId === lessonId);
      const fingerprint = fingerprintOf(claim, digest);
      const known = losses.get(fingerprint);
      if (known !== undefined && known.holderId !== lessonId) continue;
      const numbers = [...new Set([...(known?.numbers ?? []), ...own.map(({ number }) => number)])];
      losses.set(fingerprint, {
        claim: known?.claim ?? claim,
        kind: known?.kind ?? kindOf(kind),
        holderId: lessonId,
        fingerprint,
        numbers,
        claimIds: [
          ...new Set([...(known?.claimIds ?? []), ...own.map((entry) => entry.claim.claimId)]),
        ],
      });
    }
  }
  const placeOf = ({ numbers }: Loss): number =>
    Math.min(...numbers.map((number) => order.get(number) ?? Number.MAX_SAFE_INTEGER));
  return { losses: [...losses.values()].sort((a, b) => placeOf(a) - placeOf(b)), invalid };
}

/** New losses first, then what the sources had lost, without what is listed already or said again. */
export function inheritManifest(
  fresh: readonly DroppedClaim[],
  inherited: readonly DroppedClaim[],
  body: SpokenText,
): readonly DroppedClaim[] {
  const listed = new Map(fresh.map((entry) => [entry.fingerprint, entry]));
  for (const entry of inherited) {
    if (!listed.has(entry.fingerprint) && !body.says(entry.claim)) {
      listed.set(entry.fingerprint, entry);
    }
  }
  return [...listed.values()];
}

function kindOf(kind: string): ClaimKind {
  return (CLAIM_KINDS as readonly string[]).includes(kind) ? (kind as ClaimKind) : 'rationale';
}

/** Source claims up to which it is looked for claims that stand inside of an entry. */
const LOOKED_INTO = 2_000;

/** The claims of a source, asked which of them an entry of a compressor names. */
class NamedClaims {
  readonly #byNumber: ReadonlyMap<string, SourceClaim>;
  readonly #byFingerprint: ReadonlyMap<string, SourceClaim>;
  readonly #normal: readonly string[];
  readonly #together: string;

  constructor(
    private readonly source: readonly SourceClaim[],
    private readonly digest: Digest,
  ) {
    this.#byNumber = new Map(source.map((entry) => [entry.number, entry]));
    this.#byFingerprint = new Map(source.map((entry) => [entry.claim.fingerprint, entry]));
    this.#normal = source.map(({ claim }) => normalText(claim.text));
    this.#together = this.#normal.join('\n');
  }

  /** By number; else by the same words, by words of one inside the other, or by an exact value. */
  namedBy(claim: string, claimIds: readonly string[]): readonly SourceClaim[] {
    const byNumber = [...new Set(claimIds)].flatMap((id) => this.#byNumber.get(id) ?? []);
    if (byNumber.length > 0) return byNumber;
    const same = this.#byFingerprint.get(fingerprintOf(claim, this.digest));
    if (same !== undefined) return [same];
    const words = normalText(claim);
    const isPart = this.#together.includes(words);
    const mayHold = this.source.length <= LOOKED_INTO;
    if (isPart || mayHold) {
      const inside = this.source.filter((_entry, at) => {
        const normal = this.#normal[at] ?? '';
        return (isPart && normal.includes(words)) || (mayHold && words.includes(normal));
      });
      if (inside.length > 0) return inside;
    }
    const values = new Set(exactValues(claim));
    return this.source.filter((entry) => entry.claim.values.some((value) => values.has(value)));
  }
}
