/**
 * The content hashes of a block of entries beside its marks: a pass names its span by them, and reading
 * them entry by entry goes through the widest table there is, in a long first pass through all of it.
 *
 * Null: not packed with the block, as older code packs, and read from the entries then. Blocks that are
 * there get theirs now, which reads `session_entries` once; the table of blocks is locked meanwhile.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries of a block, and letters of a hash. */
const BLOCK_ENTRIES = 512;
const HASH_LENGTH = 64;

export class PackHashes1764500000019 implements MigrationInterface {
  readonly name = 'PackHashes1764500000019';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table session_mark_blocks add column hashes text
        check (length(hashes) = ${BLOCK_ENTRIES * HASH_LENGTH})`);
    await runner.query(`
      update session_mark_blocks b set hashes = (
        select string_agg(content_hash, '' order by seq) from session_entries e
        where e.tenant_id = b.tenant_id and e.session_id = b.session_id and e.seq
          between b.block * ${BLOCK_ENTRIES} + 1 and (b.block + 1) * ${BLOCK_ENTRIES})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table session_mark_blocks drop column hashes');
  }
}
