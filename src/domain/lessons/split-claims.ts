/**
 * A body as claims and frames. A claim is a paragraph, a list item, a table row or a fenced block; a
 * long paragraph is one claim a sentence. A frame gives context and states nothing: headings, heads of
 * tables, lines that end with a colon. One look at each line, so the time is linear.
 */
import type { Digest } from '../kernel/measures.js';
import type { Claim } from './claim.js';
import { exactValues } from './exact-values.js';
import { fingerprintOf } from './normal-text.js';

export interface BodyPart {
  readonly kind: 'claim' | 'frame';
  readonly text: string;
}

/** Splits a body into its parts, in order; deterministic. A host of another notation brings its own. */
export type SplitBody = (body: string) => readonly BodyPart[];

/** Words of a paragraph up to which it is one claim. */
const LONGEST_PARAGRAPH_WORDS = 40;

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const HEADING = /^\s{0,3}#{1,6}(?:\s|$)/;
const UNDERLINE = /^\s{0,3}(?:=+|-{2,})\s*$/;
const ITEM = /^\s*(?:[-*+•]|\d{1,4}[.)])\s+/;
const ROW = /^\s*\|/;
const ROW_OF_DASHES = /^\s*\|?[\s:|-]+$/;
const RULE = /^\s{0,3}(?:[-*_]\s*){3,}$/;

export const splitBody: SplitBody = (body) => {
  const lines = body.split(/\r\n|\r|\n/);
  const parts: BodyPart[] = [];
  let open: string[] = [];
  let openIs: 'paragraph' | 'item' = 'paragraph';
  const close = (): void => {
    if (open.length > 0) parts.push(...claimsOf(open, openIs));
    open = [];
    openIs = 'paragraph';
  };
  const frame = (text: string): void => {
    if (text.trim() !== '') parts.push({ kind: 'frame', text: text.trim() });
  };

  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const fence = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      close();
      const end = endOfFence(lines, at, fence);
      parts.push({
        kind: 'claim',
        text: lines
          .slice(at, end + 1)
          .join('\n')
          .trim(),
      });
      at = end;
    } else if (line.trim() === '') {
      close();
    } else if (HEADING.test(line)) {
      close();
      frame(line);
    } else if (openIs === 'paragraph' && open.length > 0 && UNDERLINE.test(line)) {
      frame(open.join(' '));
      open = [];
    } else if (RULE.test(line)) {
      close();
      frame(line);
    } else if (ROW.test(line)) {
      close();
      const next = lines[at + 1] ?? '';
      const isHead = ROW_OF_DASHES.test(next) && next.includes('-');
      const isFrame = isHead || ROW_OF_DASHES.test(line);
      parts.push({ kind: isFrame ? 'frame' : 'claim', text: line.trim() });
    } else if (ITEM.test(line)) {
      close();
      openIs = 'item';
      open = [line.replace(ITEM, '')];
      if (endsWithColon(line)) {
        frame(open.join(''));
        open = [];
        openIs = 'paragraph';
      }
    } else if (endsWithColon(line)) {
      close();
      frame(line);
    } else {
      open.push(line.trim());
    }
  }
  close();
  return parts;
};

/** The ledger of a body. */
export function ledgerOf(body: string, digest: Digest, split: SplitBody = splitBody) {
  return split(body)
    .filter(({ kind }) => kind === 'claim')
    .map(({ text }, index): Claim => ({
      claimId: `c${index + 1}`,
      ordinal: index + 1,
      text,
      fingerprint: fingerprintOf(text, digest),
      values: exactValues(text),
    }));
}

/** The body with the text as a block of its own at its end; a fence that was left open is closed first. */
export function appendBlock(body: string, block: string): string {
  let open: string | null = null;
  for (const line of body.split(/\r\n|\r|\n/)) {
    const fence = FENCE.exec(line)?.[1];
    if (fence === undefined) continue;
    if (open === null) open = fence;
    else if (isEndOf(line, open)) open = null;
  }
  const closed = open === null ? body.trimEnd() : `${body.trimEnd()}\n${open}`;
  return closed === '' ? block : `${closed}\n\n${block}`;
}

function endsWithColon(line: string): boolean {
  return /[:：]\s*$/.test(line);
}

function endOfFence(lines: readonly string[], from: number, fence: string): number {
  for (let at = from + 1; at < lines.length; at += 1) {
    if (isEndOf(lines[at] ?? '', fence)) return at;
  }
  return lines.length - 1;
}

function isEndOf(line: string, fence: string): boolean {
  const end = line.trim();
  return end.length >= fence.length && end === (fence[0] ?? '').repeat(end.length);
}

function claimsOf(lines: readonly string[], kind: 'paragraph' | 'item'): readonly BodyPart[] {
  const text = lines.join('\n').trim();
  if (text === '') return [];
  const isLong = kind === 'paragraph' && countWords(text) > LONGEST_PARAGRAPH_WORDS;
  const sentences = isLong ? sentencesOf(text) : [text];
  return sentences.map((sentence) => ({ kind: 'claim', text: sentence }));
}

/** Characters of a script without spaces that count as one word. */
const CHARACTERS_A_WORD = 2;

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

function countWords(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0;
  return text.trim().split(/\s+/).length + Math.floor(unspaced / CHARACTERS_A_WORD);
}

const ENDS: ReadonlySet<string> = new Set('.!?。！？');

const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|cf|vs|etc|approx|no|resp|incl|dr|mr|ms|st)\.$/i;

/** After `.`, `!` or `?` and a blank, unless inside code, or the next word goes on in lower case. */
function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = [];
  let from = 0;
  let inCode = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '`') inCode = !inCode;
    if (inCode || !ENDS.has(character)) continue;
    let end = at + 1;
    while (/["'”’)\]]/.test(text[end] ?? '')) end += 1;
    const isWide = character > '\u2000';
    const following = /\s/.test(text[end] ?? '') ? nextCharacter(text, end) : '';
    if (!isWide && (following === '' || /\p{Ll}/u.test(following))) continue;
    if (ABBREVIATION.test(text.slice(Math.max(from, at - 10), at + 1))) continue;
    sentences.push(text.slice(from, end).trim());
    from = end;
  }
  sentences.push(text.slice(from).trim());
  return sentences.filter((sentence) => sentence !== '');
}

function nextCharacter(text: string, from: number): string {
  let at = from;
  while (/\s/.test(text[at] ?? '')) at += 1;
  return text[at] ?? '';
}
