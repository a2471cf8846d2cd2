/**
 * Merging a patch. Pure: the summary given stays as it is. Nothing is deleted, items that the patch
 * does not name come out as the same objects, and a patch merged twice gives what it gave once.
 *
 * For that, operations take effect by kind, in the order add, update, resolve, supersede, and not in
 * the order of the list: an add that meets an existing item could otherwise undo a resolve before it.
 */
import { checkPatch } from './check-patch.js';
import { identityKey, splitSubject } from './identity.js';
import type { PatchFault, PatchOperation, SummaryPatch } from './patch.js';
import { sectionOf, type SummarySection } from './section-schema.js';
import { sameRefs, SummaryDraft } from './summary-draft.js';
import type { AnchoredSummary, Making, SummaryItem } from './summary-item.js';

/** A constraint that a summarizer believes to have found; see `takeProposals`. */
export interface PinProposal {
  readonly text: string;
  readonly sources: readonly number[];
}

export type MergeVerdict =
  | {
      readonly outcome: 'merged';
      readonly summary: AnchoredSummary;
      readonly proposals: readonly PinProposal[];
    }
  | { readonly outcome: 'invalid'; readonly faults: readonly PatchFault[] };

type Add = Extract<PatchOperation, { operation: 'add' }>;

/** @param span `seq` of the entries that the patch may cite. One fault makes the whole patch invalid. */
export function mergePatch(
  summary: AnchoredSummary,
  patch: SummaryPatch,
  span: ReadonlySet<number>,
  making: Making,
): MergeVerdict {
  const faults = checkPatch(patch, summary, span);
  if (faults.length > 0) return { outcome: 'invalid', faults };

  const draft = new SummaryDraft(summary, making);
  const proposals: PinProposal[] = [];
  const numbers = new Map<number, number>();
  patch.operations.forEach((operation, index) => {
    if (operation.operation !== 'add') return;
    const section = sectionOf(summary.schema, operation.section);
    if (section === undefined) return;
    if (section.filledBy.includes('pins')) {
      proposals.push({ text: operation.text, sources: operation.sources });
    } else numbers.set(index, mergeAdd(draft, operation, section));
  });
  for (const operation of patch.operations) {
    if (operation.operation !== 'update') continue;
    const { item, text, refs, sources } = operation;
    draft.change(item, { text, refs, sources, archived: false });
  }
  for (const operation of patch.operations) {
    if (operation.operation !== 'resolve') continue;
    const { item, sources } = operation;
    const isOpen = draft.find(item)?.state === 'open';
    draft.change(item, isOpen ? { state: 'resolved', sources } : { sources });
  }
  for (const operation of patch.operations) {
    if (operation.operation !== 'supersede') continue;
    const { item, by, sources } = operation;
    const supersededBy = 'item' in by ? by.item : numbers.get(by.add);
    if (supersededBy === undefined || leadsTo(draft, supersededBy, item)) continue;
    draft.change(item, { state: 'superseded', supersededBy, sources });
  }
  return { outcome: 'merged', summary: draft.finish(), proposals };
}

/** @returns the number of the item that holds the statement afterwards. */
function mergeAdd(draft: SummaryDraft, add: Add, section: SummarySection): number {
  const { text, refs, sources, state } = add;
  const key = identityKey(section.identity, text, refs);
  const known = draft.withKey(key).filter((item) => item.section === section.key);
  const applied = known.find((item) => isApplied(draft, item, add));
  if (applied !== undefined) return applied.itemNo;

  const equal = draft.live(section.key, key);
  if (equal === undefined || chooses(section, equal.text, text)) {
    const fields = { section: section.key, text, refs, identityKey: key, state, sources };
    const { itemNo } = draft.add(fields);
    if (equal !== undefined)
      draft.change(equal.itemNo, { state: 'superseded', supersededBy: itemNo, sources });
    return itemNo;
  }
  draft.change(equal.itemNo, { text, refs, state, sources, archived: false });
  return equal.itemNo;
}

/** The same statement from the same entries is no news, whatever became of the item since. */
function isApplied(draft: SummaryDraft, item: SummaryItem, { text, refs, sources }: Add): boolean {
  return item.text === text && sameRefs(item.refs, refs) && draft.cites(item, sources);
}

/** Whether the later text of a decision on the same subject chooses something else. */
function chooses(section: SummarySection, earlier: string, later: string): boolean {
  return (
    section.filledBy.includes('decisions') &&
    splitSubject(earlier).choice !== splitSubject(later).choice
  );
}

function leadsTo(draft: SummaryDraft, from: number, to: number): boolean {
  const seen = new Set<number>();
  let at: number | null = from;
  while (at !== null && !seen.has(at)) {
    if (at === to) return true;
    seen.add(at);
    at = draft.find(at)?.supersededBy ?? null;
  }
  return false;
}
