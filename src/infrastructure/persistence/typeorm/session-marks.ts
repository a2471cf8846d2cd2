/**
 * Marks of entries, read as columns: a row with a parser for each entry costs more than all that is
 * decided from them. What a session has behind it is packed by the block once, with its sums, for
 * entries never change but in whether they are active; the database takes away the blocks of those.
 * Whatever is not packed is read from the entries.
 */
import { type MarkedEntry, markedEntry } from '../../../domain/session/marked-entry.js';
import type {
  EntrySums,
  SeqRange,
  SessionKey,
  SessionRepository,
} from '../../../domain/session/repositories.js';
import { LETTERS, LETTERS_OF, readMark, SIGNS } from './mark-letters.js';
import { type Sql, statement } from './sql.js';

/** Entries of a block; the migration that made the table has the same number. */
const BLOCK_ENTRIES = 512;

/** Letters of a content hash. */
const HASH_LENGTH = 64;

/** Of consecutive entries. */
interface Columns {
  readonly first: number;
  readonly letters: string;
  readonly unitIds: readonly string[];
  readonly turns: readonly number[];
  /** By the counter that is the session's now. */
  readonly tokens: readonly number[];
}

export interface SessionMarks {
  readonly list: (
    sql: Sql,
    key: SessionKey,
    range: SeqRange,
    listEntriesAt: SessionRepository['listEntriesAt'],
  ) => Promise<readonly MarkedEntry[]>;
  /** Content hashes, in order. */
  readonly hashes: (sql: Sql, key: SessionKey, range: SeqRange) => Promise<readonly string[]>;
  /** Of the active entries behind this one. */
  readonly sum: (sql: Sql, key: SessionKey, behind: number) => Promise<EntrySums>;
  /** Packs what the session has whole and unpacked, where these entries have filled a block. */
  readonly pack: (sql: Sql, key: SessionKey, appended: SeqRange) => Promise<void>;
}

