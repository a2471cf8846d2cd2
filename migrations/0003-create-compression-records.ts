/**
 * Compression records: one row a pass, what it kept and what it left behind as parallel arrays.
 *
 * Why arrays and not a row for each fragment: a spawn from a parent with 100,000 fragments names all
 * of them, and 100,000 rows with their index entries and foreign keys cost several times the read that
 * the decision needs. The arrays of one list have one length, and fragments cannot be deleted, so a
 * reference cannot dangle. A new table; it locks nothing that exists.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

const LISTS = ['kept', 'skipped'].flatMap((list) =>
  ['fragment_ids', 'relevances'].map((column) => `${list}_${column}`),
);

export class CreateCompressionRecords1764500000003 implements MigrationInterface {
  readonly name = 'CreateCompressionRecords1764500000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table compression_records (
        record_id text primary key check (length(record_id) = 26),
        pass text not null check (pass in ('spawn', 'recall')),
        child_plan_id text not null references plans,
        parent_plan_id text not null references plans,
        ratio double precision not null check (ratio between 0 and 1),
        ratio_origin text not null check (ratio_origin in ('call', 'plan', 'policy', 'default')),
        relevance_source text not null check (relevance_source in ('stored', 'goal')),
        skeleton_budget bigint not null check (skeleton_budget >= 0),
        original_tokens bigint not null check (original_tokens >= 0),
        compressed_tokens bigint not null check (compressed_tokens between 0 and original_tokens),
        kept_plan_ids text[] not null,
        kept_fragment_ids text[] not null,
        kept_relevances double precision[],
        skipped_plan_ids text[] not null,
        skipped_fragment_ids text[] not null,
        skipped_relevances double precision[],
        skipped_reasons text[] not null
          check (skipped_reasons <@ array['over-budget', 'superseded']),
        created_at timestamptz not null,
        constraint compression_records_kept_lists_agree
          check (cardinality(kept_plan_ids) = cardinality(kept_fragment_ids)),
        constraint compression_records_skipped_lists_agree check (
          cardinality(skipped_plan_ids) = cardinality(skipped_fragment_ids)
          and cardinality(skipped_plan_ids) = cardinality(skipped_reasons)),
        constraint compression_records_scored_relevances_are_kept check (case relevance_source
          when 'stored' then kept_relevances is null and skipped_relevances is null
          else kept_relevances is not null and skipped_relevances is not null
            and cardinality(kept_relevances) = cardinality(kept_fragment_ids)
            and cardinality(skipped_relevances) = cardinality(skipped_fragment_ids) end)
      )`);
    // Ids and relevances hardly compress, and trying to costs ten times what writing them does.
    for (const list of LISTS) {
      await runner.query(`alter table compression_records alter ${list} set storage external`);
    }
    await runner.query(
      'create index compression_records_child_plan_id on compression_records (child_plan_id)',
    );
    await runner.query(`
      create unique index compression_records_one_spawn
      on compression_records (child_plan_id) where pass = 'spawn'`);
    await runner.query(`
      create index compression_records_recalls
      on compression_records (parent_plan_id) where pass = 'recall'`);
    await runner.query(`
      create trigger compression_records_are_immutable before update or delete
      on compression_records for each row execute function refuse_change()`);
    await runner.query(`
      create trigger compression_records_are_not_emptied before truncate on compression_records
      for each statement execute function refuse_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table compression_records');
  }
}
