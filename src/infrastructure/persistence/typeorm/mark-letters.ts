/**
 * What an entry is a sign of, as five letters: kind, author, whether it is active, its sign, and of a
 * result whether it failed. The database writes them, so that no text leaves it: the sign stands in the
 * `fields`, whose keys are in the order in which `entryRow` writes them, so the first or the last of
 * them tell it. The few fields that end otherwise are read whole.
 */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { MarkedEntry } from '../../../domain/session/marked-entry.js';
import type { EntryAuthor, Ruling, ToolEffect } from '../../../domain/session/transcript.js';

const KINDS: Readonly<Record<string, MarkedEntry['kind']>> = {
  u: 'user',
  a: 'assistant',
  t: 'thinking',
  c: 'tool_call',
  r: 'tool_result',
  s: 'system',
  y: 'summary',
  m: 'attachment',
};
const AUTHORS: Readonly<Record<string, EntryAuthor>> = {
  h: 'human',
  a: 'agent',
  t: 'tool',
  s: 'system',
  n: 'harness',
};
const EFFECTS: Readonly<Record<string, ToolEffect>> = { c: 'changes', r: 'reads', o: 'other' };
const RULINGS: Readonly<Record<string, Pick<Ruling, 'ruling'> | null>> = {
  '-': null,
  p: { ruling: 'plan-approved' },
  b: { ruling: 'plan-sent-back' },
  w: { ruling: 'answered' },
};
const YES = '+';
/** Stands for fields that have to be looked at. */
const UNTOLD = '?';

/** Of an entry. */
export const LETTERS = 5;

/** Characters of `fields` at its beginning and its end that signs are taken from. */
const HEAD = 100;
const TAIL = 200;

// No text ends a piece: its own quotes are escaped. An object behind the sign would end in two braces.
const EFFECT = `case when right(sign, 15) = '","spawn":null}' or sign like '%","spawn":null,"model":"%"}'
    then case ${Object.entries(EFFECTS)
      .map(([name, value]) => `when starts_with(sign, '${value}","spawn":null') then '${name}'`)
      .join(' ')} else '${UNTOLD}' end
    else '${UNTOLD}' end`;
const RULING = `case when starts_with(sign, 'null') then '-' ${Object.entries(RULINGS)
  .flatMap(([name, value]) =>
    value === null ? [] : `when starts_with(sign, '{"ruling":"${value.ruling}"') then '${name}'`,
  )
  .join(' ')} else '${UNTOLD}' end`;

/** Columns of an entry that `LETTERS_OF` looks at. */
export const SIGNS = `kind, author, active,
  case when kind in ('tool_result', 'system') then left(fields, 30) end as head,
  case kind when 'tool_call' then split_part(right(fields, ${TAIL}), ',"effect":"', -1)
    when 'tool_result' then split_part(left(fields, ${HEAD}), ',"ruling":', 2) end as sign`;

/** The letters of one entry, as SQL over `SIGNS`. */
export const LETTERS_OF = `${letter('kind', KINDS)} || ${letter('author', AUTHORS)}
  || case when active then '${YES}' else '-' end
  || case kind when 'tool_call' then ${EFFECT} when 'tool_result' then ${RULING}
    when 'system' then ${flag('boundary')} else '-' end
  || case kind when 'tool_result' then ${flag('isError')} else '-' end`;

/** @returns null where the letters do not tell. Literals without spreads: those take thirty times as long. */
export function readMark(
  letters: string,
  at: number,
  seq: number,
  unitId: string,
  turn: number,
  tokenCount: number,
): MarkedEntry | null {
  const kind = KINDS[letters.charAt(at)];
  const author = AUTHORS[letters.charAt(at + 1)];
  const active = letters.charAt(at + 2) === YES;
  const sign = letters.charAt(at + 3);
  const failed = letters.charAt(at + 4);
  if (kind === undefined || author === undefined) {
    throw new OssatureError('STORE_FAILED', `Entry ${seq} is of no kind that is known.`, {
      details: { seq },
    });
  }
  if (sign === UNTOLD || failed === UNTOLD) return null;
  if (kind === 'tool_call') {
    const effect = EFFECTS[sign] ?? 'other';
    return { seq, unitId, turn, tokenCount, active, author, kind, effect, spawn: null };
  }
  if (kind === 'tool_result') {
    const [isError, ruling] = [failed === YES, RULINGS[sign] ?? null];
    return { seq, unitId, turn, tokenCount, active, author, kind, isError, ruling };
  }
  if (kind === 'system') {
    return { seq, unitId, turn, tokenCount, active, author, kind, boundary: sign === YES };
  }
  return { seq, unitId, turn, tokenCount, active, author, kind };
}

function letter(value: string, letters: Readonly<Record<string, string>>): string {
  const cases = Object.entries(letters).map(([name, meant]) => `when '${meant}' then '${name}'`);
  return `case ${value} ${cases.join(' ')} else '${UNTOLD}' end`;
}

/** The first of the fields, which is a boolean. */
function flag(name: string): string {
  return `case when starts_with(head, '{"${name}":true') then '${YES}'
    when starts_with(head, '{"${name}":false') then '-' else '${UNTOLD}' end`;
}
