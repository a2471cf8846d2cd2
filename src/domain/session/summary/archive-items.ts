/**
 * Keeps the rendered summary under its ceiling by archiving, in a fixed order: superseded, resolved,
 * files only read, then open items of the lowest priority; the oldest first. Pins, mission and open
 * asks never leave. Archived items stay in the summary, counted in its rendering with their handle.
 */
import type { TokenCounter } from '../../kernel/measures.js';
import { renderItem, renderSummary } from './render-summary.js';
import { sectionOf } from './section-schema.js';
import { SummaryDraft } from './summary-draft.js';
import {
  type AnchoredSummary,
  asksOf,
  isActivePin,
  type Making,
  type SummaryItem,
} from './summary-item.js';

export interface ArchivingResult {
  readonly summary: AnchoredSummary;
  /** Numbers of the items archived now, in the order they left. */
  readonly archived: readonly number[];
  /** Tokens of the rendering without pins, afterwards. */
  readonly tokens: number;
}

/**
 * @param summaryTokens ceiling of the rendering without pins. Where mission, open asks and frame alone
 * are above it, everything else is archived and `tokens` stays above.
 */
export function archiveItems(
  summary: AnchoredSummary,
  summaryTokens: number,
  counter: TokenCounter,
  making: Making,
): ArchivingResult {
  const asks = new Set(asksOf(summary).map(({ itemNo }) => itemNo));
  const candidates = summary.items
    .filter((item) => !item.archived && !mustStay(item, asks))
    .map((item) => ({
      item,
      leaves: leavingOrder(item, summary),
      tokens: lineTokens(item, counter),
    }))
    .sort((a, b) => byLeaving(a.leaves, b.leaves) || a.item.itemNo - b.item.itemNo);
  const leaving = new Set<number>();

  for (const section of summary.schema.sections) {
    if (section.maxTokens === null) continue;
    const own = candidates.filter(({ item }) => item.section === section.key);
    let used = own.reduce((sum, { tokens }) => sum + tokens, 0);
    for (const { item, tokens } of own) {
      if (used <= section.maxTokens) break;
      leaving.add(item.itemNo);
      used -= tokens;
    }
  }

  let used = tokensWithoutPins(without(summary, leaving), counter);
  const waiting = candidates.filter(({ item }) => !leaving.has(item.itemNo));
  // Lines are not exactly additive in tokens, so what the sum says is measured again.
  while (used > summaryTokens && waiting.length > 0) {
    let excess = used - summaryTokens;
    while (excess > 0) {
      const next = waiting.shift();
      if (next === undefined) break;
      leaving.add(next.item.itemNo);
      excess -= next.tokens;
    }
    used = tokensWithoutPins(without(summary, leaving), counter);
  }
  const draft = new SummaryDraft(summary, making);
  for (const itemNo of leaving) draft.change(itemNo, { archived: true });
  return { summary: draft.finish(), archived: [...leaving], tokens: used };
}

/** Tokens of the rendering without the lines of pins in force, which are part of the floor. */
export function tokensWithoutPins(summary: AnchoredSummary, counter: TokenCounter): number {
  return counter.count(
    renderSummary({ ...summary, items: summary.items.filter((item) => !isActivePin(item)) }),
  );
}

function without(summary: AnchoredSummary, leaving: ReadonlySet<number>): AnchoredSummary {
  const items = summary.items.map((item) =>
    leaving.has(item.itemNo) ? { ...item, archived: true } : item,
  );
  return { ...summary, items };
}

function mustStay(item: SummaryItem, asks: ReadonlySet<number>): boolean {
  return isActivePin(item) || (item.state === 'open' && asks.has(item.itemNo));
}

/** Smaller leaves earlier, compared number by number. */
type LeavingOrder = readonly [group: number, priority: number, age: number];

function leavingOrder(item: SummaryItem, { schema }: AnchoredSummary): LeavingOrder {
  const section = sectionOf(schema, item.section);
  if (item.state === 'superseded') return [0, 0, item.cycleChanged];
  if (item.state === 'resolved') return [1, 0, item.cycleChanged];
  if (item.section === 'files_read' && section?.filledBy.includes('trail') === true)
    return [2, 0, item.lastSourceSeq];
  return [3, section?.priority ?? 0, item.lastSourceSeq];
}

function byLeaving(a: LeavingOrder, b: LeavingOrder): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function lineTokens(item: SummaryItem, counter: TokenCounter): number {
  return counter.count(`${renderItem(item)}\n`);
}
