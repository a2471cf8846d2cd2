/**
 * Marks of entries packed by the block: what a pass decides from, as a few rows instead of one an
 * entry, and their sums beside them.
 *
 * Why: a check between two steps of an agent, and the status, look at every entry behind the cut, which
 * in a session that was never compacted are all. Blocks follow from `session_entries` and may be missing
 * at any time: what is not packed is read entry by entry, and packed when the session grows by a block.
 * Why triggers: whoever marks entries otherwise, or counts them anew, may be older code that knows of no
 * blocks. A new table; the triggers lock `session_entries` and two more for a moment.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries of a block; `session-marks.ts` has the same number. */
const BLOCK_ENTRIES = 512;

export class PackMarks1764500000014 implements MigrationInterface {
  readonly name = 'PackMarks1764500000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table session_mark_blocks (
        tenant_id text not null,
        session_id text not null,
        block integer not null check (block >= 0),
        letters text not null,
        unit_ids text[] not null check (cardinality(unit_ids) = ${BLOCK_ENTRIES}),
        turns integer[] not null check (cardinality(turns) = ${BLOCK_ENTRIES}),
        tokens bigint[] not null check (cardinality(tokens) = ${BLOCK_ENTRIES}),
        active_entries integer not null check (active_entries between 0 and ${BLOCK_ENTRIES}),
        active_tokens bigint not null check (active_tokens >= 0),
        largest_tokens bigint not null check (largest_tokens >= 0),
        active_turns integer not null check (active_turns between 0 and active_entries),
        first_turn integer,
        last_turn integer,
        primary key (tenant_id, session_id, block),
        foreign key (tenant_id, session_id) references sessions on delete cascade,
        constraint session_mark_blocks_turns_of_active_entries
          check ((active_entries = 0) = (first_turn is null)
            and (first_turn is null) = (last_turn is null))
      )`);
    await runner.query(`
      create function unpack_marks() returns trigger language plpgsql
      set search_path from current as $$
      begin
        delete from session_mark_blocks b using (
          select distinct tenant_id, session_id, (seq - 1) / ${BLOCK_ENTRIES} as block from changed
        ) c
        where b.tenant_id = c.tenant_id and b.session_id = c.session_id and b.block = c.block;
        return null;
      end $$`);
    await runner.query(`
      create trigger session_entries_unpack after update on session_entries
      referencing new table as changed for each statement execute function unpack_marks()`);
    await runner.query(`
      create trigger session_entry_counts_unpack after insert on session_entry_counts
      referencing new table as changed for each statement execute function unpack_marks()`);
    await runner.query(`
      create function unpack_session() returns trigger language plpgsql
      set search_path from current as $$
      begin
        delete from session_mark_blocks
        where tenant_id = new.tenant_id and session_id = new.session_id;
        return null;
      end $$`);
    await runner.query(`
      create trigger sessions_unpack after update of counter_name, counter_version on sessions
      for each row execute function unpack_session()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger sessions_unpack on sessions');
    await runner.query('drop trigger session_entry_counts_unpack on session_entry_counts');
    await runner.query('drop trigger session_entries_unpack on session_entries');
    await runner.query('drop function unpack_session()');
    await runner.query('drop function unpack_marks()');
    await runner.query('drop table session_mark_blocks');
  }
}
