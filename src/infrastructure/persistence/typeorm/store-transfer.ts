/**
 * Moving a whole store: every row of every table as lines of JSON, with a head that says which version
 * wrote it and an end that says how much it was. A file that was cut short, or changed, is refused as
 * a whole.
 *
 *   {"format":"ossature-store","format_version":1,"schema_version":"…","exported_at":"…"}
 *   {"table":"projects","row":{…}}
 *   …
 *   {"end":true,"rows":{"projects":1,…},"sha256":"of every line above"}
 */
import { createHash } from 'node:crypto';
import type { DataSource, QueryRunner } from 'typeorm';
import { z } from 'zod';
import { MIGRATIONS } from '../../../../migrations/index.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { translate } from './store-errors.js';

/** In the order of their foreign keys, but for the parents of sessions, which are checked at the end; plans from the roots down. */
const TABLES = {
  projects: 'project_id',
  context_policies: 'project_id, view',
  plans: 'depth, plan_id',
  decisions: 'created_at, decision_id',
  fragments: 'position',
  compression_records: 'created_at, record_id',
  sessions: 'created_at, tenant_id, session_id',
  contents: 'tenant_id, content_hash',
  session_media: 'tenant_id, media_hash',
  session_entries: 'tenant_id, session_id, seq',
  session_sources: 'tenant_id, session_id',
  session_entry_counts: 'tenant_id, session_id, counter_name, counter_version, seq',
  session_mark_blocks: 'tenant_id, session_id, block',
  session_usage: 'tenant_id, session_id, usage_key',
  artifact_events: 'tenant_id, session_id, seq, ordinal',
  artifacts: 'tenant_id, session_id, first_seq, path',
  session_commands: 'tenant_id, session_id, seq',
  session_errors: 'tenant_id, session_id, seen_at, key, signature',
  session_todos: 'tenant_id, session_id, place',
  session_known_contents: 'tenant_id, session_id, touched',
  session_attempts: 'tenant_id, session_id, attempt_id',
  session_cycles: 'tenant_id, session_id, cycle',
  session_items: 'tenant_id, session_id, item_no, revision',
  session_previews: 'tenant_id, session_id, seq',
  session_expansions: 'tenant_id, session_id, expansion_id',
  counter_calibrations: 'tenant_id, model, counter_name, counter_version',
  capsules: 'created_at, child_plan_id',
  workflows: 'created_at, tenant_id, workflow_id',
  workflow_sources: 'tenant_id, workflow_id, source_no',
  workflow_artifacts: 'tenant_id, workflow_id, phase, version',
  workflow_approvals: 'tenant_id, workflow_id, approval_no',
  lessons: 'created_at, lesson_id',
  lesson_texts: 'lesson_id, version',
  lesson_edges: 'child_id, parent_id',
  lesson_terms: 'lesson_id, term',
  lesson_claims: 'lesson_id, ordinal, claim_id',
  claim_covers: 'child_id, child_claim_id, parent_id',
  episodes: 'created_at, episode_id',
  episode_uses: 'created_at, use_id',
  lesson_uses: 'use_id, place',
  lesson_coverage: 'lesson_id, episode_id',
  episode_marks: 'lesson_id, episode_id, kind',
  observed_spans: 'lesson_id, ordinal',
  preserve_hints: 'lesson_id, ordinal',
  compression_attempts: 'started_at, attempt_id',
  replay_results: 'attempt_id, ordinal',
  dropped_claims: 'lesson_id, ordinal',
  descents: 'opened_at, descent_id',
  descent_steps: 'descent_id, step',
  repairs: 'created_at, repair_id',
  rescues: 'created_at, rescue_id',
  lesson_tries: 'lesson_id, target_id, fingerprint',
  lesson_conflicts: 'conflict_id',
  lesson_servings: 'session_id, lesson_id',
  lesson_policies: "coalesce(project_id, '')",
  lesson_events: 'seq',
  probe_sets: 'tenant_id, probe_set_id',
  probes: 'tenant_id, probe_set_id, place',
  evaluation_runs: 'tenant_id, run_id, state desc',
  answers: 'tenant_id, run_id, arm, session_id, cycle, probe_id',
  marks: 'tenant_id, run_id, arm, session_id, cycle, probe_id, judge_run, criterion_id',
  judgements: 'tenant_id, run_id, arm, session_id, cycle, probe_id, judge_run',
  run_summaries: 'tenant_id, run_id, request_hash',
} as const;
type Table = keyof typeof TABLES;
const TABLE_NAMES = Object.keys(TABLES) as readonly Table[];

