/** What a pass did to the items, seen from outside: the gate trusts no account but its own. */
import type { AnchoredSummary, SummaryItem } from './summary-item.js';

export interface ItemDifference {
  readonly after: SummaryItem;
  /** Null: the item is new. */
  readonly before: SummaryItem | null;
}

/** New items, and those that differ in anything. */
export function changedItems(
  before: AnchoredSummary,
  after: AnchoredSummary,
): readonly ItemDifference[] {
  const earlier = new Map(before.items.map((item) => [item.itemNo, item]));
  return after.items.flatMap((item) => {
    const known = earlier.get(item.itemNo) ?? null;
    const isSame =
      known === item || (known !== null && JSON.stringify(known) === JSON.stringify(item));
    return isSame ? [] : [{ after: item, before: known }];
  });
}

/** Of these, the ones whose words were written by a summarizer in this pass. */
export function summarizedItems(
  before: AnchoredSummary,
  after: AnchoredSummary,
): readonly ItemDifference[] {
  return changedItems(before, after).filter(
    ({ after: item, before: known }) =>
      (item.producer === 'offline' || item.producer.startsWith('model:')) &&
      (known === null ||
        known.text !== item.text ||
        JSON.stringify(known.refs) !== JSON.stringify(item.refs)),
  );
}
