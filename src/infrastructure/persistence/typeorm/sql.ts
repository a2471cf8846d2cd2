/**
 * SQL over whatever connection is at hand. The statements of the repositories are prepared once a
 * connection and sent through the `pg` client that TypeORM's query runner holds: the query builder
 * and entity manager cost more than the database does (measured in bench/spawn-child.mjs), and a host
 * that brings its own DataSource need not register entities of ours.
 */
import { createHash } from 'node:crypto';
import { parserOf } from './column-values.js';

/** One statement, prepared under a name that depends on its text alone. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Whether it writes; outside a transaction it then commits by itself. */
  readonly writes: boolean;
}

/** Runs a statement and answers its rows. Errors are already OssatureErrors. */
export type Sql = <Row>(
  statement: Statement,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** The little that we need of a `pg` client; a host's own is as good. */
export interface PgClientLike {
  end?(): Promise<void>;
  query(query: {
    readonly name?: string;
    readonly text: string;
    readonly values?: unknown[];
    readonly types?: unknown;
  }): Promise<{ readonly rows: unknown[] }>;
}

const WRITES = /\b(?:insert into|update|delete from) "/;

/** The text's digest is its name: two versions of a statement never meet under one. */
export function statement(text: string): Statement {
  const name = `ossature_${createHash('sha1').update(text).digest('hex').slice(0, 20)}`;
  return { name, text, writes: WRITES.test(text) };
}

const types = { getTypeParser: parserOf };

/** Sends a statement on one client. */
export async function send<Row>(
  client: PgClientLike,
  { name, text }: Statement,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const { rows } = await client.query({ name, text, values: [...values], types });
  return rows as Row[];
}
