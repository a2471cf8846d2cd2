/** What a change of the schema would destroy, found by making it and taking it back. */
import type { QueryRunner } from 'typeorm';

interface Column {
  readonly table: string;
  readonly column: string;
}

/**
 * Rows of tables, and values of columns of other tables, that would be gone after the change: counts
 * by `table` and `table.column`, only where there are any. Leaves everything as it was.
 *
 * @param runner in an open transaction.
 */
export async function countLost(
  runner: QueryRunner,
  schema: string,
  change: () => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  const before = await columnsOf(runner, schema);
  await runner.query('savepoint before_change');
  await change();
  const after = await columnsOf(runner, schema);
  await runner.query('rollback to savepoint before_change');

  const tablesLeft = new Set(after.map(({ table }) => table));
  const columnsLeft = new Set(after.map(({ table, column }) => `${table}.${column}`));
  const counted = new Map<string, string>();
  for (const { table, column } of before) {
    if (!tablesLeft.has(table)) counted.set(table, `count(*) from "${schema}"."${table}"`);
    else if (!columnsLeft.has(`${table}.${column}`))
      counted.set(`${table}.${column}`, `count("${column}") from "${schema}"."${table}"`);
  }
  const lost: Record<string, number> = {};
  for (const [place, what] of counted) {
    const [{ count }] = (await runner.query(`select ${what}`)) as [{ readonly count: string }];
    if (Number(count) > 0) lost[place] = Number(count);
  }
  return lost;
}

async function columnsOf(runner: QueryRunner, schema: string): Promise<readonly Column[]> {
  return (await runner.query(
    `select c.relname as table, a.attname as column
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p')
        and a.attnum > 0 and not a.attisdropped`,
    [`"${schema}"`],
  )) as readonly Column[];
}
