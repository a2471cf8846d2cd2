/**
 * Lines in fewer words, for when not all fit: a file loses its note, then its state, never its path;
 * decisions, errors and older open requests keep their beginning and their handle. What is left out
 * stays in the trail and in the entry.
 */
import type { TokenCounter } from '../../kernel/measures.js';
import { isPathAlone } from '../trail/path-list.js';
import { isDerivedStep } from './derived-steps.js';
import { headWithin } from './head-within.js';
import { sectionOf } from './section-schema.js';
import type { AnchoredSummary, SummaryItem } from './summary-item.js';

/** Ceilings of the beginning of an older open request, in tokens, one step after the other. */
const ASK_STEPS = [16, 4] as const;

/** The same of decisions, errors, and next steps that repeat an error. */
const DECISION_STEPS = [32] as const;
const ERROR_STEPS = [32, 12] as const;
const DERIVED_STEPS = [12] as const;

/** The states that a path alone may stand for under its heading; a removal is always said. */
const BARE_STATES: ReadonlySet<string> = new Set(['created', 'modified', 'read']);

export function isFileLine({ schema }: AnchoredSummary, item: SummaryItem): boolean {
  return (
    item.state === 'open' && sectionOf(schema, item.section)?.filledBy.includes('trail') === true
  );
}

/** Whether a file stands in the summary by its path alone. */
export function isBarePath({ text, refs }: SummaryItem): boolean {
  return refs[0]?.kind === 'path' && refs[0].text === text && isPathAlone(text);
}

/** The text of a file one step shorter, or null: path, state and note, then path and state, then the path. */
export function shorterFile(item: SummaryItem): string | null {
  const path = item.refs.find(({ kind }) => kind === 'path')?.text;
  if (path === undefined || !item.text.startsWith(`${path} – `)) return null;
  const rest = item.text.slice(path.length + 3);
  const state = /^[a-z]+/.exec(rest)?.[0] ?? '';
  if (rest.length > state.length) return `${path} – ${state}`;
  return BARE_STATES.has(state) && isPathAlone(path) ? path : null;
}

/** The texts of an open request, each shorter than the one before; none where it is short already. */
export function shorterAsk(text: string, counter: TokenCounter): readonly string[] {
  const handle = ENTRY_HANDLE.exec(text)?.[0];
  return handle === undefined ? [] : beginnings(text, handle, ASK_STEPS, counter);
}

/**
 * The same of what code wrote about decisions and errors; its number leads to the whole. A summarizer's
 * text stays as it is, and so does the outcome of a command, which stands at the end of its line.
 */
export function shorterProse(
  { schema }: AnchoredSummary,
  item: SummaryItem,
  counter: TokenCounter,
): readonly string[] {
  if (item.producer !== 'trail' || item.pinned || item.state !== 'open') return [];
  const filledBy = sectionOf(schema, item.section)?.filledBy ?? [];
  const steps = isDerivedStep(item)
    ? DERIVED_STEPS
    : filledBy.includes('decisions')
      ? DECISION_STEPS
      : filledBy.includes('errors')
        ? ERROR_STEPS
        : [];
  return beginnings(item.text, ENTRY_HANDLE.exec(item.text)?.[0] ?? '', steps, counter);
}

const ENTRY_HANDLE = / \[entry:\d+\]$/;

function beginnings(
  text: string,
  handle: string,
  steps: readonly number[],
  counter: TokenCounter,
): readonly string[] {
  const said = text.slice(0, text.length - handle.length).replace(/ …$/, '');
  return steps.flatMap((tokens) => {
    const head = headWithin(said, tokens, counter);
    return head.isWhole ? [] : [`${head.text} …${handle}`];
  });
}
