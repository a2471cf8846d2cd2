/**
 * One pass over a text that tells which rules of redaction may find anything in it. Nearly all texts
 * hold no secret, and one pass costs less than a search for the words of every rule.
 *
 * A mark is necessary, never sufficient: where it is missing, its rule cannot match. The pass stops at
 * characters of which every match holds one, and looks a bounded distance around them.
 */

/** Bits; a text has a sum of them. */
export const MARK = {
  privateKey: 1,
  sk: 2,
  stripe: 4,
  github: 8,
  gitlab: 16,
  aws: 32,
  google: 64,
  slack: 128,
  npm: 256,
  huggingface: 512,
  sendgrid: 1_024,
  pypi: 2_048,
  webToken: 4_096,
  urlPassword: 8_192,
  authorization: 16_384,
  bearer: 32_768,
  assignment: 65_536,
} as const;

/** Internal: a URL began, and whether it holds a password is told by an `@` behind it. */
const URL_BEGAN = 131_072;

const CODE = {
  quote: 0x22,
  apostrophe: 0x27,
  dash: 0x2d,
  colon: 0x3a,
  equals: 0x3d,
  at: 0x40,
  upperA: 0x41,
  upperB: 0x42,
  upperG: 0x47,
  upperI: 0x49,
  upperJ: 0x4a,
  upperK: 0x4b,
  upperS: 0x53,
  backslash: 0x5c,
  underscore: 0x5f,
  b: 0x62,
  d: 0x64,
  e: 0x65,
  f: 0x66,
  i: 0x69,
  k: 0x6b,
  l: 0x6c,
  m: 0x6d,
  n: 0x6e,
  s: 0x73,
  t: 0x74,
  y: 0x79,
} as const;

/** Makes an ASCII letter small. */
const TO_LOWER = 0x20;

const TRIGGERS = new Uint8Array(0x10000);
for (const character of '-_AGJ:=@bB') TRIGGERS[character.charCodeAt(0)] = 1;

/** A sum of marks. Linear in the length of the text. */
export function secretMarks(text: string): number {
  let marks = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (TRIGGERS[code] === 1) marks |= marksAt(text, at, code, marks);
  }
  return marks & ~URL_BEGAN;
}

// By codes, as a text of one character is made for every comparison of characters.
function marksAt(text: string, at: number, code: number, marks: number): number {
  switch (code) {
    case CODE.dash:
      return marksAtDash(text, at);
    case CODE.underscore:
      return marksAtUnderscore(text, at);
    case CODE.upperA:
      return marksAtUpperA(text, at);
    case CODE.upperG:
      return isAt(text, 'SG.', at - 1) ? MARK.sendgrid : 0;
    case CODE.upperJ:
      return isAt(text, 'eyJ', at - 2) ? MARK.webToken : 0;
    case CODE.at:
      return marks & URL_BEGAN ? MARK.urlPassword : 0;
    case CODE.b:
    case CODE.upperB:
      return isWordAt(text, 'bearer', at) ? MARK.bearer : 0;
    case CODE.colon:
      return (isAt(text, '//', at + 1) ? URL_BEGAN : 0) | marksOfName(text, at);
    default:
      return marksOfName(text, at);
  }
}

function marksAtDash(text: string, at: number): number {
  switch (text.charCodeAt(at - 1)) {
    case CODE.k:
      return isAt(text, 'sk-', at - 2) ? MARK.sk : 0;
    case CODE.t:
      return isAt(text, 'glpat-', at - 5) ? MARK.gitlab : 0;
    case CODE.i:
      return isAt(text, 'pypi-', at - 4) ? MARK.pypi : 0;
    case CODE.dash:
      return isAt(text, '-BEGIN ', at) ? MARK.privateKey : 0;
    default:
      return isAt(text, 'xox', at - 4) || isAt(text, 'xapp-', at - 4) ? MARK.slack : 0;
  }
}

function marksAtUnderscore(text: string, at: number): number {
  switch (text.charCodeAt(at - 1)) {
    case CODE.k:
      return isAt(text, 'live_', at + 1) || isAt(text, 'test_', at + 1) ? MARK.stripe : 0;
    case CODE.m:
      return isAt(text, 'npm_', at - 3) ? MARK.npm : 0;
    case CODE.f:
      return isAt(text, 'hf_', at - 2) ? MARK.huggingface : 0;
    default:
      return isAt(text, 'gh', at - 3) || isAt(text, 'github_', at - 6) ? MARK.github : 0;
  }
}

function marksAtUpperA(text: string, at: number): number {
  switch (text.charCodeAt(at + 1)) {
    case CODE.upperK:
    case CODE.upperS:
      return isAt(text, 'KIA', at + 1) || isAt(text, 'SIA', at + 1) ? MARK.aws : 0;
    case CODE.upperI:
      return isAt(text, 'AIza', at) ? MARK.google : 0;
    default:
      return 0;
  }
}

/** Blanks that the rules allow between a name and the sign behind it. */
const LONGEST_GAP = 4;

/** @param at of a sign behind which a value may stand, and before which a name. */
function marksOfName(text: string, at: number): number {
  let end = at;
  while (end > 0 && at - end < LONGEST_GAP && isBlank(text.charCodeAt(end - 1))) end -= 1;
  const last = text.charCodeAt(end - 1);
  if (last === CODE.quote || last === CODE.apostrophe) end -= 1;
  if (text.charCodeAt(end - 1) === CODE.backslash) end -= 1;
  switch (text.charCodeAt(end - 1) | TO_LOWER) {
    case CODE.d:
      return endsIn(text, 'wd', end) || endsIn(text, 'password', end) ? MARK.assignment : 0;
    case CODE.e:
      return endsIn(text, 'passphrase', end) ? MARK.assignment : 0;
    case CODE.t:
      return endsIn(text, 'secret', end) ? MARK.assignment : 0;
    case CODE.l:
      return endsIn(text, 'credential', end) ? MARK.assignment : 0;
    case CODE.s:
      return endsIn(text, 'credentials', end) ? MARK.assignment : 0;
    case CODE.y:
      return endsIn(text, 'key', end) ? MARK.assignment : 0;
    case CODE.n:
      if (endsIn(text, 'token', end)) return MARK.assignment;
      return endsIn(text, 'authorization', end) ? MARK.authorization : 0;
    default:
      return 0;
  }
}

/** Every character that a pattern takes for a blank, and more. */
function isBlank(unit: number): boolean {
  return unit <= 0x20 || unit >= 0x80;
}

function isAt(text: string, searched: string, at: number): boolean {
  if (at < 0 || at + searched.length > text.length) return false;
  for (let index = 0; index < searched.length; index += 1) {
    if (text.charCodeAt(at + index) !== searched.charCodeAt(index)) return false;
  }
  return true;
}

function endsIn(text: string, word: string, end: number): boolean {
  return isWordAt(text, word, end - word.length);
}

/** @param word in lower-case letters; the text may have it in any case. */
function isWordAt(text: string, word: string, at: number): boolean {
  if (at < 0 || at + word.length > text.length) return false;
  for (let index = word.length - 1; index >= 0; index -= 1) {
    if ((text.charCodeAt(at + index) | TO_LOWER) !== word.charCodeAt(index)) return false;
  }
  return true;
}
