/** Secrets out of text, before anything is counted, hashed, stored or sent. */
import type { Digest } from '../kernel/measures.js';
import { REDACTION_RULES, type RedactionRule } from './redaction-rules.js';

export interface RedactedText {
  readonly text: string;
  /** How many secrets of each type were replaced; types that did not occur are absent. */
  readonly redactions: Readonly<Record<string, number>>;
}

/**
 * The port of redaction: called with every text that comes in, well-formed already. Must be
 * deterministic and linear in the length of the text; never throws.
 */
export type Redact = (text: string) => RedactedText;

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
  return (text) => {
    const redactions: Record<string, number> = {};
    let current = text;
    for (const { type, find } of rules) {
      const spans = find(current);
      if (spans.length === 0) continue;
      const parts: string[] = [];
      let from = 0;
      for (const { start, end } of spans) {
        parts.push(
          current.slice(from, start),
          placeholder(type, current.slice(start, end), keyedDigest),
        );
        from = end;
      }
      parts.push(current.slice(from));
      current = parts.join('');
      redactions[type] = (redactions[type] ?? 0) + spans.length;
    }
    return { text: current, redactions };
  };
}

export function placeholder(type: string, secret: string, keyedDigest: Digest): string {
  return `[redacted:${type}:${keyedDigest(secret).slice(0, SHOWN_DIGITS)}]`;
}
