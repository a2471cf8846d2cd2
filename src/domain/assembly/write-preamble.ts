/**
 * Stage 9: a few sentences that tell the model where its context comes from and what it lacks. When
 * there is no room for all of them, the least needed go first.
 */
import { RunTable } from '../relevance/run-table.js';
import { forEachRun, termsOfRun } from '../relevance/words.js';
import { EXCLUSION_REASONS, type ShownFragment } from './assembly-fragment.js';
import type { PreambleGenerator, Provenance } from './assembly-stages.js';

/** Words of the query that are named as found nowhere. */
const MOST_UNKNOWN_WORDS = 5;
/** Characters of the query that are looked at, as many as the relevance scorer reads. */
const LONGEST_QUERY = 20_000;
/** Characters of a word that is worth naming. */
const SHORTEST_WORD = 3;
/** Characters of a named word or strategy. */
const LONGEST_NAME = 60;

export const writePreamble: PreambleGenerator = (provenance, { maxTokens, count }) => {
  const sentences = [
    sourcesOf(provenance),
    failuresOf(provenance),
    unknownWordsOf(provenance),
    omissionsOf(provenance),
  ].filter((sentence) => sentence !== '');
  for (let length = sentences.length; length > 0; length -= 1) {
    const text = sentences.slice(0, length).join(' ');
    if (count(text) <= maxTokens) return text;
  }
  return '';
};

function sourcesOf({ strategies, skeleton }: Provenance): string {
  const used = strategies
    .filter(({ fragments }) => fragments > 0)
    .map(
      ({ name, confidence, fragments }) =>
        `${clip(name)} (confidence ${confidence.toFixed(2)}, ${counted(fragments, 'fragment')})`,
    );
  const inherited =
    skeleton.length === 0
      ? []
      : [`an inherited skeleton (${counted(skeleton.length, 'fragment')})`];
  const sources = [...inherited, ...used];
  return sources.length === 0 ? '' : `Context assembled from ${sources.join(', ')}.`;
}

function failuresOf({ strategies }: Provenance): string {
  const failed = strategies.flatMap(({ name, failure }) =>
    failure === null ? [] : [`${clip(name)} (${failure.reason})`],
  );
  return failed.length === 0 ? '' : `Gaps: nothing came from ${failed.join(', ')}.`;
}

function unknownWordsOf({ query, shown, skeleton }: Provenance): string {
  if (shown.length + skeleton.length === 0) return '';
  const wanted = wordsOf(query.slice(0, LONGEST_QUERY));
  const unknown = unmentioned(wanted, [...skeleton, ...shown]);
  if (unknown.length === 0) return '';
  const words = unknown.map((word) => JSON.stringify(clip(word)));
  const more = words.length > MOST_UNKNOWN_WORDS ? ' and more' : '';
  return `Gaps: no fragment mentions ${words.slice(0, MOST_UNKNOWN_WORDS).join(', ')}${more}.`;
}

/** Single characters and pairs of them stand for words only in scripts without spaces. */
function isWord(start: number, end: number): boolean {
  return end - start >= SHORTEST_WORD;
}

/** The words of a text, each with the terms that it stands for; what stands for none is left out. */
function wordsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, readonly string[]>();
  forEachRun(text, (start, end) => {
    if (!isWord(start, end)) return;
    const word = text.slice(start, end);
    const terms = words.get(word) ?? termsOfRun(word);
    if (terms.length > 0) words.set(word, terms);
  });
  return words;
}

/** The words of which no fragment holds a term, in their order. */
function unmentioned(
  words: ReadonlyMap<string, readonly string[]>,
  fragments: readonly ShownFragment[],
): readonly string[] {
  const wordsOfTerm = new Map<string, string[]>();
  for (const [word, terms] of words) {
    for (const term of terms) wordsOfTerm.set(term, [...(wordsOfTerm.get(term) ?? []), word]);
  }
  const missing = new Set(words.keys());
  const known = new RunTable<readonly string[]>();
  const meantBy = (run: string): readonly string[] =>
    termsOfRun(run).flatMap((term) => wordsOfTerm.get(term) ?? []);
  for (const { content } of fragments) {
    if (missing.size === 0) break;
    forEachRun(content, (start, end) => {
      if (!isWord(start, end)) return;
      for (const word of known.valueOf(content, start, end, meantBy)) missing.delete(word);
    });
  }
  return [...missing];
}

function omissionsOf({ excluded }: Provenance): string {
  // A duplicate is no omission: what it repeats is there.
  const counts = EXCLUSION_REASONS.filter((reason) => reason !== 'duplicate')
    .map((reason) => ({
      reason,
      fragments: excluded.filter((one) => one.reason === reason).length,
    }))
    .filter(({ fragments }) => fragments > 0);
  if (counts.length === 0) return '';
  return `Left out: ${counts.map(({ reason, fragments }) => `${fragments} ${reason}`).join(', ')}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function clip(text: string): string {
  return text.length <= LONGEST_NAME ? text : `${text.slice(0, LONGEST_NAME)}…`;
}
