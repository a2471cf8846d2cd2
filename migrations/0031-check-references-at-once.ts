/**
 * What names lessons and episodes by the hundred is checked once a statement, not once a row: an accepted
 * attempt covers up to 5,000 episodes with one lesson, and each row asked for that lesson and its episode.
 * The rule is the same, and so is its error. It needs no lock on what is named: rows of `lessons` and
 * `episodes` are never deleted and keep their keys, which their own triggers see to.
 * Old code writes the same rows, so it goes on working.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns of each table with the table that they name, whose key has the second name. */
const REFERENCES = {
  lesson_coverage: { lesson_id: ['lessons', 'lesson_id'], episode_id: ['episodes', 'episode_id'] },
  claim_covers: { child_id: ['lessons', 'lesson_id'], parent_id: ['lessons', 'lesson_id'] },
} as const;

/** Asked twice: a holder stands below its lesson in `lesson_edges`, whose own keys name lessons. */
const IMPLIED = ['dropped_claims_lesson_id_fkey', 'dropped_claims_holder_id_fkey'] as const;

export class CheckReferencesAtOnce1764500000031 implements MigrationInterface {
  readonly name = 'CheckReferencesAtOnce1764500000031';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function check_references() returns trigger language plpgsql
      set search_path from current as $$
      declare
        missing text;
      begin
        for at in 0 .. tg_nargs - 1 by 3 loop
          execute format(
            'select named from (select distinct %1$I as named from written) as w
              where not exists (select from %2$I t where t.%3$I = w.named) limit 1',
            tg_argv[at], tg_argv[at + 1], tg_argv[at + 2]) into missing;
          if missing is not null then
            raise exception '%.% names % in %, which is not there',
              tg_table_name, tg_argv[at], missing, tg_argv[at + 1]
              using errcode = 'foreign_key_violation';
          end if;
        end loop;
        return null;
      end $$`);
    for (const name of IMPLIED) {
      await runner.query(`alter table dropped_claims drop constraint ${name}`);
    }
    for (const [table, columns] of Object.entries(REFERENCES)) {
      const drops = Object.keys(columns).map((column) => `drop constraint ${table}_${column}_fkey`);
      await runner.query(`alter table ${table} ${drops.join(', ')}`);
      const named = Object.entries(columns).map(
        ([column, [target, key]]) => `'${column}', '${target}', '${key}'`,
      );
      for (const act of ['insert', 'update']) {
        await runner.query(`
          create trigger ${table}_references_${act} after ${act} on ${table}
          referencing new table as written
          for each statement execute function check_references(${named.join(', ')})`);
      }
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(REFERENCES)) {
      for (const act of ['insert', 'update']) {
        await runner.query(`drop trigger ${table}_references_${act} on ${table}`);
      }
      const adds = Object.entries(columns).map(
        ([column, [target, key]]) =>
          `add constraint ${table}_${column}_fkey foreign key (${column}) references ${target} (${key})`,
      );
      await runner.query(`alter table ${table} ${adds.join(', ')}`);
    }
    await runner.query('drop function check_references()');
    await runner.query(`
      alter table dropped_claims
      add constraint dropped_claims_lesson_id_fkey foreign key (lesson_id) references lessons,
      add constraint dropped_claims_holder_id_fkey foreign key (holder_id) references lessons`);
  }
}
