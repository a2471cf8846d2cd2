/**
 * What a summarizer is shown of the summary beside its window: open items that it may address, under
 * a ceiling, those that the window speaks of first. So no request grows with the session.
 */
import type { TokenCounter } from '../../kernel/measures.js';
import { renderItem } from './render-summary.js';
import { sectionOf } from './section-schema.js';
import { type AnchoredSummary, isActivePin, type SummaryItem } from './summary-item.js';

export interface SummaryReference {
  /** Empty: no items. */
  readonly text: string;
  /** Numbers of the items that are shown. */
  readonly itemNos: readonly number[];
}

/** @param maxTokens of the text; whole items only, the others are left out. */
export function renderReference(
  summary: AnchoredSummary,
  windowText: string,
  maxTokens: number,
  counter: TokenCounter,
): SummaryReference {
  const open = summary.items.filter((item) => item.state === 'open' && mayAddress(item, summary));
  const ranked = open
    .map((item) => ({ item, isNamed: isNamedIn(item, windowText) }))
    .sort(
      (a, b) =>
        Number(b.isNamed) - Number(a.isNamed) ||
        Number(a.item.archived) - Number(b.item.archived) ||
        b.item.lastSourceSeq - a.item.lastSourceSeq ||
        b.item.itemNo - a.item.itemNo,
    );
  const chosen: SummaryItem[] = [];
  const headings = new Set<string>();
  let tokens = 0;
  for (const { item } of ranked) {
    const heading = headings.has(item.section) ? 0 : counter.count(`## ${item.section}\n\n`);
    const cost = counter.count(`${renderItem(item)}\n`) + heading;
    if (tokens + cost > maxTokens) continue;
    tokens += cost;
    headings.add(item.section);
    chosen.push(item);
  }
  const blocks = summary.schema.sections.flatMap(({ key }) => {
    const own = chosen.filter((item) => item.section === key).sort((a, b) => a.itemNo - b.itemNo);
    return own.length === 0
      ? []
      : [[`## ${key}`, ...own.map((item) => renderItem(item))].join('\n')];
  });
  return { text: blocks.join('\n\n'), itemNos: chosen.map(({ itemNo }) => itemNo) };
}

function mayAddress(item: SummaryItem, { schema }: AnchoredSummary): boolean {
  if (isActivePin(item)) return false;
  const filledBy = sectionOf(schema, item.section)?.filledBy ?? [];
  return filledBy.includes('patch') || filledBy.includes('asks');
}

function isNamedIn({ refs, identityKey }: SummaryItem, windowText: string): boolean {
  const subject = /^subject:(.{4,120})$/.exec(identityKey)?.[1];
  return (
    refs.some(({ text }) => windowText.includes(text)) ||
    (subject !== undefined && windowText.toLowerCase().includes(subject))
  );
}
