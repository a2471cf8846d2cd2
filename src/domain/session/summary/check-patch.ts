/** Whether a patch may be merged: what it names exists, may be addressed, and has sources in the span. */
import { identityKey } from './identity.js';
import type { PatchFault, PatchOperation, SummaryPatch } from './patch.js';
import { sectionOf } from './section-schema.js';
import type { AnchoredSummary, SummaryItem } from './summary-item.js';

/** @param span `seq` of the entries that the patch may cite. @returns all faults; none: it may be merged. */
export function checkPatch(
  { operations }: SummaryPatch,
  summary: AnchoredSummary,
  span: ReadonlySet<number>,
): readonly PatchFault[] {
  const items = new Map(summary.items.map((item) => [item.itemNo, item]));
  const updates = operations.filter((operation) => operation.operation === 'update');
  const faults: PatchFault[] = [];
  operations.forEach((operation, index) => {
    const fault = (code: PatchFault['code'], reason: string): void => {
      faults.push({ operation: index, code, reason });
    };
    const outside = operation.sources.filter((seq) => !span.has(seq));
    if (operation.sources.length === 0) fault('missing-field', 'sources must name an entry');
    if (outside.length > 0) {
      fault('source-outside-span', `${handles(outside)} are not entries of the span`);
    }
    if (operation.operation === 'add') {
      checkAdd(operation, summary, fault);
      if (updates.length > 0) checkConflict(operation, updates, items, summary, fault);
    }
    if (operation.operation !== 'add')
      checkAddressed(operation, items.get(operation.item), summary, fault);
    if (operation.operation === 'supersede') checkSuccessor(operation, operations, items, fault);
  });
  const circle = findCircle(operations, items);
  if (circle !== null) {
    const reason = `#${circle} would be superseded by itself, through others`;
    faults.push({ operation: null, code: 'bad-successor', reason });
  }
  return faults;
}

type Report = (code: PatchFault['code'], reason: string) => void;
type Supersede = Extract<PatchOperation, { operation: 'supersede' }>;

function checkAdd(
  { section: key }: Extract<PatchOperation, { operation: 'add' }>,
  { schema }: AnchoredSummary,
  fault: Report,
): void {
  const section = sectionOf(schema, key);
  if (section === undefined) {
    const known = schema.sections.map((one) => one.key).join(', ');
    fault('unknown-section', `section must be one of ${known}`);
  } else if (!section.filledBy.some((filler) => filler === 'patch' || filler === 'pins')) {
    fault('section-closed', `${key} is filled in code and takes no additions`);
  }
}

/** An add that meets an item which the same patch rewrites: one of the two texts would be lost unsaid. */
function checkConflict(
  { section: key, text, refs }: Extract<PatchOperation, { operation: 'add' }>,
  updates: readonly Extract<PatchOperation, { operation: 'update' }>[],
  items: ReadonlyMap<number, SummaryItem>,
  { schema }: AnchoredSummary,
  fault: Report,
): void {
  const section = sectionOf(schema, key);
  if (section === undefined || section.filledBy.includes('pins')) return;
  const added = identityKey(section.identity, text, refs);
  for (const update of updates) {
    const item = items.get(update.item);
    if (item?.section === key && item.identityKey === added) {
      fault('conflict', `it says again what #${item.itemNo} says, which is updated here too`);
    }
  }
}

function checkAddressed(
  { operation, item: itemNo }: Exclude<PatchOperation, { operation: 'add' }>,
  item: SummaryItem | undefined,
  { schema }: AnchoredSummary,
  fault: Report,
): void {
  if (item === undefined) return fault('unknown-item', `#${itemNo} is no item of the summary`);
  const filledBy = sectionOf(schema, item.section)?.filledBy ?? [];
  if (item.pinned || filledBy.includes('pins')) {
    return fault('pin-addressed', `#${itemNo} is a pin; it ends only by an act of the user`);
  }
  if (filledBy.includes('asks')) {
    if (operation === 'update')
      fault('ask-rewritten', `#${itemNo} is a request of the user: resolve or supersede it`);
  } else if (!filledBy.includes('patch')) {
    fault('section-closed', `#${itemNo} is in ${item.section}, which is filled in code`);
  }
}

function checkSuccessor(
  { item, by }: Supersede,
  operations: readonly PatchOperation[],
  items: ReadonlyMap<number, SummaryItem>,
  fault: Report,
): void {
  if ('item' in by) {
    if (by.item === item) fault('bad-successor', `#${item} cannot supersede itself`);
    else if (!items.has(by.item)) fault('unknown-item', `#${by.item} is no item of the summary`);
  } else if (operations[by.add]?.operation !== 'add') {
    fault('bad-successor', `operation ${by.add} is no add`);
  }
}

/** An item from which its successors lead back to it, or null. */
function findCircle(
  operations: readonly PatchOperation[],
  items: ReadonlyMap<number, SummaryItem>,
): number | null {
  const next = new Map<number, number>();
  for (const operation of operations) {
    if (operation.operation === 'supersede' && 'item' in operation.by)
      next.set(operation.item, operation.by.item);
  }
  for (const start of next.keys()) {
    const seen = new Set<number>();
    let at: number | null | undefined = start;
    while (typeof at === 'number' && !seen.has(at)) {
      seen.add(at);
      at = next.get(at) ?? items.get(at)?.supersededBy;
      if (at === start && seen.size > 1) return start;
    }
  }
  return null;
}

function handles(seqs: readonly number[]): string {
  return seqs.map((seq) => `entry:${seq}`).join(', ');
}
