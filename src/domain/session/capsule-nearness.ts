/** How near texts are to a goal, by the words they share with it. */

/** Shorter words say little in any language that parts words by spaces. */
const MIN_LENGTH = 3;

/** Words and parts of names, in lower case: `createReset` gives `create` and `reset`. */
function wordsOf(text: string): readonly string[] {
  const words = text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return [...new Set((words ?? []).filter((word) => word.length >= MIN_LENGTH || !isLatin(word)))];
}

/**
 * Of each text, the share of the goal's words that it holds, 0 to 1. A word that many of the texts
 * hold weighs less.
 */
export function nearness(texts: readonly string[], goal: string): readonly number[] {
  const wanted = wordsOf(goal);
  const held = texts.map((text) => new Set(wordsOf(text)));
  const weights = wanted.map((word) => {
    const holders = held.filter((words) => words.has(word)).length;
    return Math.log(1 + texts.length / Math.max(1, holders));
  });
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return held.map((words) => {
    const shared = wanted.reduce(
      (sum, word, index) => (words.has(word) ? sum + (weights[index] ?? 0) : sum),
      0,
    );
    return whole === 0 ? 0 : shared / whole;
  });
}

function isLatin(word: string): boolean {
  return /^[\p{Script=Latin}\p{N}]+$/u.test(word);
}
