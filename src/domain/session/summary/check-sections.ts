/** No section is lost, nothing open goes without an operation, and what mattered is spoken of. */
import type { Findings, GateInput } from './gate-input.js';
import { changedItems } from './item-changes.js';
import { renderSummary } from './render-summary.js';
import { sectionOf } from './section-schema.js';
import type { SummaryItem } from './summary-item.js';

export function checkSections(input: GateInput): Findings {
  return [...missingSections(input), ...lostItems(input), ...silence(input)];
}

function missingSections({ before, after }: GateInput): Findings {
  const headings = new Set(renderSummary(after).split('\n'));
  return before.schema.sections
    .filter(({ required: isRequired, title }) => isRequired && !headings.has(`## ${title}`))
    .map(({ key }) => ({ itemNo: null, reason: `the section ${key} is missing` }));
}

function lostItems({ strategy, before, after, patches }: GateInput): Findings {
  const now = new Map(after.items.map((item) => [item.itemNo, item]));
  const named = new Set(
    patches.flatMap(({ operations }) =>
      operations.flatMap((operation) => (operation.operation === 'add' ? [] : [operation.item])),
    ),
  );
  return before.items.flatMap((item) => {
    const kept = now.get(item.itemNo);
    if (kept === undefined)
      return [{ itemNo: item.itemNo, reason: 'the item is gone; items end, they are not deleted' }];
    if (kept.itemId !== item.itemId || kept.identityKey !== item.identityKey)
      return [{ itemNo: item.itemNo, reason: 'the number names another item now' }];
    if (item.state !== 'open' || kept.state === 'open' || named.has(item.itemNo)) return [];
    return mayEndByItself(item, kept, after, strategy)
      ? []
      : [{ itemNo: item.itemNo, reason: 'the item ended without an operation' }];
  });
}

/** Code ends what it filled in; a decision ends by a later one; `regenerative` writes anew. */
function mayEndByItself(
  item: SummaryItem,
  kept: SummaryItem,
  { schema }: GateInput['after'],
  strategy: GateInput['strategy'],
): boolean {
  if (strategy === 'regenerative' || item.pinned) return true;
  if (kept.state === 'superseded' && kept.supersededBy !== null) return true;
  const filledBy = sectionOf(schema, item.section)?.filledBy ?? [];
  return filledBy.some((filler) => filler !== 'patch' && filler !== 'pins');
}

/**
 * Where the span holds prompts, decisions, changes or errors, something must have a source in it: an
 * operation of the patch, and no section that code filled speaks in the place of a silent model.
 */
function silence({ strategy, before, after, patches, span }: GateInput): Findings {
  if (!span.some(({ matters }) => matters)) return [];
  const seqs = new Set(span.map(({ seq }) => seq));
  const ids = new Set(span.filter(({ matters }) => matters).map(({ entryId }) => entryId));
  const isInPatch = patches.some(({ operations }) =>
    operations.some(({ sources }) => sources.some((seq) => seqs.has(seq))),
  );
  const isInItems = changedItems(before, after).some(({ after: item }) =>
    item.sourceEntryIds.some((entryId) => ids.has(entryId)),
  );
  if (isInPatch || (isInItems && strategy !== 'anchored')) return [];
  const reason =
    'nothing has a source in the span, which holds prompts, decisions, changes or errors';
  return [{ itemNo: null, reason }];
}
