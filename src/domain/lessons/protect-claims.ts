/** Which claims the evidence speaks for: those that a hint or an observed span points at. */
import type { Claim } from './claim.js';
import type { ObservedSpan, PreserveHint } from './evidence.js';
import { exactValues } from './exact-values.js';
import { cutAt, holdsText, normalText } from './normal-text.js';

/** Claims that a text points at: by an exact value, or by their words. */
export function claimsPointedAt(text: string, claims: readonly Claim[]): readonly string[] {
  const values = new Set(exactValues(text));
  return claims.flatMap((claim) =>
    claim.values.some((value) => values.has(value)) ||
    holdsText(claim.text, text) ||
    holdsText(text, claim.text)
      ? [claim.claimId]
      : [],
  );
}

/** The claims that no hint and no span matches. */
export function unprotected(
  claims: readonly Claim[],
  hints: readonly PreserveHint[],
  spans: readonly ObservedSpan[],
): readonly Claim[] {
  const kept = new Set<string>();
  for (const { text } of hints) for (const id of claimsPointedAt(text, claims)) kept.add(id);
  for (const { text } of spans) for (const id of claimsPointedAt(text, claims)) kept.add(id);
  return claims.filter(({ claimId }) => !kept.has(claimId));
}

/** The list with one hint more: deduplicated by its words, the newest last, at most so many. */
export function addHint(
  hints: readonly PreserveHint[],
  hint: PreserveHint,
  limits: { readonly most: number; readonly characters: number },
): readonly PreserveHint[] {
  const text = cutAt(hint.text.trim(), limits.characters);
  if (text === '') return hints;
  const words = normalText(text);
  const others = hints.filter((other) => normalText(other.text) !== words);
  return [...others, { ...hint, text }].slice(-limits.most || others.length + 1);
}

/**
 * The list with one span more, or the same one counted up; the last seen stay.
 *
 * @returns null where neither the body nor a patch says it.
 */
export function addSpan(
  spans: readonly ObservedSpan[],
  text: string,
  served: { readonly body: string; readonly patches: readonly string[] },
  now: Date,
  most: number,
): readonly ObservedSpan[] | null {
  const place = findSpan(served.body, text);
  if (place === null && !served.patches.some((patch) => holdsText(patch, text))) return null;
  const words = normalText(text);
  if (words === '') return null;
  const known = spans.find((span) => normalText(span.text) === words);
  const others = spans.filter((span) => span !== known);
  const seen: ObservedSpan = {
    text: known?.text ?? text.trim(),
    start: place?.start ?? null,
    end: place?.end ?? null,
    count: (known?.count ?? 0) + 1,
    firstSeenAt: known?.firstSeenAt ?? now,
    lastSeenAt: now,
  };
  return [...others, seen].slice(-most || spans.length + 1);
}

/** Where a stretch stands in a body, whatever blanks are between its words; in UTF-16 units. */
export function findSpan(
  body: string,
  text: string,
): { readonly start: number; readonly end: number } | null {
  const wanted = text.replaceAll(/\s+/gu, '');
  if (wanted === '') return null;
  const places: number[] = [];
  let packed = '';
  for (let at = 0; at < body.length; at += 1) {
    const unit = body[at] ?? '';
    if (/\s/u.test(unit)) continue;
    places.push(at);
    packed += unit;
  }
  const found = packed.indexOf(wanted);
  const start = places[found];
  const last = places[found + wanted.length - 1];
  return found < 0 || start === undefined || last === undefined ? null : { start, end: last + 1 };
}