/** Columns that the database numbers; it goes on after the largest number that was imported. */
const NUMBERED = [
  ['fragments', 'position'],
  ['lesson_events', 'seq'],
] as const;

/** Rows fetched or inserted by one statement. */
const BATCH_ROWS = 200;
/** UTF-16 units of one insert: large contents make smaller batches. */
const BATCH_LENGTH = 1_000_000;

export interface TransferSummary {
  readonly rows: Readonly<Record<string, number>>;
  /** Of every line before the last; equal for equal stores but for the time of export. */
  readonly sha256: string;
}

const head = z.object({
  format: z.literal('ossature-store'),
  format_version: z.literal(1),
  schema_version: z.string(),
});
const line = z.union([
  z.object({ table: z.enum(TABLE_NAMES), row: z.record(z.string(), z.unknown()) }),
  z.object({ end: z.literal(true), rows: z.record(z.string(), z.int()), sha256: z.string() }),
]);

/** Writes one consistent picture of the store, line by line without line ends. */
export async function exportStore(
  dataSource: DataSource,
  schema: string,
  write: (line: string) => Promise<void> | void,
): Promise<TransferSummary> {
  const digest = createHash('sha256');
  const rows: Record<string, number> = {};
  const put = async (value: unknown): Promise<void> => {
    const text = JSON.stringify(value);
    digest.update(text).update('\n');
    await write(text);
  };
  return inTransaction(dataSource, 'REPEATABLE READ', async (runner) => {
    await put({
      format: 'ossature-store',
      format_version: 1,
      schema_version: MIGRATIONS.at(-1)?.name,
      exported_at: new Date().toISOString(),
    });
    for (const table of TABLE_NAMES) {
      rows[table] = 0;
      for await (const row of rowsOf(runner, schema, table)) {
        rows[table] += 1;
        await put({ table, row });
      }
    }
    const sha256 = digest.digest('hex');
    await write(JSON.stringify({ end: true, rows, sha256 }));
    return { rows, sha256 };
  });
}

async function* rowsOf(
  runner: QueryRunner,
  schema: string,
  table: Table,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  await runner.query(
    `declare ossature_export no scroll cursor for
     select to_jsonb(t) as row from "${schema}".${table} t order by ${TABLES[table]}`,
  );
  for (;;) {
    const batch = (await runner.query(`fetch ${BATCH_ROWS} from ossature_export`)) as {
      readonly row: Readonly<Record<string, unknown>>;
    }[];
    if (batch.length === 0) break;
    for (const { row } of batch) yield row;
  }
  await runner.query('close ossature_export');
}

/**
 * Fills an empty store from what `exportStore` wrote: all of it, or nothing.
 *
 * @throws OssatureError ALREADY_EXISTS where the store holds anything, INVALID_INPUT naming the line,
 * SCHEMA_TOO_NEW for a file of a later version.
 */
export async function importStore(
  dataSource: DataSource,
  schema: string,
  lines: AsyncIterable<string>,
): Promise<TransferSummary> {
  return inTransaction(dataSource, 'READ COMMITTED', async (runner) => {
    await requireEmpty(runner, schema);
    await runner.query('set constraints all deferred');
    const reader = new TransferReader(runner, schema);
    for await (const text of lines) await reader.take(text);
    const summary = reader.finish();
    for (const [table, column] of NUMBERED) {
      await runner.query(
        `select setval(pg_get_serial_sequence($1, $2),
           (select coalesce(max(${column}), 0) + 1 from "${schema}".${table}), false)`,
        [`"${schema}".${table}`, column],
      );
    }
    return summary;
  });
}

/** Reads line after line, inserts in batches, and knows at the end whether everything came. */
class TransferReader {
  private lineNumber = 0;
  private readonly digest = createHash('sha256');
  private readonly rows: Record<string, number> = Object.fromEntries(
    TABLE_NAMES.map((table) => [table, 0]),
  );
  private summary: TransferSummary | null = null;
  private waiting: { readonly table: Table; readonly rows: unknown[]; length: number } | null =
    null;

