/**
 * What is taken out of lessons beside what the core's redaction finds. Lessons are short advice that is
 * served for ever and to many, so doubt decides against a text: an exemption needs evidence. Transcripts
 * are code, where the same rules would take out times, names and constants.
 *
 * Every pattern starts only where a run of its own characters starts and looks a bounded distance ahead.
 * Placeholders carry no digest: a card number could be guessed from one.
 */
import { type Redact, placeholderOf } from '../redaction/redact.js';

interface Shape {
  readonly type: string;
  /** Its group `secret` is replaced. */
  readonly expression: RegExp;
  readonly accepts?: (secret: string, following: string) => boolean;
  /** Left out: a placeholder of the type. */
  readonly shown?: string;
}

/** Digits of a card number. */
const FEWEST_DIGITS = 13;
const MOST_DIGITS = 19;

const SHAPES: readonly Shape[] = [
  {
    type: 'card-number',
    expression: new RegExp(
      `(?<![\\w.,-])(?<secret>\\d(?:[ -]?\\d){${FEWEST_DIGITS - 1},${MOST_DIGITS - 1}})(?![\\w-]|[.,]\\d)`,
      'g',
    ),
    accepts: isCardNumber,
  },
  {
    type: 'email',
    expression:
      /(?<![\w.+@-])(?<secret>@*[\w.+-]{1,64}@(?:[\w.+-]{0,64}@)*)(?=[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.[a-z]{2,24}(?![\w-]))/gi,
    accepts: (secret) => !NO_PERSON.test(secret),
    shown: '',
  },
  {
    type: 'mapbox-token',
    expression: /(?<![\w-])(?<secret>[ps]k\.eyJ[\w-]{8,}\.[\w-]{8,})/g,
  },
  {
    type: 'square-token',
    expression: /(?<![\w-])(?<secret>sq0[a-z]{3}-[\w-]{22,}|EAAA[\w-]{40,})/g,
  },
  {
    type: 'digitalocean-token',
    expression: /(?<![\w-])(?<secret>do[opr]_v1_[0-9a-f]{40,})/g,
  },
  {
    type: 'google-token',
    expression: /(?<![\w-])(?<secret>ya29\.[\w-]{20,})/g,
  },
  {
    type: 'telegram-token',
    expression: /(?<![\w-])(?<secret>\d{8,10}:AA[\w-]{32,34})(?![\w-])/g,
  },
  {
    type: 'discord-token',
    expression: /(?<![\w-])(?<secret>[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,})/g,
  },
  {
    type: 'authorization',
    expression: /\bbearer\s{1,4}(?<secret>[\w.~+/=-]{20,})/gi,
    accepts: (secret) => !isExempt(secret),
  },
  {
    type: 'assignment',
    expression:
      /(?:password|passwd|pwd|passphrase|secret|credentials?|(?:(?<![a-z])|access|auth|bearer|refresh|session|id|api)token|(?:api|access|account|auth|private|secret)[_-]?key)["']?\s{0,4}(?::=|=>|=|:)\s{0,4}["'`]?(?<secret>[\w+/=.~!@#%^&*$-]{6,})/gi,
    accepts: (secret, following) => following !== '(' && !isExempt(secret),
  },
];

/** What was taken out may leave a neighbour that is one more find; each round takes from what is left. */
const MOST_ROUNDS = 10;

/** The redaction of the core, then the shapes of lessons. Applied again, it changes nothing. */
export function redactLesson(redact: Redact): Redact {
  return (text) => {
    const found: Record<string, number> = {};
    let current = text;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const { text: redacted, redactions } = redact(current);
      for (const type in redactions) found[type] = (found[type] ?? 0) + (redactions[type] ?? 0);
      const next = withoutShapes(redacted, found);
      if (next === current) break;
      current = next;
    }
    return { text: current, redactions: found };
  };
}

/** @param found counts, to which what is found is added. */
function withoutShapes(text: string, found: Record<string, number>): string {
  let current = text;
  for (const { type, expression, accepts = () => true, shown } of SHAPES) {
    const parts: string[] = [];
    let from = 0;
    for (const match of current.matchAll(expression)) {
      const secret = match.groups?.['secret'] ?? '';
      const start = match.index + match[0].length - secret.length;
      const end = start + secret.length;
      if (!accepts(secret, current.slice(end, end + 1))) continue;
      parts.push(current.slice(from, start), shown ?? placeholderOf(type));
      from = end;
      found[type] = (found[type] ?? 0) + 1;
    }
    if (parts.length > 0) current = parts.join('') + current.slice(from);
  }
  return current;
}

/** Addresses that nobody reads, and the account that code hosts give to everybody. */
const NO_PERSON = /^(?:(?:.*[.+_-])?(?:no-?reply|do-?not-?reply)(?:[.+_-].*)?|git)@$/i;

/** The check digit of ISO/IEC 7812 (Luhn). */
function isCardNumber(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '');
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0 && /[1-9]/.test(digits);
}

/** Evidence that it is no secret: a reference to one, a mask, a word of a language, the name of a resource. */
function isExempt(value: string): boolean {
  return [REFERENCE, KEYWORD, PARTED, CAMEL].some((form) => form.test(value));
}

const REFERENCE =
  /^(?:\$|%\w+%|process\.env|os\.environ|env\.|secrets?\.|vars?\.)|^(?:[*x]+|\.{3,})$/i;

const KEYWORD =
  /^(?:include|omit|same-origin|undefined|required|optional|string|number|boolean|object|secret|password|redacted|changeme|example)$/i;

/** `db_password`, `SECRET_NAME`, `apiKey`: what it is called, not what it is. */
const PARTED =
  /^[a-z][\w.-]*[_.-](?:key|token|secret|password|name|id|file|path|url|ref|env|var|arn|manager|vault|store|service|provider|policy|role)s?$/i;
const CAMEL =
  /^[a-z][A-Za-z]*(?:Key|Token|Secret|Password|Name|Id|File|Path|Url|Ref|Manager|Vault|Store|Service|Provider|Policy|Role)s?$/;
