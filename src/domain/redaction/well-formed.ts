/**
 * Ill-formed text is repaired once, on the way in: a lone surrogate cannot be sent as UTF-8, and
 * U+0000 cannot be stored by Postgres.
 */
export interface RepairedText {
  readonly text: string;
  /** Characters replaced by U+FFFD. */
  readonly repaired: number;
}

const LONE_SURROGATE = /\p{Surrogate}/gu;
const REPLACEMENT = '\uFFFD';

/** Replaces every lone surrogate and every U+0000 by U+FFFD. Linear in the length of the text. */
export function makeWellFormed(text: string): RepairedText {
  if (text.isWellFormed() && !text.includes('\u0000')) return { text, repaired: 0 };
  let repaired = 0;
  const replace = (): string => {
    repaired += 1;
    return REPLACEMENT;
  };
  const paired = text.replace(LONE_SURROGATE, replace);
  return { text: paired.replaceAll('\u0000', replace), repaired };
}
