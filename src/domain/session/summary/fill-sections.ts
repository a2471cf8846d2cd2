/**
 * Sections that no summarizer writes: asks, files, decisions, errors, todos. The state of an item
 * follows its source; a text that a summarizer improved is left alone.
 */
import type { Digest, TokenCounter } from '../../kernel/measures.js';
import { fillAsks } from './asks.js';
import { endDoneSteps } from './derived-steps.js';
import { lineWithin } from './head-within.js';
import { pathKey, signatureKey, textKey } from './identity.js';
import type {
  ChangeLine,
  DecisionLine,
  ErrorLine,
  SectionLines,
  TodoLine,
  TrailLine,
} from './section-lines.js';
import { sectionFilledBy, trailSectionOf } from './section-schema.js';
import { type ItemChange, type NewItem, SummaryDraft } from './summary-draft.js';
import type { AnchoredSummary, ItemRef, Making } from './summary-item.js';

/** Ceilings of the parts of a line in tokens; together under that of an item. */
const QUESTION_TOKENS = 50;
const CHOICE_TOKENS = 90;
const ERROR_TOKENS = 90;
const NOTE_TOKENS = 40;
const PATH_TOKENS = 60;

/** Changes named as the fix of an error; further ones are counted. */
const MAX_FIXES = 3;

export interface Measures {
  readonly counter: TokenCounter;
  readonly digest: Digest;
}

/** Equal lines again change nothing. */
export function fillSections(
  summary: AnchoredSummary,
  lines: SectionLines,
  making: Making,
  { counter, digest }: Measures,
): AnchoredSummary {
  const draft = new SummaryDraft(summary, making);
  fillAsks(draft, lines.asks, counter, digest);
  fillTrail(draft, lines.trail, counter);
  fillDecisions(draft, lines.decisions, counter);
  fillErrors(draft, lines.errors, lines.changes, counter);
  fillTodos(draft, lines, counter);
  endDoneSteps(draft);
  return draft.finish();
}

function fillTrail(draft: SummaryDraft, trail: readonly TrailLine[], counter: TokenCounter): void {
  const homes = draft.summary.schema.sections
    .filter(({ filledBy }) => filledBy.includes('trail'))
    .map(({ key }) => key);
  for (const line of trail) {
    const isReadOnly = line.state === 'read' || line.state === 'listed';
    const section = trailSectionOf(draft.summary.schema, isReadOnly)?.key;
    if (section === undefined) return;
    const note = line.note === null ? '' : `: ${lineWithin(line.note, NOTE_TOKENS, counter)}`;
    const text = `${lineWithin(line.path, PATH_TOKENS, counter)} – ${line.state}${note}`;
    const refs: readonly ItemRef[] = [{ kind: 'path', text: line.path }];
    const identityKey = pathKey(line.path);
    const sources = [line.lastSeq];
    // A file that was read and is changed now moves: it is never in both lists.
    const known = draft.withKey(identityKey).find((item) => homes.includes(item.section));
    if (known === undefined)
      draft.add({ section, text, refs, identityKey, state: 'open', sources });
    else if (known.lastSourceSeq <= line.lastSeq) {
      const isTouched = known.text !== text || known.lastSourceSeq < line.lastSeq;
      draft.change(known.itemNo, { section, text, refs, sources, ...(isTouched && SHOWN) });
    }
  }
}

const SHOWN: ItemChange = { archived: false };

function fillDecisions(
  draft: SummaryDraft,
  decisions: readonly DecisionLine[],
  counter: TokenCounter,
): void {
  const section = sectionFilledBy(draft.summary.schema, 'decisions')?.key;
  if (section === undefined) return;
  for (const { decision, seq, isPrompt } of decisions) {
    const identityKey = `decision:${decision.decisionId}`;
    if (isPrompt || draft.withKey(identityKey).length > 0) continue;
    const text = decisionText(decision, seq, counter);
    const { itemNo } = draft.add({
      section,
      text,
      refs: [],
      identityKey,
      state: 'open',
      sources: [seq],
    });
    if (decision.supersedes === null) continue;
    for (const earlier of draft.withKey(`decision:${decision.supersedes}`))
      draft.change(earlier.itemNo, { state: 'superseded', supersededBy: itemNo, sources: [seq] });
  }
}

