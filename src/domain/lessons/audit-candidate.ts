/**
 * The audit: does the candidate still say, or name as dropped, every claim of its source, and does it
 * say nothing that the source never said? What cannot be checked by text or value rests on the
 * compressor's word and is told.
 */
import type { ProposedFate } from './attempt.js';
import type { Claim, CoverHow } from './claim.js';
import { KnownValues } from './exact-values.js';
import type { Loss, SourceClaim } from './loss-manifest.js';
import { SpokenText } from './normal-text.js';

export interface AuditedClaim {
  readonly number: string;
  readonly lessonId: string;
  readonly claimId: string;
  readonly how: CoverHow;
  readonly parentClaimIds: readonly string[];
  readonly audited: boolean;
}

export interface Audit {
  /** Numbers of claims that are neither said nor named as dropped. */
  readonly uncovered: readonly string[];
  /** Exact values that the subtree of the source has nowhere. */
  readonly invented: readonly string[];
  /** Numbers of claims that are said in other words. */
  readonly reworded: readonly string[];
  /** Those of them without an exact value: nothing but the compressor's word speaks for them. */
  readonly unaudited: readonly string[];
  readonly covers: readonly AuditedClaim[];
}

export interface AuditInput {
  readonly source: readonly SourceClaim[];
  readonly fates: readonly ProposedFate[];
  readonly losses: readonly Loss[];
  readonly body: string;
  readonly ledger: readonly Claim[];
  /** Every text below the candidate: bodies of the subtree. */
  readonly subtree: KnownValues;
}

/** Source claims times candidate claims up to which it is looked for the claim that says another one. */
const LOOKED_AT = 250_000;

export function auditCandidate({
  source,
  fates,
  losses,
  body,
  ledger,
  subtree,
}: AuditInput): Audit {
  const spoken = new SpokenText(body);
  const candidate = new KnownValues([body]);
  const fateOf = new Map(fates.map((fate) => [fate.claimId, fate]));
  const dropped = new Set(losses.flatMap(({ numbers }) => numbers));
  const byFingerprint = new Map(ledger.map(({ fingerprint, claimId }) => [fingerprint, claimId]));
  const searched = source.length * ledger.length <= LOOKED_AT ? ledger : [];
  // Most claims stand as they stood: what finds the others is made when the first of them comes.
  let spokenClaims: readonly (readonly [string, SpokenText])[] | undefined;
  let valuedClaims: readonly (readonly [string, ReadonlySet<string>])[] | undefined;
  const uncovered: string[] = [];
  const reworded: string[] = [];
  const unaudited: string[] = [];

  const covers = source.flatMap(({ number, lessonId, claim }): AuditedClaim[] => {
    const base = { number, lessonId, claimId: claim.claimId, audited: true };
    const same = byFingerprint.get(claim.fingerprint);
    if (same !== undefined) return [{ ...base, how: 'kept', parentClaimIds: [same] }];
    if (spoken.says(claim.text)) {
      spokenClaims ??= searched.map(({ claimId, text }) => [claimId, new SpokenText(text)]);
      const saying = spokenClaims.filter(([, one]) => one.says(claim.text));
      return [{ ...base, how: 'kept', parentClaimIds: saying.map(([claimId]) => claimId) }];
    }
    if (dropped.has(number)) return [{ ...base, how: 'dropped', parentClaimIds: [] }];
    const fate = fateOf.get(number)?.fate;
    const hasAllValues = claim.values.every((value) => candidate.has(value));
    if (fate === undefined || fate === 'dropped' || !hasAllValues) {
      uncovered.push(number);
      return [];
    }
    reworded.push(number);
    if (claim.values.length === 0) unaudited.push(number);
    valuedClaims ??= searched.map(({ claimId, values }) => [claimId, new Set(values)]);
    return [
      {
        ...base,
        audited: claim.values.length > 0,
        how: fate === 'merged' ? 'merged' : 'reworded',
        parentClaimIds: valuedClaims
          .filter(([, values]) => claim.values.some((value) => values.has(value)))
          .map(([claimId]) => claimId),
      },
    ];
  });
  return {
    uncovered,
    reworded,
    unaudited,
    covers,
    invented: candidate.values.filter((value) => !subtree.has(value)),
  };
}
