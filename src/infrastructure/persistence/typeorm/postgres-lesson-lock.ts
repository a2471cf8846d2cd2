/**
 * The lock of one lesson over all processes of a database: an advisory lock, tried once.
 *
 * It belongs to a connection and not to a transaction, as models are asked while it is held. One
 * connection holds all locks of this process and goes back to the pool with the last of them. Where the
 * pool has no second connection, as with the embedded database, one process has the database for itself
 * and its own locks are all there are.
 */
import type { DataSource, QueryRunner } from 'typeorm';
import type { LessonLock } from '../../../application/lessons/lesson-store.js';
import { translate } from './store-errors.js';

export function postgresLessonLock(dataSource: DataSource, schema: string): LessonLock {
  const held = new Set<string>();
  const connection = new SharedConnection(dataSource);
  return async (lessonId, work) => {
    if (held.has(lessonId)) return { held: false };
    held.add(lessonId);
    try {
      const name = `${schema} lesson ${lessonId}`;
      return hasOtherConnections(dataSource)
        ? await connection.locked(name, work)
        : { held: true, result: await work() };
    } finally {
      held.delete(lessonId);
    }
  };
}

type Outcome<Result> = { readonly held: true; readonly result: Result } | { readonly held: false };

class SharedConnection {
  #users = 0;
  #runner: Promise<QueryRunner> | null = null;
  /** Statements go one by one: a client of `pg` has no queue to rely on. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly dataSource: DataSource) {}

  async locked<Result>(name: string, work: () => Promise<Result>): Promise<Outcome<Result>> {
    this.#users += 1;
    try {
      const runner = await this.#connect();
      const [answer] = await this.#ask<{ readonly locked: boolean }>(
        runner,
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
        name,
      );
      if (answer?.locked !== true) return { held: false };
      try {
        return { held: true, result: await work() };
      } finally {
        // With a connection that is gone, the server gave the lock back by itself.
        await this.#ask(runner, 'select pg_advisory_unlock(hashtextextended($1, 0))', name).catch(
          () => [],
        );
      }
    } finally {
      this.#users -= 1;
      if (this.#users === 0) await this.#release();
    }
  }

  async #connect(): Promise<QueryRunner> {
    this.#runner ??= this.#open();
    return this.#runner;
  }

  async #open(): Promise<QueryRunner> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.connect();
      return runner;
    } catch (error) {
      this.#runner = null;
      await runner.release().catch(() => {});
      throw translate(error);
    }
  }

  async #release(): Promise<void> {
    const leaving = this.#runner;
    // At once, so that whoever comes while it goes opens another.
    this.#runner = null;
    const runner = await leaving?.catch(() => null);
    await runner?.release().catch(() => {});
  }

  async #ask<Row>(runner: QueryRunner, text: string, name: string): Promise<readonly Row[]> {
    const answer = this.#last.then(() => runner.query(text, [name]) as Promise<Row[]>);
    this.#last = answer.catch(() => {});
    return answer.catch((error: unknown) => {
      throw translate(error);
    });
  }
}

/** As `pg` counts them; a driver without that setting has its default of 10. */
function hasOtherConnections({ options }: DataSource): boolean {
  const { poolSize, extra } = options as {
    readonly poolSize?: number;
    readonly extra?: { readonly max?: number };
  };
  return (extra?.max ?? poolSize ?? 10) > 1;
}
