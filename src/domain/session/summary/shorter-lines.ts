/**
 * Lines in fewer words, for when not all fit: a file loses its note, then its state, never its path;
 * an older open request keeps its beginning and its handle. What is left out stays in the trail and in
 * the entry.
 */
import type { TokenCounter } from '../../kernel/measures.js';
import { headWithin } from './head-within.js';
import { sectionOf } from './section-schema.js';
import type { AnchoredSummary, SummaryItem } from './summary-item.js';

/** Ceilings of the beginning of an older open request, in tokens, one step after the other. */
const ASK_STEPS = [16, 4] as const;

/** The states that a path alone may stand for under its heading; a removal is always said. */
const BARE_STATES: ReadonlySet<string> = new Set(['created', 'modified', 'read']);

export function isFileLine({ schema }: AnchoredSummary, item: SummaryItem): boolean {
  return (
    item.state === 'open' && sectionOf(schema, item.section)?.filledBy.includes('trail') === true
  );
}

/** Whether a file stands in the summary by its path alone. */
export function isBarePath({ text, refs }: SummaryItem): boolean {
  return refs[0]?.kind === 'path' && refs[0].text === text && isSafeAlone(text);
}

/** The text of a file one step shorter, or null: path, state and note, then path and state, then the path. */
export function shorterFile(item: SummaryItem): string | null {
  const path = item.refs.find(({ kind }) => kind === 'path')?.text;
  if (path === undefined || !item.text.startsWith(`${path} – `)) return null;
  const rest = item.text.slice(path.length + 3);
  const state = /^[a-z]+/.exec(rest)?.[0] ?? '';
  if (rest.length > state.length) return `${path} – ${state}`;
  return BARE_STATES.has(state) && isSafeAlone(path) ? path : null;
}

/** The texts of an open request, each shorter than the one before; none where it is short already. */
export function shorterAsk(text: string, counter: TokenCounter): readonly string[] {
  const handle = / \[entry:\d+\]$/.exec(text)?.[0];
  if (handle === undefined) return [];
  const said = text.slice(0, -handle.length).replace(/ …$/, '');
  return ASK_STEPS.flatMap((tokens) => {
    const head = headWithin(said, tokens, counter);
    return head.isWhole ? [] : [`${head.text} …${handle}`];
  });
}

/** A line of its own must not pass for a heading, a numbered item, or two lines. */
function isSafeAlone(path: string): boolean {
  return /^[^\s#([][^\r\n]*$/.test(path);
}
