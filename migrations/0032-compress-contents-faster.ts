/**
 * Contents of entries are compressed by lz4 where the server was built with it: a batch of
 * an import spent a third of its time in the compression that is the default. What is stored is read as
 * before, and written anew only when it is. Old code goes on working.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CompressContentsFaster1764500000032 implements MigrationInterface {
  readonly name = 'CompressContentsFaster1764500000032';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      do $$ begin
        alter table contents alter column content set compression lz4;
      exception when feature_not_supported or invalid_parameter_value then null;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table contents alter column content set compression default');
  }
}
