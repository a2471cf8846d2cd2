/** Items: the statements of an anchored summary, each with identity, cycle, state and sources. */
import { type SectionSchema, sectionFilledBy } from './section-schema.js';

export type ItemState = 'open' | 'resolved' | 'superseded';

export type RefKind = 'path' | 'symbol' | 'hash' | 'code' | 'number' | 'command' | 'url';

/** Something that the text is about, word for word as it stands in the source. */
export interface ItemRef {
  readonly kind: RefKind;
  readonly text: string;
}

export type Producer = `model:${string}` | 'offline' | 'trail' | 'host';

export interface SummaryItem {
  /** ULID. */
  readonly itemId: string;
  /** Running number of the session, from 1, never used twice: the handle `#17`. */
  readonly itemNo: number;
  /** Key of its section. */
  readonly section: string;
  readonly text: string;
  readonly refs: readonly ItemRef[];
  /** Kept for life, so that the item is found again after its text was changed. */
  readonly identityKey: string;
  readonly state: ItemState;
  /** `itemNo` of the item that took its place; null also where it was just taken back. */
  readonly supersededBy: number | null;
  /** Out of the rendering, still there. */
  readonly archived: boolean;
  /** Kept word for word and checked by `textHash`; in force while `state` is open. */
  readonly pinned: boolean;
  /** SHA-256 of the text of a pin, else null. */
  readonly textHash: string | null;
  readonly cycleCreated: number;
  readonly cycleChanged: number;
  /** From 1; one more with each cycle and each act of the host that changed it. */
  readonly version: number;
  /** Never empty, save for pins set by the host. */
  readonly sourceEntryIds: readonly string[];
  /** `seq` of the newest source, 0 without any; follows from the sources. */
  readonly lastSourceSeq: number;
  /** Digest of the span it was last written from; null for acts of the host. */
  readonly spanHash: string | null;
  /** Who wrote the text. */
  readonly producer: Producer;
}

/** All items of a session, also resolved, superseded and archived ones, in the order of `itemNo`. */
export interface AnchoredSummary {
  readonly schema: SectionSchema;
  readonly items: readonly SummaryItem[];
  /** Number of the next new item. Numbers of a rolled-back cycle are not given again. */
  readonly nextItemNo: number;
}

/** What a step needs to make or change items. */
export interface Making {
  /** Number of the pass; for an act of the host, that of the last adopted pass. */
  readonly cycle: number;
  readonly producer: Producer;
  readonly spanHash: string | null;
  /** The ULID of a new item. Asked once per number. */
  readonly itemIdOf: (itemNo: number) => string;
  /** The ULID of an entry of the session. */
  readonly entryIdOf: (seq: number) => string;
}

/** Ceiling of the text of one item, in tokens; pins excepted. */
export const MAX_ITEM_TOKENS = 200;

export function emptySummary(schema: SectionSchema): AnchoredSummary {
  return { schema, items: [], nextItemNo: 1 };
}

export function isActivePin(item: SummaryItem): boolean {
  return item.pinned && item.state === 'open';
}

export function activePins({ items }: AnchoredSummary): readonly SummaryItem[] {
  return items.filter(isActivePin);
}

/** One item per human prompt; the mission is a pin of the same section and no ask. */
export function asksOf({ schema, items }: AnchoredSummary): readonly SummaryItem[] {
  const key = sectionFilledBy(schema, 'asks')?.key;
  return items.filter((item) => item.section === key && !item.pinned);
}

export function missionOf({ schema, items }: AnchoredSummary): SummaryItem | undefined {
  const key = sectionFilledBy(schema, 'asks')?.key;
  return items.find((item) => item.section === key && isActivePin(item));
}