export function sessionMarks(schema: string): SessionMarks {
  const blocks = `"${schema}".session_mark_blocks`;
  const sessions = `"${schema}".sessions`;
  const ofSession = 'tenant_id = $1 and session_id = $2';
  /** Entries with the tokens of the session's counter, in order. */
  const counted = (columns: string, range: string): string => `
    select e.seq, ${columns}, coalesce(k.token_count, e.token_count) as tokens
    from "${schema}".session_entries e
    left join "${schema}".session_entry_counts k on k.tenant_id = $1 and k.session_id = $2
      and k.seq = e.seq
      and k.counter_name = (select counter_name from ${sessions} where ${ofSession})
      and k.counter_version = (select counter_version from ${sessions} where ${ofSession})
    where e.tenant_id = $1 and e.session_id = $2 and ${range} order by e.seq`;
  const packed = `string_agg(${LETTERS_OF}, '') as letters, array_agg(unit_id) as unit_ids,
    array_agg(turn) as turns, array_agg(tokens) as tokens`;
  const hashed = `string_agg(content_hash, '') as hashes`;
  const summed = `count(*) filter (where active)::integer as active_entries,
    coalesce(sum(tokens) filter (where active), 0)::bigint as active_tokens,
    coalesce(max(tokens) filter (where active), 0)::bigint as largest_tokens,
    count(distinct turn) filter (where active)::integer as active_turns,
    min(turn) filter (where active) as first_turn, max(turn) filter (where active) as last_turn`;
  const nth = (n: string): string => `
    e.seq between (${n}) * ${BLOCK_ENTRIES} + 1 and ((${n}) + 1) * ${BLOCK_ENTRIES}`;
  // As elements of an array, which the planner takes for few: for a function's rows it would begin to
  // compile the statement, which takes a hundred times as long as the statement does.
  const unpacked = (from: string, to: string, isWhole: string): string => `unnest(array(
    select n from generate_series(${from}, ${to}) n
    where not exists (select from ${blocks} where ${ofSession} and block = n and ${isWhole}))) n`;
  const parts = (
    columns: string,
    from: string,
    entryColumns: string,
    aggregates: string,
    has = 'true',
  ): string => `
    with ends as (
      select ${from} as low, least(coalesce($4::integer, last_seq), last_seq) as high
      from ${sessions} where ${ofSession}
    )
    select block as n, block * ${BLOCK_ENTRIES} + 1 as first, ${columns} from ${blocks}
    where ${ofSession} and ${has}
      and block >= (select (low + ${BLOCK_ENTRIES - 2}) / ${BLOCK_ENTRIES} from ends)
      and block < (select high / ${BLOCK_ENTRIES} from ends)
    union all
    select n, p.* from ${unpacked(
      `(select (low - 1) / ${BLOCK_ENTRIES} from ends)`,
      `(select (high - 1) / ${BLOCK_ENTRIES} from ends)`,
      `${has} and block >= (select (low + ${BLOCK_ENTRIES - 2}) / ${BLOCK_ENTRIES} from ends)
        and block < (select high / ${BLOCK_ENTRIES} from ends)`,
    )} cross join lateral (
      select min(seq) as first, ${aggregates} from (${counted(
        entryColumns,
        `${nth('n')} and e.seq between (select low from ends) and (select high from ends)`,
      )}) e
    ) p`;

  const list = statement(`
    select first, letters, unit_ids as "unitIds", turns, tokens
    from (${parts(
      'letters, unit_ids, turns, tokens',
      '$3::integer',
      `e.unit_id, e.turn, ${SIGNS}`,
      packed,
    )}) parts where letters is not null order by n`);
  const hashes = statement(`
    select hashes from (${parts(
      'hashes',
      '$3::integer',
      'e.content_hash',
      hashed,
      'hashes is not null',
    )}) parts where hashes is not null order by n`);
  const sum = statement(`
    select coalesce(sum(active_entries), 0)::integer as entries,
      coalesce(sum(active_tokens), 0)::bigint as tokens,
      coalesce(max(largest_tokens), 0)::bigint as "largestTokens",
      coalesce(sum(active_turns) - count(*) filter (where first_turn = turn_before), 0)::integer
        as turns
    from (
      select *, lag(last_turn) over (order by n) as turn_before from (${parts(
        'active_entries, active_tokens, largest_tokens, active_turns, first_turn, last_turn',
        '$3::integer + 1',
        'e.turn, e.active',
        summed,
      )}) parts where active_entries > 0
    ) active`);
  const pack = statement(`
    insert into ${blocks} (tenant_id, session_id, block, letters, unit_ids, turns, tokens,
      hashes, active_entries, active_tokens, largest_tokens, active_turns, first_turn, last_turn)
    select $1, $2, n, p.* from ${unpacked('0', '$3::integer', 'true')} cross join lateral (
      select ${packed}, ${hashed}, ${summed} from (${counted(
        `e.unit_id, e.turn, e.content_hash, ${SIGNS}`,
        nth('n'),
      )}) e
    ) p on conflict do nothing`);
  return {
    async list(sql, key, range, listEntriesAt) {
      const [from, to] = [Math.max(1, range.from), range.to];
      const marks: (MarkedEntry | null)[] = [];
      const values = [key.tenantId, key.sessionId, from, to];
      for (const columns of await sql<Columns>(list, values)) readMarks(columns, marks);
      const untold: number[] = [];
      for (const [index, mark] of marks.entries()) if (mark === null) untold.push(from + index);
      if (untold.length === 0) return marks as readonly MarkedEntry[];
      const looked = (await listEntriesAt(key, untold)).map(markedEntry);
      const told = new Map(looked.map((mark) => [mark.seq, mark]));
      return marks.flatMap((mark, index) => mark ?? told.get(from + index) ?? []);
    },
    async hashes(sql, { tenantId, sessionId }, { from, to }) {
      const values = [tenantId, sessionId, Math.max(1, from), to];
      const found: string[] = [];
      for (const { hashes: joined } of await sql<{ readonly hashes: string }>(hashes, values)) {
        for (let at = 0; at < joined.length; at += HASH_LENGTH) {
          found.push(joined.slice(at, at + HASH_LENGTH));
        }
      }
      return found;
    },
    async sum(sql, { tenantId, sessionId }, behind) {
      const [found] = await sql<EntrySums>(sum, [tenantId, sessionId, behind, null]);
      return found ?? { entries: 0, tokens: 0, largestTokens: 0, turns: 0 };
    },
    async pack(sql, { tenantId, sessionId }, { from, to }) {
      const filled = Math.floor((to ?? 0) / BLOCK_ENTRIES);
      if (filled === Math.floor((from - 1) / BLOCK_ENTRIES)) return;
      await sql(pack, [tenantId, sessionId, filled - 1]);
    },
  };
}

/** Adds a mark for each entry, or null where its letters do not tell. */
function readMarks(
  { first, letters, unitIds, turns, tokens }: Columns,
  into: (MarkedEntry | null)[],
): void {
  let unitId = '';
  for (let index = 0; index * LETTERS < letters.length; index += 1) {
    const own = unitIds[index] ?? '';
    // One text for all of a unit: it is compared and kept more often than it is read.
    if (own !== unitId) unitId = own;
    const [turn, tokenCount] = [turns[index] ?? 0, tokens[index] ?? 0];
    into.push(readMark(letters, index * LETTERS, first + index, unitId, turn, tokenCount));
  }
}
