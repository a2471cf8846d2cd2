/**
 * A summary while one step changes it. Items that end as they began are given back as the same
 * objects; the others get one new version, however often the step touched them.
 */
import type { AnchoredSummary, ItemRef, ItemState, Making, SummaryItem } from './summary-item.js';

export interface NewItem {
  readonly section: string;
  readonly text: string;
  readonly refs: readonly ItemRef[];
  readonly identityKey: string;
  readonly state: ItemState;
  /** `seq` of the source entries. */
  readonly sources: readonly number[];
  /** Hash of the text where it is a pin. */
  readonly pinHash?: string;
}

export type ItemChange = Partial<
  Pick<SummaryItem, 'section' | 'text' | 'refs' | 'state' | 'supersededBy' | 'archived' | 'pinned'>
> & {
  /** `seq` of entries that join the sources. */
  readonly sources?: readonly number[];
};

export class SummaryDraft {
  readonly #before = new Map<number, SummaryItem>();
  readonly #items = new Map<number, SummaryItem>();
  readonly #byKey = new Map<string, number[]>();
  #nextItemNo: number;

  constructor(
    readonly summary: AnchoredSummary,
    private readonly making: Making,
  ) {
    this.#nextItemNo = summary.nextItemNo;
    for (const item of summary.items) {
      this.#before.set(item.itemNo, item);
      this.#items.set(item.itemNo, item);
      this.#index(item);
    }
  }

  get items(): readonly SummaryItem[] {
    return [...this.#items.values()];
  }

  find(itemNo: number): SummaryItem | undefined {
    return this.#items.get(itemNo);
  }

  /** All items that were made under the key, oldest first. */
  withKey(identityKey: string): readonly SummaryItem[] {
    return (this.#byKey.get(identityKey) ?? []).flatMap((itemNo) => this.find(itemNo) ?? []);
  }

  /** The newest item of the section under the key that nothing has superseded. */
  live(section: string, identityKey: string): SummaryItem | undefined {
    return this.withKey(identityKey).findLast(
      (item) => item.section === section && item.state !== 'superseded',
    );
  }

  /** Whether all of these entries are among the sources of the item. */
  cites({ sourceEntryIds }: SummaryItem, sources: readonly number[]): boolean {
    return sources.every((seq) => sourceEntryIds.includes(this.making.entryIdOf(seq)));
  }

  add(item: NewItem): SummaryItem {
    const { making } = this;
    const itemNo = this.#nextItemNo;
    this.#nextItemNo += 1;
    const made: SummaryItem = {
      itemId: making.itemIdOf(itemNo),
      itemNo,
      section: item.section,
      text: item.text,
      refs: item.refs,
      identityKey: item.identityKey,
      state: item.state,
      supersededBy: null,
      archived: false,
      pinned: item.pinHash !== undefined,
      textHash: item.pinHash ?? null,
      cycleCreated: making.cycle,
      cycleChanged: making.cycle,
      version: 1,
      ...this.#unite([], 0, item.sources),
      spanHash: making.spanHash,
      producer: making.producer,
    };
    this.#items.set(itemNo, made);
    this.#index(made);
    return made;
  }

  change(itemNo: number, { sources = [], ...change }: ItemChange): void {
    const item = this.#items.get(itemNo);
    if (item === undefined) return;
    const united = this.#unite(item.sourceEntryIds, item.lastSourceSeq, sources);
    this.#items.set(itemNo, { ...item, ...change, ...united });
  }

  finish(): AnchoredSummary {
    const items = this.items.map((item) => {
      const before = this.#before.get(item.itemNo);
      if (before === undefined || before === item) return item;
      return contentOf(before) === contentOf(item) ? before : this.#nextVersion(before, item);
    });
    return { ...this.summary, items, nextItemNo: this.#nextItemNo };
  }

  #nextVersion(before: SummaryItem, item: SummaryItem): SummaryItem {
    const { cycle, producer, spanHash } = this.making;
    // The windows of one pass make one version together; an act of the host is one by itself.
    const isSamePass = before.cycleChanged === cycle && producer !== 'host';
    const isRewritten = before.text !== item.text || !sameRefs(before.refs, item.refs);
    return {
      ...item,
      cycleChanged: cycle,
      version: isSamePass ? before.version : before.version + 1,
      ...(isRewritten && { producer, spanHash }),
    };
  }

  #unite(
    known: readonly string[],
    lastSeq: number,
    sources: readonly number[],
  ): Pick<SummaryItem, 'sourceEntryIds' | 'lastSourceSeq'> {
    const ids = sources.map((seq) => this.making.entryIdOf(seq));
    return {
      sourceEntryIds: [...new Set([...known, ...ids])],
      lastSourceSeq: sources.reduce((last, seq) => Math.max(last, seq), lastSeq),
    };
  }

  #index({ identityKey, itemNo }: SummaryItem): void {
    const numbers = this.#byKey.get(identityKey);
    if (numbers === undefined) this.#byKey.set(identityKey, [itemNo]);
    else numbers.push(itemNo);
  }
}

export function sameRefs(some: readonly ItemRef[], others: readonly ItemRef[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}

function contentOf(item: SummaryItem): string {
  const { section, text, refs, state, supersededBy, archived, pinned, sourceEntryIds } = item;
  return JSON.stringify([
    section,
    text,
    refs,
    state,
    supersededBy,
    archived,
    pinned,
    sourceEntryIds,
  ]);
}
