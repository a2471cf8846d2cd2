/**
 * English stemming after M. F. Porter, "An algorithm for suffix stripping" (1980): related forms of
 * a word ("connected", "connections") meet in one term. Words of other alphabets are returned as
 * they are. Written as rule tables over the measure m, the number of vowel-consonant sequences.
 */

/** Suffix, replacement: step 2 (m > 0). Sorted so that a longer suffix stands before its own ending. */
const DERIVED: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['eli', 'e'],
];

/** Step 3 (m > 0). */
const ADJECTIVAL: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

/** Step 4 (m > 1); "ion" needs an s or t before it. */
const RESIDUAL: readonly string[] = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'ion',
  'al',
  'er',
  'ic',
  'ou',
];

/** The stem of a lower-case word; words under three letters and words with other signs stay whole. */
export function stemWord(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let stem = withoutInflection(word);
  stem = replaceSuffix(stem, DERIVED);
  stem = replaceSuffix(stem, ADJECTIVAL);
  return withoutFinalE(withoutResidue(stem));
}

/** Step 1: plural, -ed, -ing, and a final y. */
function withoutInflection(word: string): string {
  let stem = word;
  if (/(?:ss|i)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (/[^s]s$/.test(stem)) stem = stem.slice(0, -1);

  if (stem.endsWith('eed')) {
    if (measure(stem.slice(0, -3)) > 0) stem = stem.slice(0, -1);
  } else {
    const inflected = /(?:ed|ing)$/.exec(stem);
    const base = inflected === null ? '' : stem.slice(0, inflected.index);
    if (base !== '' && hasVowel(base)) stem = repaired(base);
  }
  return stem.endsWith('y') && hasVowel(stem.slice(0, -1)) ? `${stem.slice(0, -1)}i` : stem;
}

/** After -ed or -ing was cut: "hop(p)", "fil(e)", "conflat(e)". */
function repaired(base: string): string {
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (/([^aeiouylsz])\1$/.test(base)) return base.slice(0, -1);
  return measure(base) === 1 && endsShort(base) ? `${base}e` : base;
}

function replaceSuffix(word: string, rules: readonly (readonly [string, string])[]): string {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue;
    const base = word.slice(0, word.length - suffix.length);
    return measure(base) > 0 ? base + replacement : word;
  }
  return word;
}

function withoutResidue(word: string): string {
  for (const suffix of RESIDUAL) {
    if (!word.endsWith(suffix)) continue;
    const base = word.slice(0, word.length - suffix.length);
    const allowed = suffix !== 'ion' || /[st]$/.test(base);
    return allowed && measure(base) > 1 ? base : word;
  }
  return word;
}

function withoutFinalE(word: string): string {
  let stem = word;
  if (stem.endsWith('e')) {
    const base = stem.slice(0, -1);
    const m = measure(base);
    if (m > 1 || (m === 1 && !endsShort(base))) stem = base;
  }
  return stem.endsWith('ll') && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}

/** A y counts as a vowel after a consonant. */
function isVowel(word: string, at: number): boolean {
  const letter = word.charAt(at);
  if (letter === 'y') return at > 0 && !isVowel(word, at - 1);
  return 'aeiou'.includes(letter);
}

function hasVowel(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) if (isVowel(word, at)) return true;
  return false;
}

function measure(word: string): number {
  let sequences = 0;
  let afterVowel = false;
  for (let at = 0; at < word.length; at += 1) {
    const vowel = isVowel(word, at);
    if (afterVowel && !vowel) sequences += 1;
    afterVowel = vowel;
  }
  return sequences;
}

/** Consonant, vowel, consonant at the end, the last not w, x or y: the stem lost a silent e. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  return (
    last >= 2 &&
    !isVowel(word, last) &&
    isVowel(word, last - 1) &&
    !isVowel(word, last - 2) &&
    !'wxy'.includes(word.charAt(last))
  );
}
