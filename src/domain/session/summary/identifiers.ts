/** Identifiers in a text, and whether they stand in another: what a summarizer must not invent. */

export type IdentifierKind = 'url' | 'path' | 'hash' | 'code' | 'symbol' | 'number';

export interface Identifier {
  readonly kind: IdentifierKind;
  readonly text: string;
}

/** Handles of our own; they are looked up, not found in the span. */
const HANDLE = /\b(?:entry|file|section|cycle):[\w./*-]+|(?<![\w/])#\d+\b/g;

/** In this order: what one form has taken is not looked at by the next. */
const FORMS: readonly (readonly [IdentifierKind, RegExp])[] = [
  ['url', /\bhttps?:\/\/[^\s<>"'`)\]}]+/g],
  // A quotation with blanks is a command or a snippet; what it names is looked at by itself.
  ['symbol', /`([^`\s]{1,200})`/g],
  [
    'path',
    /(?<![\w.])(?:~|\.{1,2})?(?:[\w@.+-]*\/)+[\w@.+-]*\w\b|\b[\w@+-][\w@.+-]*\.[a-z][a-z0-9]{0,7}\b/gi,
  ],
  ['hash', /\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/gi],
  ['code', /\b(?:[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+|[A-Z]{1,8}\d{2,6})\b/g],
  ['number', /\d[\d,.:_]*\d/g],
];

/** Abbreviations that look like file names. */
const NO_PATH = /^(?:e\.g|i\.e|vs|etc|cf|a\.m|p\.m)\.?$/i;

/** Two words joined by a slash, as in "login/logout", may be no path: it is enough that both are known. */
const SLASHED_WORDS = /^[a-z]+\/[a-z]+$/i;

/** Words up to this length need not be known: "and/or", "I/O". */
const SHORT_WORD = 3;

/** Looked at, in UTF-16 units: far above what an item may hold, so longer ones are refused for their size. */
const LOOKED_AT = 8_000;

/** Each once, in the order of their kinds. */
export function identifiersOf(text: string): readonly Identifier[] {
  const found = new Map<string, Identifier>();
  let rest = text.slice(0, LOOKED_AT).replaceAll(HANDLE, ' ');
  for (const [kind, form] of FORMS) {
    rest = rest.replaceAll(form, (whole: string, quoted: unknown) => {
      const bare = typeof quoted === 'string' ? quoted.trim() : whole.replace(/[.,:;_]+$/, '');
      const isIdentifier = bare !== '' && !(kind === 'path' && NO_PATH.test(bare));
      if (isIdentifier) found.set(`${kind} ${bare}`, { kind, text: bare });
      return isIdentifier ? ' ' : whole;
    });
  }
  return [...found.values()];
}

/** From so many searches on, the words of the texts are looked up before the texts are searched. */
const SEARCHES = 50;

/** Of the texts, in UTF-16 units, that words are kept of. */
const INDEXED = 4_000_000;

/** What parts words and is part of none by any measure of `occurs`. */
const BETWEEN_WORDS = /[\s"'`()[\]{}<>,;]+/;
const BEHIND_WORD = /[.:!?]+$/;

/** Where identifiers may come from. The texts are searched as they are, without being joined. */
export class KnownTexts {
  readonly #found = new Map<string, boolean>();
  #lowered: readonly string[] | null = null;
  #words: ReadonlySet<string> | null = null;

  constructor(private readonly texts: readonly string[]) {}

  holds({ kind, text }: Identifier): boolean {
    const key = `${kind} ${text}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const forms = formsOf(kind, text);
    const isWhole =
      forms.some((form) => this.#isWord(form)) ||
      forms.some((form) => this.texts.some((corpus) => occurs(corpus, form, kind)));
    const holds = isWhole || (kind === 'path' && this.#tellsBoth(text));
    this.#found.set(key, holds);
    return holds;
  }

  /** Word for word, anywhere. */
  includes(stretch: string): boolean {
    return this.texts.some((corpus) => corpus.includes(stretch));
  }

  /** In whatever case, anywhere. */
  tells(words: string): boolean {
    this.#lowered ??= this.texts.map((text) => text.toLowerCase());
    return this.#lowered.some((corpus) => corpus.includes(words.toLowerCase()));
  }

  /** A word of a text occurs there as a whole. The reverse does not hold: then the texts are searched. */
  #isWord(text: string): boolean {
    if (this.#found.size < SEARCHES) return false;
    this.#words ??= wordsOf(this.texts);
    return this.#words.has(text);
  }

  #tellsBoth(path: string): boolean {
    return (
      SLASHED_WORDS.test(path) &&
      path.split('/').every((word) => word.length <= SHORT_WORD || this.tells(word))
    );
  }
}

function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>();
  let looked = 0;
  for (const text of texts) {
    looked += text.length;
    if (looked > INDEXED) break;
    for (const word of text.split(BETWEEN_WORDS)) words.add(word.replace(BEHIND_WORD, ''));
  }
  return words;
}

function formsOf(kind: IdentifierKind, text: string): readonly string[] {
  switch (kind) {
    case 'path':
      return [...new Set([text, text.replace(/^\.\//, '')])];
    case 'number':
      return [...new Set([text, text.replaceAll(/[,_](?=\d{3})/g, ''), grouped(text)])];
    case 'hash':
      return [...new Set([text, text.toLowerCase()])];
    case 'url':
    case 'code':
    case 'symbol':
      return [text];
  }
}

/** 12345 as 12,345. */
function grouped(digits: string): string {
  return /^\d{4,}$/.test(digits) ? digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ',') : digits;
}

/** As a whole: `src/a.ts` does not occur in `src/a.tsx`, 12 not in 3120; a hash may be shortened. */
function occurs(corpus: string, wanted: string, kind: IdentifierKind): boolean {
  const isPart = kind === 'number' ? isDigit : isWord;
  for (let at = corpus.indexOf(wanted); at >= 0; at = corpus.indexOf(wanted, at + 1)) {
    const isCutBefore = isPart(wanted, 0) && isPart(corpus, at - 1);
    const isCutAfter =
      kind !== 'hash' && isPart(wanted, wanted.length - 1) && isPart(corpus, at + wanted.length);
    if (!isCutBefore && !isCutAfter) return true;
  }
  return false;
}

function isDigit(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0x30 && code <= 0x39;
}

function isWord(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return isLetter || code === 0x5f || isDigit(text, index);
}
