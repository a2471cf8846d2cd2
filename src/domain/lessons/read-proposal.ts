/** A compressor's answer is what a stranger wrote: it is read field by field, whatever its type says. */
import { isJsonObject } from '../redaction/json-value.js';
import type { ClaimFate, CompressionProposal, ProposedFate, ProposedLoss } from './attempt.js';

const MOST_LOSSES = 200;
const LONGEST_CLAIM = 1_000;
const LONGEST_BODY = 100_000;
const MOST_FATES = 20_000;
const FATES: readonly unknown[] = ['kept', 'merged', 'dropped'];

export type ReadProposal =
  | { readonly outcome: 'read'; readonly proposal: CompressionProposal }
  | { readonly outcome: 'unreadable'; readonly fault: string };

export function readProposal(answer: unknown, clean: (text: string) => string): ReadProposal {
  if (!isJsonObject(answer)) return unreadable('the answer is no object');
  const { body, dropped = [], fates = [], lossless = false } = answer;
  if (typeof body !== 'string') return unreadable('body is no text');
  if (body.length > LONGEST_BODY)
    return unreadable(`body has more than ${LONGEST_BODY} characters`);
  if (typeof lossless !== 'boolean') return unreadable('lossless is neither true nor false');
  if (!Array.isArray(dropped) || dropped.length > MOST_LOSSES) {
    return unreadable(`dropped is no list of at most ${MOST_LOSSES} entries`);
  }
  if (!Array.isArray(fates) || fates.length > MOST_FATES) return unreadable('fates is no list');
  const losses = dropped.map((entry) => lossOf(entry, clean));
  const fate = fates.map(fateOf);
  if (losses.includes(null)) return unreadable('an entry of dropped cannot be read');
  if (fate.includes(null)) return unreadable('an entry of fates cannot be read');
  return {
    outcome: 'read',
    proposal: {
      body: clean(body).trim(),
      dropped: losses.filter((entry) => entry !== null),
      fates: fate.filter((entry) => entry !== null),
      lossless,
      title: textOr(answer['title'], clean),
      gist: textOr(answer['gist'], clean),
      rationale: textOr(answer['rationale'], clean),
    },
  };
}

function lossOf(entry: unknown, clean: (text: string) => string): ProposedLoss | null {
  if (!isJsonObject(entry)) return null;
  const { claim, kind = 'rationale', claimIds = [] } = entry;
  if (typeof claim !== 'string' || claim.length > LONGEST_CLAIM) return null;
  if (typeof kind !== 'string' || !isTexts(claimIds)) return null;
  return { claim: clean(claim), kind, claimIds };
}

function fateOf(entry: unknown): ProposedFate | null {
  if (!isJsonObject(entry)) return null;
  const { claimId, fate, mergedWith = [] } = entry;
  if (typeof claimId !== 'string' || !FATES.includes(fate) || !isTexts(mergedWith)) return null;
  return { claimId, fate: fate as ClaimFate, mergedWith };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function textOr(value: unknown, clean: (text: string) => string): string | null {
  return typeof value === 'string' && value.trim() !== '' ? clean(value).trim() : null;
}

function unreadable(fault: string): ReadProposal {
  return { outcome: 'unreadable', fault };
}
