/** What a summarizer adds rests on entries of the span, and on nothing else. */
import type { Findings, GateInput } from './gate-input.js';
import { changedItems } from './item-changes.js';

export function checkSources({ strategy, before, after, span }: GateInput): Findings {
  const ids = new Set(span.map(({ entryId }) => entryId));
  return changedItems(before, after).flatMap(({ after: item, before: known }) => {
    const { itemNo, sourceEntryIds, producer } = item;
    if (producer === 'host') return [];
    if (sourceEntryIds.length === 0) {
      return strategy === 'regenerative' ? [] : [{ itemNo, reason: 'the item has no source' }];
    }
    // Code may cite the tail as well: the newest prompt, a file touched since.
    if (producer === 'trail' || strategy === 'regenerative') return [];
    const earlier = new Set(known?.sourceEntryIds);
    const isOutside = sourceEntryIds.some((id) => !earlier.has(id) && !ids.has(id));
    const isUncited = known === null && !sourceEntryIds.some((id) => ids.has(id));
    return isOutside || isUncited
      ? [{ itemNo, reason: 'the item cites entries that are not in the span' }]
      : [];
  });
}
