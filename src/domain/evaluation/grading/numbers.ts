/** Numbers with their units, as texts write them. */

export interface Measured {
  /** Digits without thousands marks, such as `1204.5`. */
  readonly digits: string;
  /** Empty: none. */
  readonly unit: string;
  /** Where it stands in the text. */
  readonly at: number;
}

/** Between a number and its unit, as in "14 tests passed". */
const COUNTED = '(?:(?:unit )?tests? |test cases? )?';

const NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}_./:@#-])(-?\\d{1,3}(?:[,_'\u202f ]\\d{3})+(?!\\d)|-?\\d+)(\\.\\d+)?(?![\\p{N}_])(?:[ \u00a0\u202f]?${COUNTED}(%|[\\p{L}µ°]+(?:/[\\p{L}]+)?))?`,
  'gu',
);

/** Words that follow a number and are no unit. */
const NO_UNIT =
  /^(?:and|or|of|in|on|at|to|for|with|was|were|is|are|when|after|before|but|as|it|the|then|by|from)$/i;

/** Every number that is no part of a name, path, time or version. */
export function numbersIn(text: string): readonly Measured[] {
  return [...text.matchAll(NUMBER)].flatMap((match) => {
    const [whole, integer = '', fraction = '', unit = ''] = match;
    const end = match.index + whole.length;
    // `10:32`, `1.2.3` and `3-a` are names, not numbers.
    const isJoined = unit === '' && /^[.:/_-][\p{L}\p{N}]/u.test(text.slice(end, end + 2));
    if (isJoined) return [];
    return [
      {
        digits: plain(integer) + withoutZeros(fraction),
        unit: NO_UNIT.test(unit) ? '' : unit,
        at: match.index,
      },
    ];
  });
}

/** The one number that a value is; null where it is none or several. */
export function parseMeasured(value: string): Measured | null {
  const found = numbersIn(value);
  return found.length === 1 ? (found[0] ?? null) : null;
}

export function sameUnit(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function plain(integer: string): string {
  const bare = integer.replaceAll(/[,_'\u202f ]/g, '');
  return bare.replace(/^(-?)0+(?=\d)/, '$1');
}

function withoutZeros(fraction: string): string {
  return fraction.replace(/0+$/, '').replace(/\.$/, '');
}
