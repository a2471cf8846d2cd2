/**
 * What a summarizer returns under the strategy `regenerative`: every section anew. Read from JSON with
 * every fault named, and merged so that an item which says the same again keeps its number, and one
 * that is no longer said is taken out of the rendering, not deleted.
 */
import { identityKey } from './identity.js';
import type { PinProposal } from './merge-patch.js';
import { parsePatch, type PatchFault, type PatchOperation } from './patch.js';
import { sectionOf, type SectionSchema } from './section-schema.js';
import { SummaryDraft } from './summary-draft.js';
import type { AnchoredSummary, Making } from './summary-item.js';

/** An item as written; `sources` may be empty. */
export type DocumentItem = Omit<Extract<PatchOperation, { operation: 'add' }>, 'operation'>;

export interface SummaryDocument {
  readonly items: readonly DocumentItem[];
}

export type ParsedDocument =
  | { readonly outcome: 'parsed'; readonly document: SummaryDocument }
  | { readonly outcome: 'invalid'; readonly faults: readonly PatchFault[] };

export type DocumentVerdict =
  | {
      readonly outcome: 'merged';
      readonly summary: AnchoredSummary;
      readonly proposals: readonly PinProposal[];
      /** Items of the document that cite nothing. */
      readonly unsourced: number;
    }
  | { readonly outcome: 'invalid'; readonly faults: readonly PatchFault[] };

/** Stands for "cites nothing" while the item is read as an operation. */
const NO_SOURCE = 1;

/**
 * Reads `{ "sections": { "decisions": [{ "text": …, "refs"?, "sources"?, "state"? }] } }`; an item may
 * also be its text alone.
 */
export function parseDocument(value: unknown): ParsedDocument {
  const sections = fieldsOf(fieldsOf(value)?.['sections']);
  if (sections === null) return shapeFault('sections must be an object of lists');
  const operations: unknown[] = [];
  const isCited: boolean[] = [];
  for (const [section, list] of Object.entries(sections)) {
    if (!Array.isArray(list)) return shapeFault(`sections.${section.slice(0, 60)} must be a list`);
    for (const given of list as readonly unknown[]) {
      const fields = typeof given === 'string' ? { text: given } : (fieldsOf(given) ?? {});
      const sources = fields['sources'];
      const cites = Array.isArray(sources) && sources.length > 0;
      isCited.push(cites);
      operations.push({
        refs: [],
        state: 'open',
        ...fields,
        sources: cites ? sources : [NO_SOURCE],
        operation: 'add',
        section,
      });
    }
  }
  const parsed = parsePatch(operations);
  if (parsed.outcome === 'invalid') return parsed;
  const items = parsed.patch.operations.flatMap((operation, index) => {
    if (operation.operation !== 'add') return [];
    const { section, text, refs, sources, state } = operation;
    return [{ section, text, refs, state, sources: isCited[index] === true ? sources : [] }];
  });
  return { outcome: 'parsed', document: { items } };
}

/** @param history `seq` of every entry that may be cited. One fault makes the whole document invalid. */
export function mergeDocument(
  summary: AnchoredSummary,
  { items }: SummaryDocument,
  history: ReadonlySet<number>,
  making: Making,
): DocumentVerdict {
  const faults = items.flatMap((item, index) => faultsOf(item, index, summary.schema, history));
  if (faults.length > 0) return { outcome: 'invalid', faults };
  const draft = new SummaryDraft(summary, making);
  const proposals: PinProposal[] = [];
  const said = new Set<number>();
  for (const item of items) {
    const section = sectionOf(summary.schema, item.section);
    if (section === undefined) continue;
    if (section.filledBy.includes('pins')) {
      proposals.push({ text: item.text, sources: item.sources });
      continue;
    }
    const key = identityKey(section.identity, item.text, item.refs);
    const known = draft.live(section.key, key);
    if (known === undefined) said.add(draft.add({ ...item, identityKey: key }).itemNo);
    else {
      const { text, refs, sources, state } = item;
      draft.change(known.itemNo, { text, refs, sources, state, archived: false });
      said.add(known.itemNo);
    }
  }
  for (const item of summary.items) {
    const isWritten = item.producer === 'offline' || item.producer.startsWith('model:');
    const mayWrite = sectionOf(summary.schema, item.section)?.filledBy.includes('patch') === true;
    if (!isWritten || !mayWrite || item.pinned || said.has(item.itemNo)) continue;
    if (item.state !== 'superseded')
      draft.change(item.itemNo, { state: 'superseded', archived: true });
  }
  const unsourced = items.filter(({ sources }) => sources.length === 0).length;
  return { outcome: 'merged', summary: draft.finish(), proposals, unsourced };
}

/** A document in the words of its next window's reference. */
export function renderDocument({ items }: SummaryDocument, schema: SectionSchema): string {
  return schema.sections
    .flatMap(({ key }) => {
      const own = items.filter(({ section }) => section === key);
      const lines = own.map(({ text, state, sources }) => {
        const cited = sources.map((seq) => `entry:${seq}`).join(', ');
        return `- ${text}${state === 'resolved' ? ' (resolved)' : ''}${cited === '' ? '' : ` [${cited}]`}`;
      });
      return own.length === 0 ? [] : [[`## ${key}`, ...lines].join('\n')];
    })
    .join('\n\n');
}

function faultsOf(
  { section: key, sources }: DocumentItem,
  index: number,
  schema: SectionSchema,
  history: ReadonlySet<number>,
): readonly PatchFault[] {
  const section = sectionOf(schema, key);
  if (section === undefined) {
    const known = schema.sections.map((one) => one.key).join(', ');
    const reason = `section must be one of ${known}`;
    return [{ operation: index, code: 'unknown-section', reason }];
  }
  if (!section.filledBy.some((filler) => filler === 'patch' || filler === 'pins')) {
    const reason = `${key} is filled in code and takes no additions`;
    return [{ operation: index, code: 'section-closed', reason }];
  }
  const outside = sources.filter((seq) => !history.has(seq));
  if (outside.length === 0) return [];
  const reason = `${outside.map((seq) => `entry:${seq}`).join(', ')} are not entries of the history`;
  return [{ operation: index, code: 'source-outside-span', reason }];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

function shapeFault(reason: string): ParsedDocument {
  return { outcome: 'invalid', faults: [{ operation: null, code: 'bad-shape', reason }] };
}
