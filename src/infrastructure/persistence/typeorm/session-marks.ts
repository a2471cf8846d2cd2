/**
 * Marks of entries, read as columns: a row with a parser for each entry costs more than all that is
 * decided from them. What an entry is a sign of stands in its `fields`, whose keys are in the order in
 * which `entryRow` writes them; so the first or the last of them tell it, and no text leaves the
 * database. The few fields that end otherwise are read whole.
 */
import { OssatureError } from '../../../domain/kernel/errors.js';
import { type MarkedEntry, markedEntry } from '../../../domain/session/marked-entry.js';
import type {
  SeqRange,
  SessionKey,
  SessionRepository,
} from '../../../domain/session/repositories.js';
import type { EntryAuthor, Ruling, ToolEffect } from '../../../domain/session/transcript.js';
import { type Sql, statement } from './sql.js';

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

/** Of an entry: kind, author, whether it is active, its sign, and of a result whether it failed. */
const LETTERS = 5;

/** Characters of `fields` at its beginning and its end that signs are taken from. */
const HEAD = 100;
const TAIL = 200;

/** All null where the range is empty. */
interface Columns {
  readonly first: number | null;
  readonly letters: string | null;
  readonly unitIds: readonly string[] | null;
  readonly turns: readonly number[] | null;
  /** By the counter that was the session's when the entry came. */
  readonly tokens: readonly number[] | null;
  /** Of the session's counter now, where that is another one. */
  readonly recountedSeqs: readonly number[] | null;
  readonly recountedTokens: readonly number[] | null;
}

export function marksReader(
  schema: string,
): (
  sql: Sql,
  key: SessionKey,
  range: SeqRange,
  listEntries: SessionRepository['listEntries'],
) => Promise<readonly MarkedEntry[]> {
  const one = 'tenant_id = $1 and session_id = $2';
  const range = 'seq >= $3 and ($4::integer is null or seq <= $4)';
  const recounted = (column: string): string => `(
    select array_agg(${column} order by seq) from "${schema}".session_entry_counts
    where ${one} and ${range} and (counter_name, counter_version) = (
      select counter_name, counter_version from "${schema}".sessions where ${one}))`;
  // No text ends a piece: its own quotes are escaped. An object behind the sign would end in two braces.
  const effect = `case when right(sign, 15) = '","spawn":null}' or sign like '%","spawn":null,"model":"%"}'
    then case ${Object.entries(EFFECTS)
      .map(([name, value]) => `when starts_with(sign, '${value}","spawn":null') then '${name}'`)
      .join(' ')} else '${UNTOLD}' end
    else '${UNTOLD}' end`;
  const ruling = `case when starts_with(sign, 'null') then '-' ${Object.entries(RULINGS)
    .flatMap(([name, value]) =>
      value === null ? [] : `when starts_with(sign, '{"ruling":"${value.ruling}"') then '${name}'`,
    )
    .join(' ')} else '${UNTOLD}' end`;
  const columns = statement(`
    select min(seq) as first, array_agg(unit_id) as "unitIds", array_agg(turn) as turns,
      array_agg(token_count) as tokens, ${recounted('seq')} as "recountedSeqs",
      ${recounted('token_count')} as "recountedTokens",
      string_agg(${letter('kind', KINDS)} || ${letter('author', AUTHORS)}
        || case when active then '${YES}' else '-' end
        || case kind when 'tool_call' then ${effect} when 'tool_result' then ${ruling}
          when 'system' then ${flag('boundary')} else '-' end
        || case kind when 'tool_result' then ${flag('isError')} else '-' end, '') as letters
    from (
      select seq, unit_id, turn, token_count, kind, author, active,
        case when kind in ('tool_result', 'system') then left(fields, 30) end as head,
        case kind when 'tool_call' then split_part(right(fields, ${TAIL}), ',"effect":"', -1)
          when 'tool_result' then split_part(left(fields, ${HEAD}), ',"ruling":', 2)
          end as sign
      from "${schema}".session_entries where ${one} and ${range} order by seq
    ) e`);
  return async (sql, key, { from, to }, listEntries) => {
    const [found] = await sql<Columns>(columns, [key.tenantId, key.sessionId, from, to]);
    const { first, letters, unitIds, turns, tokens, recountedSeqs, recountedTokens } =
      found ?? NOTHING;
    if (first === null || letters === null) return [];
    const counts = new Map(recountedSeqs?.map((seq, index) => [seq, recountedTokens?.[index]]));
    const marks: MarkedEntry[] = [];
    for (let index = 0; index * LETTERS < letters.length; index += 1) {
      const seq = first + index;
      const tokenCount = counts.get(seq) ?? tokens?.[index] ?? 0;
      const place = { seq, unitId: unitIds?.[index] ?? '', turn: turns?.[index] ?? 0, tokenCount };
      const mark = readMark(letters, index * LETTERS, place);
      if (mark !== null) marks.push(mark);
      else marks.push(...(await listEntries(key, { from: seq, to: seq })).map(markedEntry));
    }
    return marks;
  };
}

const NOTHING: Columns = {
  first: null,
  letters: null,
  unitIds: null,
  turns: null,
  tokens: null,
  recountedSeqs: null,
  recountedTokens: null,
};

/** @returns null where the letters do not tell. Literals without spreads: those take thirty times as long. */
function readMark(
  letters: string,
  at: number,
  { seq, unitId, turn, tokenCount }: Pick<MarkedEntry, 'seq' | 'unitId' | 'turn' | 'tokenCount'>,
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
    return { seq, unitId, turn, tokenCount, active, author, kind, effect };
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
