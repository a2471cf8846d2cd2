/**
 * A span as windows for a summarizer: cut between units, each under a ceiling whatever the size of the
 * session. A unit larger than a window is previewed; where even that is too much, its last entries are
 * left out and counted.
 */
import type { TokenCounter } from '../../kernel/measures.js';
import { renderEntry } from '../render-unit.js';
import type { StoredEntry } from '../stored-entry.js';
import { entryHandle, previewEntry } from './oversized.js';

export interface SpanWindow {
  readonly text: string;
  /** `seq` of the entries that it shows, ascending. */
  readonly seqs: readonly number[];
  readonly tokens: number;
}

/** Characters of an entry's preview below which entries are left out instead. */
const MIN_PREVIEW = 80;

/** Tokens of parts do not add up exactly to those of the whole. */
const SLACK = 0.02;

/** Blank line between two units. */
const BREAK = '\n\n';

/** @param ceilingTokens of the text of each window. */
export function cutWindows(
  entries: readonly StoredEntry[],
  ceilingTokens: number,
  counter: TokenCounter,
): readonly SpanWindow[] {
  const windowTokens = Math.max(1, Math.floor(ceilingTokens * (1 - SLACK)));
  const windows: SpanWindow[] = [];
  let texts: string[] = [];
  let seqs: number[] = [];
  let tokens = 0;
  const close = (): void => {
    if (texts.length === 0) return;
    const text = texts.join(BREAK);
    windows.push({ text, seqs, tokens: counter.count(text) });
    [texts, seqs, tokens] = [[], [], 0];
  };
  const breakTokens = counter.count(BREAK);
  for (const unit of unitsOf(entries)) {
    const shown = showUnit(unit, windowTokens, counter);
    if (tokens + breakTokens + shown.tokens > windowTokens) close();
    texts.push(shown.text);
    seqs.push(...shown.seqs);
    tokens += shown.tokens + breakTokens;
  }
  close();
  return windows;
}

/** The head of an entry: its handle, and who said what kind of thing. */
export function renderHandled(entry: StoredEntry): string {
  return `[${entryHandle(entry.seq)}] ${entry.kind} by ${entry.author}\n${renderEntry(entry)}`;
}

function showUnit(
  unit: readonly StoredEntry[],
  windowTokens: number,
  counter: TokenCounter,
): SpanWindow {
  const whole = rendered(unit);
  // What is far too long is not counted first: previews bring it down.
  const isHuge = unit.reduce((sum, { tokenCount }) => sum + tokenCount, 0) > 4 * windowTokens;
  const tokens = isHuge ? Number.POSITIVE_INFINITY : counter.count(whole);
  const seqs = unit.map(({ seq }) => seq);
  if (tokens <= windowTokens) return { text: whole, seqs, tokens };
  for (
    let characters = Math.ceil((windowTokens * 4) / unit.length);
    characters >= MIN_PREVIEW;
    characters = Math.floor(characters / 2)
  ) {
    const text = rendered(unit.map((entry) => previewEntry(entry, characters)));
    const shown = counter.count(text);
    if (shown <= windowTokens) return { text, seqs, tokens: shown };
  }
  return showBeginning(unit, windowTokens, counter);
}

function showBeginning(
  unit: readonly StoredEntry[],
  windowTokens: number,
  counter: TokenCounter,
): SpanWindow {
  for (let kept = Math.floor(unit.length / 2); kept > 0; kept = Math.floor(kept / 2)) {
    const first = unit.slice(0, kept);
    const marker = `[${unit.length - kept} further entries of this unit are left out here]`;
    const previews = first.map((entry) => previewEntry(entry, MIN_PREVIEW));
    const text = `${rendered(previews)}\n${marker}`;
    const tokens = counter.count(text);
    if (tokens <= windowTokens) return { text, seqs: first.map(({ seq }) => seq), tokens };
  }
  // One entry whose head alone is above the ceiling: its handle still stands for it.
  const [first] = unit;
  const text = first === undefined ? '' : `[${entryHandle(first.seq)}] ${first.kind}`;
  return { text, seqs: unit.slice(0, 1).map(({ seq }) => seq), tokens: counter.count(text) };
}

function rendered(unit: readonly StoredEntry[]): string {
  return unit.map(renderHandled).join('\n');
}

function unitsOf(entries: readonly StoredEntry[]): readonly (readonly StoredEntry[])[] {
  const units = new Map<string, StoredEntry[]>();
  for (const entry of entries) {
    const unit = units.get(entry.unitId);
    if (unit === undefined) units.set(entry.unitId, [entry]);
    else unit.push(entry);
  }
  return [...units.values()];
}