function decisionText(
  { type, question, choice, rationale }: DecisionLine['decision'],
  seq: number,
  counter: TokenCounter,
): string {
  const about = question === null ? '' : `${lineWithin(question, QUESTION_TOKENS, counter)}: `;
  const why = rationale === null ? '' : ` (${lineWithin(rationale, NOTE_TOKENS, counter)})`;
  const chosen = lineWithin(choice, CHOICE_TOKENS, counter);
  if (type === 'strategy_choice') return `Approved plan: ${chosen}${why} [entry:${seq}]`;
  if (type !== 'subplan_spawn') return `${about}${chosen}${why} [entry:${seq}]`;
  return `Sub-agent ${chosen}: ${lineWithin(question ?? '', QUESTION_TOKENS, counter)} [entry:${seq}]`;
}

function fillErrors(
  draft: SummaryDraft,
  errors: readonly ErrorLine[],
  changes: readonly ChangeLine[],
  counter: TokenCounter,
): void {
  const section = sectionFilledBy(draft.summary.schema, 'errors')?.key;
  if (section === undefined) return;
  // The same error may be overcome in one command and not in another: then it is open.
  for (const error of openLast(errors, ({ state }) => state === 'open')) {
    const { state, lastSeq, resolvedBySeq, path } = error;
    const item: NewItem = {
      section,
      text: errorText(error, changes, counter),
      refs: path === null ? [] : [{ kind: 'path', text: path }],
      identityKey: signatureKey(error.signature),
      state,
      sources: resolvedBySeq === null ? [lastSeq] : [lastSeq, resolvedBySeq],
    };
    const known = draft.live(section, item.identityKey);
    if (known === undefined) {
      draft.add(item);
      continue;
    }
    if (known.state === state && draft.cites(known, item.sources)) continue;
    const isModels = known.producer.startsWith('model:');
    const text = isModels ? known.text : item.text;
    const refs = isModels ? known.refs : item.refs;
    draft.change(known.itemNo, { text, refs, state, sources: item.sources, archived: false });
  }
}

function errorText(
  { text, path, line, count, lastSeq, resolvedBySeq }: ErrorLine,
  changes: readonly ChangeLine[],
  counter: TokenCounter,
): string {
  const place = path === null ? '' : ` (${path}${line === null ? '' : `:${line}`})`;
  const times = count > 1 ? `, ${count} times` : '';
  const said = `${lineWithin(text, ERROR_TOKENS, counter)}${place}${times}`;
  if (resolvedBySeq === null) return said;
  const between = changes.filter(({ seq }) => seq > lastSeq && seq < resolvedBySeq);
  const shown = between.slice(-MAX_FIXES).map(({ path: changed, note }) => {
    const how = note === null ? '' : ` (${note})`;
    return `${changed}${how}`;
  });
  if (shown.length === 0) return `${said} – gone since entry:${resolvedBySeq}`;
  const more = between.length > shown.length ? `, ${between.length - shown.length} more` : '';
  const fix = lineWithin(shown.join(', '), NOTE_TOKENS, counter);
  return `${said} – gone since entry:${resolvedBySeq}, after ${fix}${more}`;
}

/** Closed todos that were never listed as open are finished work of another section. */
function fillTodos(draft: SummaryDraft, { todos }: SectionLines, counter: TokenCounter): void {
  const section = sectionFilledBy(draft.summary.schema, 'todos')?.key;
  if (section === undefined) return;
  for (const todo of openLast(todos, ({ state }) => isOpenTodo(state))) {
    const text = lineWithin(todo.text, CHOICE_TOKENS, counter);
    const identityKey = textKey(todo.text);
    const sources = [todo.lastSeq];
    const known = draft.live(section, identityKey);
    const isOpen = isOpenTodo(todo.state);
    if (known === undefined) {
      if (isOpen) draft.add({ section, text, refs: [], identityKey, state: 'open', sources });
    } else if (known.lastSourceSeq <= todo.lastSeq) {
      const closed = todo.state === 'cancelled' ? 'superseded' : 'resolved';
      const state = isOpen ? 'open' : closed;
      if (state !== known.state) draft.change(known.itemNo, { state, sources, archived: false });
    }
  }
}

function isOpenTodo(state: TodoLine['state']): boolean {
  return state === 'pending' || state === 'in-progress';
}

/** In their order, but the open ones behind the others: of equal lines, the last one decides. */
function openLast<Line>(lines: readonly Line[], isOpen: (line: Line) => boolean): readonly Line[] {
  return [...lines.filter((line) => !isOpen(line)), ...lines.filter(isOpen)];
}
