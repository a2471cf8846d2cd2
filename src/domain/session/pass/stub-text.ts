/** The line that a unit leaves in its place when it is taken out of the middle of a tail. */
import { entryHandle } from './oversized.js';
import type { UnitMark } from './unit-mark.js';

/** More than any stub takes by a usual tokenizer. */
export const STUB_TOKENS = 40;

/** @param tokens of the unit as it was shown. */
export function stubText(
  { kind, firstSeq, lastSeq }: Pick<UnitMark, 'kind' | 'firstSeq' | 'lastSeq'>,
  tokens: number,
): string {
  const entries = firstSeq === lastSeq ? `entry ${firstSeq}` : `entries ${firstSeq} to ${lastSeq}`;
  return `[left out here: ${kind}, ${entries}, ${tokens} tokens; the whole: ${entryHandle(firstSeq)}]`;
}