  constructor(
    private readonly runner: QueryRunner,
    private readonly schema: string,
  ) {}

  async take(text: string): Promise<void> {
    if (text === '' && this.summary !== null) return;
    this.lineNumber += 1;
    const value = this.parse(text);
    if (this.summary !== null) throw this.unreadable('stands behind the end of the export');
    if (this.lineNumber === 1) this.takeHead(value);
    else await this.takeLine(value);
    this.digest.update(text).update('\n');
  }

  finish(): TransferSummary {
    if (this.summary !== null) return this.summary;
    if (this.lineNumber === 0) {
      throw new OssatureError(
        'INVALID_INPUT',
        'The file is empty, so it is no export. Give a file that "agents database export FILE" wrote. Nothing was imported.',
        { details: { line: 0 } },
      );
    }
    throw this.unreadable(
      'is the last one, but the end of the export is missing: it was cut short',
    );
  }

  private takeHead(value: unknown): void {
    const parsed = head.safeParse(value);
    if (!parsed.success) throw this.unreadable('is not the head of an export of ossature');
    if (MIGRATIONS.some(({ name }) => name === parsed.data.schema_version)) return;
    throw new OssatureError(
      'SCHEMA_TOO_NEW',
      `The export was written by a newer version of ossature (schema ${parsed.data.schema_version}). Import it with that version or a later one.`,
      { details: { schemaVersion: parsed.data.schema_version } },
    );
  }

  private async takeLine(value: unknown): Promise<void> {
    const parsed = line.safeParse(value);
    if (!parsed.success) throw this.unreadable('is neither a row of a known table nor the end');
    if ('end' in parsed.data) {
      await this.flush();
      this.summary = this.checked(parsed.data);
      return;
    }
    const { table, row } = parsed.data;
    if (this.waiting !== null && this.waiting.table !== table) await this.flush();
    this.waiting ??= { table, rows: [], length: 0 };
    this.waiting.rows.push(row);
    this.waiting.length += typeof row['content'] === 'string' ? row['content'].length : 200;
    if (this.waiting.rows.length >= BATCH_ROWS || this.waiting.length >= BATCH_LENGTH) {
      await this.flush();
    }
  }

  private checked(end: { readonly rows: Record<string, number>; readonly sha256: string }) {
    const sha256 = this.digest.copy().digest('hex');
    const complete = TABLE_NAMES.every((table) => end.rows[table] === this.rows[table]);
    if (complete && sha256 === end.sha256) return { rows: this.rows, sha256 };
    throw this.unreadable(
      'does not agree with the lines above it: rows are missing or were changed',
    );
  }

  private async flush(): Promise<void> {
    if (this.waiting === null) return;
    const { table, rows } = this.waiting;
    this.waiting = null;
    const target = `"${this.schema}".${table}`;
    await this.runner.query(
      `insert into ${target} select * from jsonb_populate_recordset(null::${target}, $1::jsonb)`,
      [JSON.stringify(rows)],
    );
    this.rows[table] = (this.rows[table] ?? 0) + rows.length;
  }

  private parse(text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw this.unreadable('is not JSON');
    }
  }

  private unreadable(reason: string): OssatureError {
    return new OssatureError(
      'INVALID_INPUT',
      `Line ${this.lineNumber} of the export ${reason}. Nothing was imported.`,
      { details: { line: this.lineNumber } },
    );
  }
}

async function requireEmpty(runner: QueryRunner, schema: string): Promise<void> {
  for (const table of TABLE_NAMES) {
    const [{ filled }] = (await runner.query(
      `select exists (select from "${schema}".${table}) as filled`,
    )) as [{ readonly filled: boolean }];
    if (!filled) continue;
    throw new OssatureError(
      'ALREADY_EXISTS',
      `The store already holds ${table}. An export is imported into an empty store only: choose a new OSSATURE_HOME or database.`,
      { details: { table } },
    );
  }
}

async function inTransaction<Result>(
  dataSource: DataSource,
  isolation: 'REPEATABLE READ' | 'READ COMMITTED',
  work: (runner: QueryRunner) => Promise<Result>,
): Promise<Result> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction(isolation);
    const result = await work(runner);
    await runner.commitTransaction();
    return result;
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => {});
    throw translate(error);
  } finally {
    await runner.release().catch(() => {});
  }
}
