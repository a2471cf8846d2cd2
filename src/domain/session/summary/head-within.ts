/** The beginning of a text under a ceiling of tokens, cut between characters. */
import type { TokenCounter } from '../../kernel/measures.js';
import { boundaryBefore } from '../cut-text.js';

/** UTF-16 units that one token never exceeds in ordinary text; bounds what is counted. */
const LONGEST_TOKEN = 16;

/** Share of what is kept when an estimate was still too large. */
const SHRINK = 0.85;

export interface Head {
  readonly text: string;
  readonly isWhole: boolean;
}

/** @param maxTokens above 0. Whitespace at both ends is left out. */
export function headWithin(text: string, maxTokens: number, counter: TokenCounter): Head {
  const whole = text.trim();
  const limit = maxTokens * LONGEST_TOKEN;
  let head = whole.length <= limit ? whole : whole.slice(0, boundaryBefore(whole, limit));
  for (let tokens = counter.count(head); tokens > maxTokens; tokens = counter.count(head)) {
    const kept = Math.min(head.length - 1, Math.floor((head.length * maxTokens * SHRINK) / tokens));
    const cut = boundaryBefore(head, Math.max(0, kept));
    if (cut === 0) return { text: '', isWhole: whole === '' };
    head = head.slice(0, cut).trimEnd();
  }
  const isWhole = head.length === whole.length;
  return { text: isWhole ? head : withoutCutWord(head, whole), isWhole };
}

/** Half a path or name would pass for another one. A text that is one long word stays cut inside it. */
function withoutCutWord(head: string, whole: string): string {
  if (!/^\w/.test(whole.slice(head.length, head.length + 1))) return head;
  const bare = head.replace(/[\w./\\:@#+-]{1,200}$/, '').trimEnd();
  return bare === '' ? head : bare;
}

/** One line: runs of whitespace become one space, and a cut is marked. */
export function lineWithin(text: string, maxTokens: number, counter: TokenCounter): string {
  const start = text.slice(0, maxTokens * LONGEST_TOKEN * 2);
  const head = headWithin(start.replaceAll(/\s+/g, ' '), maxTokens, counter);
  return head.isWhole && start.length === text.length ? head.text : `${head.text} …`;
}
