/**
 * Connections and transactions of a TypeORM DataSource, ours or the host's.
 *
 * Outside a transaction each statement takes a connection of the pool and gives it back. A unit of
 * work holds one for its length. Joined to a host's transaction it works inside a savepoint: what
 * fails leaves the host's own work as it was.
 */
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Repositories, UnitOfWork } from '../../../application/ports/unit-of-work.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { type PgClientLike, send, type Sql, statement } from './sql.js';
import { translate } from './store-errors.js';

export interface Transactions {
  readonly sql: Sql;
  readonly unitOfWork: UnitOfWork;
}

const BEGIN = statement('begin');
const COMMIT = statement('commit');
const ROLLBACK = statement('rollback');

type BindRepositories = (sql: Sql) => Repositories;

/** Transactions of their own on a pool. */
export function pooledTransactions(dataSource: DataSource, bind: BindRepositories): Transactions {
  return {
    sql: (statement, values) =>
      withRunner(dataSource, async (runner) => send(await clientOf(runner), statement, values)),
    unitOfWork: (work) =>
      withRunner(dataSource, async (runner) => {
        const sql = await sqlOf(runner);
        return betweenBeginAndCommit(sql, () => work(bind(sql)));
      }),
  };
}

/** Work inside the transaction that a host has open. INVALID_CONFIG where it has none. */
export function joinedTransactions(manager: EntityManager, bind: BindRepositories): Transactions {
  const runner = manager.queryRunner;
  if (runner === undefined || !runner.isTransactionActive) {
    throw new OssatureError(
      'INVALID_CONFIG',
      'within(manager) needs the entity manager of an open transaction: call it inside dataSource.transaction(async (manager) => …).',
      { details: { field: 'manager' } },
    );
  }
  return {
    sql: async (statement, values) => (await sqlOf(runner))(statement, values),
    unitOfWork: (work) => inSavepoint(runner, async () => work(bind(await sqlOf(runner)))),
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
    throw translate(error);
  } finally {
    await runner.release().catch(() => {});
  }
}

/** A transaction on a connection that nobody else uses; TypeORM's own way costs more than it does. */
async function betweenBeginAndCommit<Result>(
  sql: Sql,
  work: () => Promise<Result>,
): Promise<Result> {
  await sql(BEGIN);
  try {
    const result = await work();
    await sql(COMMIT);
    return result;
  } catch (error) {
    // A connection that is gone cannot roll back; the server does it, and the first error is the one to tell.
    await sql(ROLLBACK).catch(() => {});
    throw translate(error);
  }
}

/** Joined work: TypeORM counts the levels of the host's transaction and makes the savepoint. */
async function inSavepoint<Result>(
  runner: QueryRunner,
  work: () => Promise<Result>,
): Promise<Result> {
  await runner.startTransaction();
  try {
    const result = await work();
    await runner.commitTransaction();
    return result;
  } catch (error) {
    await runner.rollbackTransaction().catch(() => {});
    throw translate(error);
  }
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
  return client.pipeline === true ? ask : oneByOne(ask);
}

/** A client without a pipeline has no queue to rely on: what is asked at once is sent in turn. */
function oneByOne(ask: Sql): Sql {
  let last: Promise<unknown> = Promise.resolve();
  return <Row>(...given: Parameters<Sql>) => {
    const answer = last.then(() => ask<Row>(...given));
    last = answer.catch(() => {});
    return answer;
  };
}

async function clientOf(runner: QueryRunner): Promise<PgClientLike> {
  return (await runner.connect()) as PgClientLike;
}
