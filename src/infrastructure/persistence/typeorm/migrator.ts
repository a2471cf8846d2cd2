/**
 * Applies our migrations to our schema, on whatever DataSource is at hand. TypeORM's own runner knows
 * one list of migrations and one table for it, and in an embedded core that list is the host's; so
 * the table of TypeORM's shape is kept in our schema, and one advisory lock makes two processes that
 * migrate at once take turns. Each call is one transaction: the schema is at a version or at the
 * one before, never between.
 */
import type { DataSource, QueryRunner } from 'typeorm';
import { MIGRATIONS, type NamedMigration } from '../../../../migrations/index.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { countLost } from './lost-by-revert.js';
import { translate } from './store-errors.js';

export interface SchemaState {
  readonly schema: string;
  readonly applied: readonly string[];
  /** Ours that the database lacks. */
  readonly pending: readonly string[];
  /** The database's that this version of the code does not know. */
  readonly unknown: readonly string[];
}

export interface RevertOptions {
  /** Undo the migration even where that drops rows or values. */
  readonly force?: boolean;
}

export class Migrator {
  constructor(
    private readonly dataSource: DataSource,
    private readonly schema: string,
    private readonly migrations: readonly NamedMigration[] = MIGRATIONS,
  ) {}

  /** Compares the database with the code; changes nothing. */
  async check(): Promise<SchemaState> {
    return this.withRunner((runner) => this.stateOf(runner));
  }

  /** Refuses a schema that does not fit this version of the code, in words. */
  async requireCurrent(): Promise<void> {
    requireKnown(await this.check(), 'current');
  }

  /** Applies what is pending and returns the names; nothing pending, nothing done. */
  async migrate(): Promise<readonly string[]> {
    return this.change(async (runner) => {
      const state = await this.stateOf(runner);
      requireKnown(state, 'not-newer');
      for (const migration of this.named(state.pending)) {
        await migration.up(runner);
        await runner.query('insert into migrations (timestamp, name) values ($1, $2)', [
          timestampOf(migration),
          migration.name,
        ]);
      }
      return state.pending;
    });
  }

  /**
   * Undoes the newest migration and returns its name; null where none is applied.
   *
   * @param migratesItself whether the next opening of the store applies the migration again.
   * @throws OssatureError WOULD_LOSE_DATA where rows or values would go and `force` is not given.
   */
  async revert(
    { force = false }: RevertOptions = {},
    migratesItself = false,
  ): Promise<string | null> {
    return this.change(async (runner) => {
      const state = await this.stateOf(runner);
      requireKnown(state, 'not-newer');
      const newest = state.applied.at(-1);
      if (newest === undefined) return null;
      for (const migration of this.named([newest])) {
        if (!force) await this.requireLossless(runner, migration, migratesItself);
        await migration.down(runner);
      }
      await runner.query('delete from migrations where name = $1', [newest]);
      return newest;
    });
  }

  private async requireLossless(
    runner: QueryRunner,
    migration: NamedMigration,
    migratesItself: boolean,
  ): Promise<void> {
    const lost = await countLost(runner, this.schema, () => migration.down(runner));
    if (Object.keys(lost).length === 0) return;
    const words = Object.entries(lost).map(([place, count]) => `${count} in ${place}`);
    const inVain = migratesItself
      ? ' This store migrates itself: the next command makes what was dropped anew, empty, so revert it only right before an older version is to open it.'
      : '';
    throw new OssatureError(
      'WOULD_LOSE_DATA',
      `Undoing ${migration.name} would destroy rows or values: ${words.join(', ')}. Nothing was changed. Run "agents database export FILE" first, then revert with --force.${inVain}`,
      { details: { schema: this.schema, migration: migration.name, lost } },
    );
  }

  private async change<Result>(work: (runner: QueryRunner) => Promise<Result>): Promise<Result> {
    return this.withRunner(async (runner) => {
      await runner.startTransaction();
      try {
        await runner.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
          `${this.schema}.migrations`,
        ]);
        await runner.query(`create schema if not exists "${this.schema}"`);
        await runner.query(`set local search_path to "${this.schema}"`);
        await runner.query(
          'create table if not exists migrations (id serial primary key, timestamp bigint not null, name text not null unique)',
        );
        const result = await work(runner);
        await runner.commitTransaction();
        return result;
      } catch (error) {
        await runner.rollbackTransaction().catch(() => {});
        throw error;
      }
    });
  }

  private async stateOf(runner: QueryRunner): Promise<SchemaState> {
    const table = `"${this.schema}".migrations`;
    const [{ exists }] = (await runner.query(`select to_regclass($1) is not null as exists`, [
      table,
    ])) as [{ exists: boolean }];
    const rows = exists
      ? ((await runner.query(`select name from ${table} order by timestamp, id`)) as {
          name: string;
        }[])
      : [];
    const applied = rows.map(({ name }) => name);
    const known = this.migrations.map(({ name }) => name);
    return {
      schema: this.schema,
      applied,
      pending: known.filter((name) => !applied.includes(name)),
      unknown: applied.filter((name) => !known.includes(name)),
    };
  }

  private named(names: readonly string[]): readonly NamedMigration[] {
    return this.migrations.filter(({ name }) => names.includes(name));
  }

  private async withRunner<Result>(use: (runner: QueryRunner) => Promise<Result>): Promise<Result> {
    const runner = this.dataSource.createQueryRunner();
    try {
      return await use(runner);
    } catch (error) {
      throw translate(error);
    } finally {
      await runner.release().catch(() => {});
    }
  }
}

function requireKnown(state: SchemaState, wanted: 'current' | 'not-newer'): void {
  const { schema, pending, unknown } = state;
  if (unknown.length > 0) {
    throw new OssatureError(
      'SCHEMA_TOO_NEW',
      `Schema "${schema}" was migrated by a newer version of ossature (${unknown.join(', ')}). Install that version or a later one; this one changes nothing.`,
      { details: { schema, unknown } },
    );
  }
  if (wanted === 'current' && pending.length > 0) {
    throw new OssatureError(
      'SCHEMA_OUTDATED',
      `Schema "${schema}" lacks ${pending.length} migration(s) (${pending.join(', ')}). Run "agents database migrate", or call migrate().`,
      { details: { schema, pending } },
    );
  }
}

function timestampOf({ name }: NamedMigration): number {
  return Number(name.slice(-13));
}
