/**
 * What the columns' text means. Stated here and not in `pg.types`, so that a host's global parsers
 * and ours cannot disturb each other.
 */
import { OssatureError } from '../../../domain/kernel/errors.js';

const BOOL = 16;
const INT8 = 20;
const INT4 = 23;
const FLOAT8 = 701;
const BOOL_ARRAY = 1000;
const INT4_ARRAY = 1007;
const TEXT_ARRAY = 1009;
const INT8_ARRAY = 1016;
const FLOAT8_ARRAY = 1022;
const TIMESTAMPTZ = 1184;
const JSONB = 3802;

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [BOOL]: (text) => text === 't',
  [INT8]: Number,
  [INT4]: Number,
  [FLOAT8]: Number,
  [BOOL_ARRAY]: (text) => elementsOf(text).map((element) => element === 't'),
  [INT4_ARRAY]: readWholes,
  [TEXT_ARRAY]: readTexts,
  [INT8_ARRAY]: readWholes,
  [FLOAT8_ARRAY]: readNumbers,
  [TIMESTAMPTZ]: readTime,
  [JSONB]: (text) => JSON.parse(text) as unknown,
};

/** Every other type that we read is a text. */
export function parserOf(oid: number): (text: string) => unknown {
  return parsers[oid] ?? String;
}

function elementsOf(text: string): readonly string[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',');
}

function readNumbers(text: string): readonly number[] {
  return elementsOf(text).map(Number);
}

/** Digit by digit: a text for each element takes longer than all that is made of the numbers. */
function readWholes(text: string): readonly (number | null)[] {
  if (text === '{}') return [];
  const numbers: (number | null)[] = [];
  let [number, sign, isNull] = [0, 1, false];
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= ZERO + 9) number = number * 10 + (code - ZERO);
    else if (code === MINUS) sign = -1;
    else if (code === COMMA || code === CLOSED) {
      numbers.push(isNull ? null : sign * number);
      [number, sign, isNull] = [0, 1, false];
    } else isNull = true;
  }
  return numbers;
}

const ZERO = '0'.charCodeAt(0);
const MINUS = '-'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const CLOSED = '}'.charCodeAt(0);

/** One element: quoted, with backslashes before quotes and backslashes, or bare. */
const ELEMENT = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|([^",{}]+)/g;

/** What stands for no text; the text of these letters is quoted. */
const NOTHING = 'NULL';

function readTexts(text: string): readonly (string | null)[] {
  if (!text.includes('"')) {
    return elementsOf(text).map((element) => (element === NOTHING ? null : element));
  }
  return Array.from(text.matchAll(ELEMENT), ([, quoted, bare]) => {
    if (bare !== undefined) return bare === NOTHING ? null : bare;
    return quoted?.replace(/\\([\s\S])/g, '$1') ?? '';
  });
}

const TIME =
  /^(\d{4,6})-(\d\d)-(\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/;

/** Offsets before standard time have seconds, which `new Date` does not read. */
function readTime(text: string): Date {
  const [, year = '', month, day, clock, fraction = '', sign, hours, minutes = 0, seconds = 0] =
    TIME.exec(text) ?? [];
  const longYear = year.length > 4 ? `+${year.padStart(6, '0')}` : year;
  const local = Date.parse(`${longYear}-${month}-${day}T${clock}${fraction.slice(0, 4)}Z`);
  if (Number.isNaN(local)) {
    throw new OssatureError(
      'STORE_FAILED',
      `The database writes times in a form that cannot be read (${text}): its DateStyle must be ISO.`,
    );
  }
  const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return new Date(local - (sign === '-' ? -offset : offset) * 1000);
}
