/**
 * Connections and transactions of a TypeORM DataSource, ours or the host's.
 *
 * Outside a transaction each statement takes a connection of the pool and gives it back. A unit of
 * work holds one for its length. Joined to a host's transaction it works inside a savepoint: what
 * fails leaves the host's own work as it was.
 */
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { type PgClientLike, send, type Sql, type Statement, statement } from './sql.js';
import { translate, unanswered } from './store-errors.js';

export interface Transactions<Bound> {
  readonly sql: Sql;
  readonly unitOfWork: <Result>(work: (repositories: Bound) => Promise<Result>) => Promise<Result>;
}

interface Brackets {
  readonly open: Statement;
  readonly keep: Statement;
  readonly undo: readonly Statement[];
}

const TRANSACTION: Brackets = {
  open: statement('begin'),
  keep: statement('commit'),
  undo: [statement('rollback')],
};

/** TypeORM's counter of levels is not told: we are inside it for the length of one piece of work only. */
const SAVEPOINT: Brackets = {
  open: statement('savepoint ossature'),
  keep: statement('release savepoint ossature'),
  undo: [statement('rollback to savepoint ossature'), statement('release savepoint ossature')],
};

/** Repositories of one connection. */
type Bind<Bound> = (sql: Sql) => Bound;

/** Transactions of their own on a pool. */
export function pooledTransactions<Bound>(
  dataSource: DataSource,
  bind: Bind<Bound>,
): Transactions<Bound> {
  return {
    sql: (statement, values) =>
      withRunner(dataSource, async (runner) => {
        const client = await clientOf(runner);
        return send<never>(client, statement, values).catch((error: unknown) => {
          throw statement.writes ? unanswered(error) : translate(error);
        });
      }),
    unitOfWork: (work) =>
      withRunner(dataSource, async (runner) => {
        const sql = await sqlOf(runner);
        return allOrNothing(TRANSACTION, sql, () => work(bind(sql)));
      }),
  };
}

/** Work inside the transaction that a host has open. INVALID_CONFIG where it has none. */
export function joinedTransactions<Bound>(
  manager: EntityManager,
  bind: Bind<Bound>,
): Transactions<Bound> {
  const runner = manager.queryRunner;
  if (runner === undefined || !runner.isTransactionActive) {
    throw new OssatureError(
      'INVALID_CONFIG',
      'within(manager) needs the entity manager of an open transaction: call it inside dataSource.transaction(async (manager) => …).',
      { details: { field: 'manager' } },
    );
  }
  return {
    sql: (statement, values) =>
      inTurn(runner, async () => {
        const sql = await sqlOf(runner);
        return allOrNothing(SAVEPOINT, sql, () => sql(statement, values));
      }),
    unitOfWork: (work) =>
      inTurn(runner, async () => {
        const sql = await sqlOf(runner);
        return allOrNothing(SAVEPOINT, sql, () => work(bind(sql)));
      }),
  };
}

async function withRunner<Result>(
  dataSource: DataSource,
  use: (runner: QueryRunner) => Promise<Result>,
): Promise<Result> {
  const runner = dataSource.createQueryRunner();
  try {
    return await use(runner);
  } catch (error) {
    const failure = translate(error);
    if (failure.code === 'STORE_UNAVAILABLE') await discard(runner);
    throw failure;
  } finally {
    await runner.release().catch(() => {});
  }
}

/**
 * Sent the same way as the work's own statements, so that none of them can fall behind the end. TypeORM's own
 * way costs more than the transaction does.
 */
async function allOrNothing<Result>(
  { open, keep, undo }: Brackets,
  sql: Sql,
  work: () => Promise<Result>,
): Promise<Result> {
  await sql(open);
  try {
    const result = await work();
    await sql(keep).catch((error: unknown) => {
      throw unanswered(error);
    });
    return result;
  } catch (error) {
    // A connection that is gone cannot roll back; the server does it, and the first error is the one to tell.
    for (const step of undo) await sql(step).catch(() => {});
    throw translate(error);
  }
}

const turns = new WeakMap<QueryRunner, Promise<unknown>>();

/**
 * One after another on the host's connection: of two savepoints that overlap, the end of one undoes
 * or keeps the other's work, and a statement between a failure and its rollback is refused.
 */
function inTurn<Result>(runner: QueryRunner, work: () => Promise<Result>): Promise<Result> {
  const run = (turns.get(runner) ?? Promise.resolve()).then(work);
  turns.set(
    runner,
    run.catch(() => {}),
  );
  return run;
}

async function sqlOf(runner: QueryRunner): Promise<Sql> {
  const client = await clientOf(runner);
  const ask: Sql = async (statement, values) => {
    try {
      return await send(client, statement, values);
    } catch (error) {
      throw translate(error);
    }
  };
  return oneByOne(ask);
}

/** What is asked at once is sent in turn: a client of `pg` has no queue to rely on once one of them failed. */
function oneByOne(ask: Sql): Sql {
  let last: Promise<unknown> = Promise.resolve();
  return <Row>(...given: Parameters<Sql>) => {
    const answer = last.then(() => ask<Row>(...given));
    last = answer.catch(() => {});
    return answer;
  };
}

/** A pool would hand out a dead connection once more before it notices. */
async function discard(runner: QueryRunner): Promise<void> {
  const client = await clientOf(runner).catch(() => null);
  await client?.end?.().catch(() => {});
}

async function clientOf(runner: QueryRunner): Promise<PgClientLike> {
  return (await runner.connect()) as PgClientLike;
}
