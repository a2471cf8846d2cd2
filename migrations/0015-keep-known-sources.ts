/**
 * Sources that were read to their end: the same file again is known by its digest and need not be read.
 *
 * Why a row a session: it goes with the session, and a source of which a session is gone is read again.
 * Why the last source alone: what an older one said of rewinds may not hold any more. A new table; it
 * locks `sessions` for a moment.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepKnownSources1764500000015 implements MigrationInterface {
  readonly name = 'KeepKnownSources1764500000015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table session_sources (
        tenant_id text not null,
        session_id text not null,
        head_print text not null check (length(head_print) = 64),
        source_print text not null check (length(source_print) = 64),
        position integer not null check (position >= 0),
        sessions integer not null check (sessions > position),
        last_seq integer not null check (last_seq >= 1),
        receipt text not null check (json_typeof(receipt::json) = 'object'),
        primary key (tenant_id, session_id),
        foreign key (tenant_id, session_id) references sessions on delete cascade
      )`);
    await runner.query(
      'create index session_sources_head on session_sources (tenant_id, head_print)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table session_sources');
  }
}
