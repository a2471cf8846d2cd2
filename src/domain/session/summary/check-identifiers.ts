/** Identifiers that a summarizer writes must stand somewhere: in the span, the item before, or the trail. */
import type { Findings, GateInput } from './gate-input.js';
import { identifiersOf, KnownTexts } from './identifiers.js';
import { summarizedItems } from './item-changes.js';

/** Invented identifiers named per item; further ones are counted. */
const MAX_NAMED = 10;

export function checkIdentifiers(input: GateInput): Findings {
  const known = new KnownTexts(knownTexts(input));
  return summarizedItems(input.before, input.after).flatMap(({ after, before }) => {
    const own = new KnownTexts(
      before === null ? [] : [before.text, ...before.refs.map(({ text }) => text)],
    );
    const texts = identifiersOf(after.text)
      .filter((identifier) => !known.holds(identifier) && !own.holds(identifier))
      .map(({ text }) => text);
    const refs = after.refs
      .filter(({ text }) => !known.includes(text) && !own.includes(text))
      .map(({ text }) => text);
    const invented = [...new Set([...texts, ...refs])];
    if (invented.length === 0) return [];
    const named = invented.slice(0, MAX_NAMED).map((text) => JSON.stringify(text.slice(0, 120)));
    const more = invented.length > MAX_NAMED ? ` and ${invented.length - MAX_NAMED} more` : '';
    const reason = `${named.join(', ')}${more} stand neither in the span nor in the trail`;
    return [{ itemNo: after.itemNo, reason }];
  });
}

/** Where a summarizer may have its words from; the short texts first. */
export function knownTexts({ span, history, trailTexts }: GateInput): readonly string[] {
  const read = span.flatMap(({ text }) => (text === '' ? [] : text));
  return [...trailTexts, ...read, ...history];
}
