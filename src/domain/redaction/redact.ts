/** Secrets out of text, before anything is counted, hashed, stored or sent. */
import type { Digest } from '../kernel/measures.js';
import { REDACTION_RULES, type RedactionRule } from './redaction-rules.js';
import { secretMarks } from './secret-marks.js';

export interface RedactedText {
  readonly text: string;
  /** How many secrets of each type were replaced; types that did not occur are absent. */
  readonly redactions: Readonly<Record<string, number>>;
}

/**
 * The port of redaction: called with every text that comes in, well-formed already. Must be
 * deterministic and linear in the length of the text; never throws.
 */
export interface Redact {
  (text: string): RedactedText;
  /**
   * Changes whenever the same text would lose other parts. A source that the store knows by its digest
   * is not read again while it stays; left out: it always is.
   */
  readonly rules?: string;
}

/** Of `REDACTION_RULES`: to be changed with them. */
const RULES_VERSION = 'ossature-2';

const NOTHING: RedactedText['redactions'] = {};

/** Hexadecimal digits of the keyed digest shown in a placeholder. */
const SHOWN_DIGITS = 8;

/**
 * @param keyedDigest a digest under a key of the tenant: equal secrets give equal placeholders, and
 * without the key nobody can test a guess against one.
 */
export function redactWith(
  keyedDigest: Digest,
  rules: readonly RedactionRule[] = REDACTION_RULES,
): Redact {
  const areMarked = rules.every(({ mark }) => mark !== undefined);
  const redact = (text: string): RedactedText => {
    let marks = secretMarks(text);
    if (marks === 0 && areMarked) return { text, redactions: NOTHING };
    const redactions: Record<string, number> = {};
    let current = text;
    for (const { type, mark, find } of rules) {
      if (mark !== undefined && (marks & mark) === 0) continue;
      const text = current;
      const spans = find(text).filter(({ start }) => !isInPlaceholder(text, start));
      if (spans.length === 0) continue;
      const parts: string[] = [];
      let from = 0;
      for (const { start, end } of spans) {
        const shown = placeholder(type, text.slice(start, end), keyedDigest);
        parts.push(text.slice(from, start), shown);
        // No word that is marked for reaches over a bracket: nothing else can be new in the text.
        marks |= secretMarks(shown);
        from = end;
      }
      parts.push(text.slice(from));
      current = parts.join('');
      redactions[type] = (redactions[type] ?? 0) + spans.length;
    }
    return { text: current, redactions };
  };
  return rules === REDACTION_RULES ? Object.assign(redact, { rules: RULES_VERSION }) : redact;
}

/** Leaves every text as it is: for what went through redaction before, or where it is switched off. */
export const NO_REDACTION: Redact = (text) => ({ text, redactions: NOTHING });

/** Longest placeholder up to its digits, in UTF-16 units; bounds the look back. */
const PLACEHOLDER_LIMIT = 60;

const PLACEHOLDER_START = '[redacted:';

const OPEN_PLACEHOLDER = /\[redacted:[a-z0-9-]{1,40}:?[0-9a-f]{0,8}$/;

/** A placeholder of one rule is no find of a later one: `[redacted:url-password:…` looks like an assignment. */
function isInPlaceholder(text: string, at: number): boolean {
  return OPEN_PLACEHOLDER.test(text.slice(Math.max(0, at - PLACEHOLDER_LIMIT), at));
}

/** A placeholder that does not tell equal secrets apart from others. */
export function placeholderOf(type: string): string {
  return `${PLACEHOLDER_START}${type}]`;
}

export function placeholder(type: string, secret: string, keyedDigest: Digest): string {
  return `${PLACEHOLDER_START}${type}:${keyedDigest(secret).slice(0, SHOWN_DIGITS)}]`;
}
