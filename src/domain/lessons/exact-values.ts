/**
 * Exact values of a text: what may not be paraphrased. Numbers with their units, code, flags, paths,
 * addresses, handles, identifiers. Every pattern starts only where a run of its own characters starts,
 * so the time is linear in the length of the text.
 */
const UNITS: Readonly<Record<string, string>> = {
  percent: '%',
  '%': '%',
  milliseconds: 'ms',
  millisecond: 'ms',
  ms: 'ms',
  seconds: 's',
  second: 's',
  secs: 's',
  sec: 's',
  s: 's',
  minutes: 'min',
  minute: 'min',
  mins: 'min',
  min: 'min',
  hours: 'h',
  hour: 'h',
  h: 'h',
  days: 'd',
  day: 'd',
  bytes: 'B',
  byte: 'B',
  kb: 'KB',
  mb: 'MB',
  gb: 'GB',
  tb: 'TB',
  kib: 'KiB',
  mib: 'MiB',
  gib: 'GiB',
};

const CODE = /`([^`\n]{1,400})`/g;
const ADDRESS = /(?<![\w+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`)\]}]+/gi;
const MAIL = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g;
const HANDLE = /(?<![\w@.+-])@[a-z][\w-]*(?:\/[\w.-]+)?/gi;
const FLAG = /(?<![\w-])--?[a-z][\w-]*/gi;
const PATH = /(?<![\w/.~@+-])(?:~|\.{1,2})?(?:[\w@.+-]*\/)+[\w@.+-]*/g;
const FILE = /(?<![\w.@+-])[a-z_][\w-]*(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,7}(?![\w])/gi;
const NUMBER = /(?<![\w.])\d+(?:[.,:_]\d+)*(?:[ \u00a0]?([a-zµ°]{1,12}|%)(?![\w]))?/gi;
const WORD = /(?<!\w)[a-z_]\w*/gi;

/** `read_file`, `readFile`, `ReadFile`, `MAX_SIZE`, `utf8`, `E2BIG`. */
const IDENTIFIER = /^_|\w_\w|[a-z][A-Z]|[A-Z][a-z]+[A-Z]|[A-Za-z]\d/;

/** Abbreviations that look like names of files. */
const NO_FILE = /^(?:e\.g|i\.e|a\.m|p\.m|etc|vs|cf|no)\.?$/i;

/** A path with one slash between plain words is a choice: "and/or", "login/logout". */
const CHOICE = /^[a-z]+\/[a-z]+$/i;

/** Each once, in the order of their kinds and then of the text. */
export function exactValues(text: string): readonly string[] {
  const found = new Set<string>();
  let rest = text;
  const take = (
    sign: string,
    form: RegExp,
    valueOf: (whole: string, inner: unknown) => string | null,
  ): void => {
    if (!rest.includes(sign)) return;
    rest = rest.replaceAll(form, (whole: string, inner: unknown) => {
      const value = valueOf(whole, inner);
      if (value === null || value === '') return whole;
      found.add(value);
      return ' ';
    });
  };
  take('`', CODE, (_whole, inner) => (typeof inner === 'string' ? inner.trim() : null));
  take('://', ADDRESS, bare);
  take('@', MAIL, bare);
  take('@', HANDLE, bare);
  take('-', FLAG, (whole) => (/^-[a-z]{2,}$/i.test(whole) ? null : bare(whole)));
  take('/', PATH, pathOf);
  take('.', FILE, (whole) => (NO_FILE.test(whole) ? null : whole));
  for (const [whole, unit] of rest.matchAll(NUMBER)) found.add(numberOf(whole, unit));
  for (const [word] of rest.matchAll(WORD)) if (IDENTIFIER.test(word)) found.add(word);
  return [...found];
}

function bare(whole: string): string {
  return whole.replace(/[.,:;!?_]+$/, '');
}

function pathOf(whole: string): string | null {
  const path = bare(whole);
  const parts = path.split('/').filter(Boolean);
  const isNoPath =
    parts.length === 0 || CHOICE.test(path) || parts.every((part) => /^\d/.test(part));
  return isNoPath ? null : path;
}

function numberOf(whole: string, unit: string | undefined): string {
  const digits = (/^[\d.,:_]+/.exec(whole)?.[0] ?? whole).replaceAll(/[,_](?=\d{3}(?!\d))/g, '');
  if (unit === undefined) return digits;
  const known = Object.hasOwn(UNITS, unit.toLowerCase()) ? UNITS[unit.toLowerCase()] : undefined;
  const isApart = /[ \u00a0]/.test(whole);
  // "7 attempts" is the number 7; "7ms" and "7 ms" are the same quantity.
  if (isApart) return known === undefined ? digits : digits + known;
  return digits + (known ?? unit);
}

/** The values and words of some texts, asked whether they have a value. */
export class KnownValues {
  readonly #values = new Set<string>();
  readonly #words = new Set<string>();

  constructor(texts: readonly string[]) {
    for (const text of texts) {
      for (const value of exactValues(text)) this.#values.add(value);
      for (const word of text.split(/\s+/)) {
        if (this.#words.has(word)) continue;
        this.#words.add(word);
        this.#words.add(word.replace(/^[("'`[{]{1,9}/, '').replace(/[.,;:!?)"'`\]}]{1,9}$/, ''));
      }
    }
  }

  /** The values, each once, in the order in which the texts have them. */
  get values(): readonly string[] {
    return [...this.#values];
  }

  /** As a value, or word for word: code may stand there without its marks. */
  has(value: string): boolean {
    if (this.#values.has(value) || this.#words.has(value)) return true;
    const words = value.split(/\s+/);
    return words.length > 1 && words.every((word) => this.#words.has(word));
  }
}
