/**
 * Standing rules in what a person or a system prompt says: sentences with a cue word, given word for
 * word as they stand in the text. Deterministic; questions, code blocks and quotations are passed over.
 */

export interface StandingRuleCues {
  /** Anywhere in a sentence, as whole words where they begin or end with a letter; case does not matter. */
  readonly anywhere: readonly string[];
  /** Only where a sentence begins with it, after "please", "and", "but" or the like. */
  readonly leading: readonly string[];
}

export const STANDING_RULE_CUES: StandingRuleCues = {
  anywhere: [
    'always',
    'never',
    'must',
    'must not',
    'mustn’t',
    "mustn't",
    'from now on',
    'under no circumstances',
    'in no case',
    'no matter what',
    'not allowed',
    'forbidden',
    'prohibited',
    'at all times',
    'without asking',
    'without my approval',
    'off limits',
    'immer',
    'niemals',
    'ab jetzt',
    'darfst nicht',
    'auf keinen Fall',
    'toujours',
    'jamais',
    'siempre',
    'nunca',
    '必ず',
    '絶対に',
    '禁止',
    'しないで',
    '始终',
    '永远不要',
    '绝不',
    '务必',
    '必须',
    '不要',
    '항상',
    '절대',
  ],
  leading: [
    'do not',
    "don't",
    'don’t',
    'only use',
    'use only',
    'make sure',
    'avoid',
    'stick to',
    'refrain from',
    'keep in mind',
    'remember to',
    'ensure',
  ],
};

/** Longer sentences are pasted material, not rules; UTF-16 units. */
const MAX_SENTENCE = 600;

/** Rules taken of one text. A pasted handbook must not fill the window with pins. */
const MAX_RULES = 30;

export interface StandingRules {
  /** Verbatim stretches of the text, in order, each once. */
  readonly rules: readonly string[];
  /** Further sentences with a cue that were not taken. */
  readonly leftOut: number;
}

export function findStandingRules(
  text: string,
  cues: StandingRuleCues = STANDING_RULE_CUES,
): StandingRules {
  const { anywhere, leading } = patternsOf(cues);
  const found = new Set<string>();
  let tooLong = 0;
  for (const sentence of sentencesOf(text)) {
    if (/[?？]$/.test(sentence)) continue;
    const start = sentence.slice(0, MAX_SENTENCE);
    const isRule = anywhere?.test(start) === true || (leading !== null && leads(leading, start));
    if (!isRule) continue;
    if (sentence.length > MAX_SENTENCE) tooLong += 1;
    else found.add(sentence);
  }
  const rules = [...found].slice(0, MAX_RULES);
  return { rules, leftOut: found.size - rules.length + tooLong };
}

/** The smallest whole sentences of the text that hold the stretch, word for word; null: it is not in it. */
export function sentencesAround(text: string, stretch: string): string | null {
  const wanted = stretch.trim();
  const at = wanted === '' ? -1 : text.indexOf(wanted);
  if (at < 0) return null;
  let start = at;
  let end = at + wanted.length;
  for (const { from, to } of sentenceRanges(text)) {
    if (from < end && to > at) {
      start = Math.min(start, from);
      end = Math.max(end, to);
    }
  }
  return text.slice(start, end);
}

function leads(cue: RegExp, sentence: string): boolean {
  const bare = sentence.replace(
    /^(?:(?:please|and|but|also|so|then|important|note)\b[\s:,!]*)+/i,
    '',
  );
  return cue.exec(bare)?.index === 0;
}

interface CuePatterns {
  readonly anywhere: RegExp | null;
  readonly leading: RegExp | null;
}

const PATTERNS = new WeakMap<StandingRuleCues, CuePatterns>();

/** Made once for a set of cues: every entry of a span is looked through. */
function patternsOf(cues: StandingRuleCues): CuePatterns {
  const known = PATTERNS.get(cues);
  if (known !== undefined) return known;
  const patterns = { anywhere: cuePattern(cues.anywhere), leading: cuePattern(cues.leading) };
  PATTERNS.set(cues, patterns);
  return patterns;
}

function cuePattern(cues: readonly string[]): RegExp | null {
  const parts = cues
    .filter((cue) => cue.trim() !== '')
    .map((cue) => {
      const escaped = cue.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
      // Scripts without spaces between words have no word boundary to ask for.
      const before = /^[\p{Script=Latin}\d]/u.test(cue) ? String.raw`(?<![\p{L}\d])` : '';
      const after = /[\p{Script=Latin}\d]$/u.test(cue) ? String.raw`(?![\p{L}\d])` : '';
      return `${before}${escaped}${after}`;
    });
  return parts.length === 0 ? null : new RegExp(parts.join('|'), 'iu');
}

function sentencesOf(text: string): readonly string[] {
  return sentenceRanges(text).map(({ from, to }) => text.slice(from, to));
}

/** Looked for at the first mark of a row only, or a line of dots would take quadratic time. */
const SENTENCE_END = /(?<![.!?])[.!?]+["')\]]*(?=\s)|[。！？]+/g;

/** Sentences and list points, without list marks, code blocks and quoted lines. */
function sentenceRanges(text: string): readonly { readonly from: number; readonly to: number }[] {
  const ranges: { readonly from: number; readonly to: number }[] = [];
  let isCode = false;
  let lineStart = 0;
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    else if (!isCode && !/^\s*(?:>|#{1,6}\s*$)/.test(line)) {
      const mark = /^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s+)?/.exec(line)?.[0].length ?? 0;
      let from = mark;
      for (const end of line.slice(mark).matchAll(SENTENCE_END)) {
        const to = mark + end.index + end[0].length;
        if (/\b(?:e\.g|i\.e|etc|vs|cf)\.$/i.test(line.slice(from, to))) continue;
        ranges.push(trimmed(line, from, to, lineStart));
        from = to;
      }
      ranges.push(trimmed(line, from, line.length, lineStart));
    }
    lineStart += line.length + 1;
  }
  return ranges.filter(({ from, to }) => to > from);
}

function trimmed(
  line: string,
  from: number,
  to: number,
  lineStart: number,
): { readonly from: number; readonly to: number } {
  const part = line.slice(from, to);
  const start = from + (part.length - part.trimStart().length);
  return { from: lineStart + start, to: lineStart + Math.max(start, from + part.trimEnd().length) };
}
