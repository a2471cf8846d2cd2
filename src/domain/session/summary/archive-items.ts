/**
 * Keeps the rendered summary under its ceiling by archiving, in a fixed order: superseded, resolved,
 * files only read, then open items of the lowest priority; the oldest first. Before a file leaves, the
 * lines of files and of decisions and errors become shorter; before a changed file leaves, older open asks do. Pins, mission and
 * open asks never leave. Archived items stay in the summary, counted in its rendering with their handle.
 */
import type { TokenCounter } from '../../kernel/measures.js';
import { currentAsk } from './asks.js';
import { renderItem, renderSummary } from './render-summary.js';
import { sectionOf } from './section-schema.js';
import { isBarePath, isFileLine, shorterAsk, shorterFile, shorterProse } from './shorter-lines.js';
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

  const waiting = candidates.filter(({ item }) => !leaving.has(item.itemNo));
  const steps = stepsOf(summary, waiting, counter);
  const texts = new Map<number, string>();
  let used = tokensWithoutPins(without(summary, leaving, texts), counter);
  // Lines are not exactly additive in tokens, so what the sum says is measured again.
  let taken = 0;
  while (used > summaryTokens && taken < steps.length) {
    let excess = used - summaryTokens;
    while (excess > 0) {
      const next = steps[taken];
      if (next === undefined) break;
      taken += 1;
      if (next.text === null) leaving.add(next.itemNo);
      else texts.set(next.itemNo, next.text);
      excess -= next.frees;
    }
    used = tokensWithoutPins(without(summary, leaving, texts), counter);
  }
  const draft = new SummaryDraft(summary, making);
  // An archived item keeps its whole text: it costs nothing there, and its handle gives all of it.
  for (const [itemNo, text] of texts) if (!leaving.has(itemNo)) draft.change(itemNo, { text });
  for (const itemNo of leaving) draft.change(itemNo, { archived: true });
  return { summary: draft.finish(), archived: [...leaving], tokens: used };
}

/** One step towards the ceiling: a shorter text, or, with null, the item leaves. */
interface Step {
  readonly itemNo: number;
  readonly text: string | null;
  readonly frees: number;
}

interface Candidate {
  readonly item: SummaryItem;
  readonly leaves: LeavingOrder;
}

/** Ended items leave; files get shorter, those only read first, then prose; other items leave; asks get shorter; files leave. */
function stepsOf(
  summary: AnchoredSummary,
  candidates: readonly Candidate[],
  counter: TokenCounter,
): readonly Step[] {
  const tokens = new Map<number, number>();
  const step = (item: SummaryItem, text: string | null): Step => {
    const before = tokens.get(item.itemNo) ?? lineTokens(item, counter);
    const after = text === null ? 0 : lineTokens({ ...item, text }, counter);
    tokens.set(item.itemNo, after);
    return { itemNo: item.itemNo, text, frees: before - after };
  };
  const items = candidates.map(({ item }) => item);
  const ended = items.filter(({ state }) => state !== 'open');
  const files = items.filter((item) => isFileLine(summary, item));
  const isRead = new Set(
    candidates.filter(({ leaves }) => leaves[0] === READ_GROUP).map(({ item }) => item),
  );
  const shorter = (some: readonly SummaryItem[]): readonly Step[] => {
    const once = some.flatMap((item) => {
      const text = shorterFile(item);
      return text === null ? [] : [{ taken: step(item, text), item: { ...item, text } }];
    });
    if (once.length === 0) return [];
    return [...once.map(({ taken }) => taken), ...shorter(once.map(({ item }) => item))];
  };
  const changed = new Set(files.filter((item) => !isRead.has(item)));
  const open = items.filter(({ state }) => state === 'open');
  const firstChanged = open.findIndex((item) => changed.has(item));
  const before = firstChanged < 0 ? open.length : firstChanged;
  return [
    ...ended.map((item) => step(item, null)),
    ...shorter(files.filter((item) => isRead.has(item))),
    ...shorter([...changed]),
    ...inRounds(open.map((item) => ({ item, texts: shorterProse(summary, item, counter) }))).map(
      ({ item, text }) => step(item, text),
    ),
    ...open.slice(0, before).map((item) => step(item, null)),
    ...shorterAsks(summary, counter).map(({ item, text }) => step(item, text)),
    ...open.slice(before).map((item) => step(item, null)),
  ];
}

/** All but the newest ask, which is the work at hand. */
function shorterAsks(
  summary: AnchoredSummary,
  counter: TokenCounter,
): readonly { readonly item: SummaryItem; readonly text: string }[] {
  const current = currentAsk(summary);
  const asks = asksOf(summary)
    .filter((item) => item.state === 'open' && !item.archived && item !== current)
    .map((item) => ({ item, texts: shorterAsk(item.text, counter) }));
  return inRounds(asks);
}

interface ShorterTexts {
  readonly item: SummaryItem;
  readonly texts: readonly string[];
}

/** Each item once before any of them twice. */
function inRounds(some: readonly ShorterTexts[]): readonly {
  readonly item: SummaryItem;
  readonly text: string;
}[] {
  const rounds = some.reduce((most, { texts }) => Math.max(most, texts.length), 0);
  return Array.from({ length: rounds }, (_, round) =>
    some.flatMap(({ item, texts }) => {
      const text = texts[round];
      return text === undefined ? [] : [{ item, text }];
    }),
  ).flat();
}

/** Tokens of the rendering without the lines of pins in force, which are part of the floor. */
export function tokensWithoutPins(summary: AnchoredSummary, counter: TokenCounter): number {
  return counter.count(
    renderSummary({ ...summary, items: summary.items.filter((item) => !isActivePin(item)) }),
  );
}

function without(
  summary: AnchoredSummary,
  leaving: ReadonlySet<number>,
  texts: ReadonlyMap<number, string>,
): AnchoredSummary {
  const items = summary.items.map((item) => {
    if (leaving.has(item.itemNo)) return { ...item, archived: true };
    const text = texts.get(item.itemNo);
    return text === undefined ? item : { ...item, text };
  });
  return { ...summary, items };
}

function mustStay(item: SummaryItem, asks: ReadonlySet<number>): boolean {
  return isActivePin(item) || (item.state === 'open' && asks.has(item.itemNo));
}

/** Of the leaving order: files only read. */
const READ_GROUP = 2;

/** Smaller leaves earlier, compared number by number. */
type LeavingOrder = readonly [group: number, priority: number, age: number];

function leavingOrder(item: SummaryItem, { schema }: AnchoredSummary): LeavingOrder {
  const section = sectionOf(schema, item.section);
  if (item.state === 'superseded') return [0, 0, item.cycleChanged];
  if (item.state === 'resolved') return [1, 0, item.cycleChanged];
  if (item.section === 'files_read' && section?.filledBy.includes('trail') === true)
    return [READ_GROUP, 0, item.lastSourceSeq];
  return [3, section?.priority ?? 0, item.lastSourceSeq];
}

function byLeaving(a: LeavingOrder, b: LeavingOrder): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function lineTokens(item: SummaryItem, counter: TokenCounter): number {
  if (!isBarePath(item)) return counter.count(`${renderItem(item)}\n`);
  // Paths share the line of a folder; what the folder costs is seen when the whole is counted.
  return counter.count(`${item.text.slice(item.text.lastIndexOf('/') + 1)}, `);
}
