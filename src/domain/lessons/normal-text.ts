/** When two texts say the same words: form, case and blanks play no part. */
import type { Digest } from '../kernel/measures.js';

export function normalText(text: string): string {
  return text.normalize('NFKC').toLowerCase().split(/\s+/u).filter(Boolean).join(' ');
}

/** Equal for texts of the same words. */
export function fingerprintOf(text: string, digest: Digest): string {
  return digest(normalText(text));
}

/** Places of a word that are looked at; a text that repeats one word for ever is read no further. */
const LOOKED_AT = 200;

/** A text that is asked again and again whether it says a stretch of words. */
export class SpokenText {
  readonly #words: readonly string[];
  readonly #places = new Map<string, number[]>();

  constructor(text: string) {
    this.#words = normalText(text).split(' ');
    for (const [place, word] of this.#words.entries()) {
      const places = this.#places.get(word);
      if (places === undefined) this.#places.set(word, [place]);
      else if (places.length < LOOKED_AT) places.push(place);
    }
  }

  /** Whether these words stand in it, one after another. No words: nothing is said. */
  says(stretch: string): boolean {
    const wanted = normalText(stretch).split(' ');
    if (wanted[0] === '') return false;
    let rarest = 0;
    let places: readonly number[] = this.#places.get(wanted[0] ?? '') ?? [];
    for (const [at, word] of wanted.entries()) {
      const found = this.#places.get(word);
      if (found === undefined) return false;
      if (found.length < places.length) [rarest, places] = [at, found];
    }
    return places.some((place) =>
      wanted.every((word, at) => this.#words[place - rarest + at] === word),
    );
  }
}

/** Whether one text holds the other's characters, blanks and case aside: for spans, which cut words. */
export function holdsText(text: string, stretch: string): boolean {
  const wanted = normalText(stretch);
  return wanted !== '' && normalText(text).includes(wanted);
}

/** The text up to so many characters, never cut inside one that a reader sees as one. */
export function cutAt(text: string, characters: number): string {
  if (text.length <= characters) return text;
  let end = 0;
  for (const { index, segment } of GRAPHEMES.segment(
    text.slice(0, characters + LONGEST_CHARACTER),
  )) {
    if (index + segment.length > characters) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** UTF-16 units read beyond a cut, so that the character that stands across it is seen whole. */
const LONGEST_CHARACTER = 64;

const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });
