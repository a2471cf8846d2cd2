/** Several processes import one file on Postgres, and one is killed in the middle: the end is the same. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { TOKENS } from '../../src/index.js';
import { type CompiledCli, compileCli, RunningCli } from '../interfaces/cli/compiled-cli.js';
import { connect, rowsOf } from '../support/builders.js';
import { type OpenedCore, openOnPostgres } from '../support/stores.js';

/** Rounds of prompt, call and result: three batches of entries. */
const ROUNDS = 600;

function transcript(): string {
  const records: object[] = [];
  const add = (type: string, message: object): void => {
    const at = records.length;
    records.push({
      type,
      uuid: `r${at}`,
      parentUuid: at === 0 ? null : `r${at - 1}`,
      sessionId: 'long',
      cwd: '/home/me',
      timestamp: '2026-01-31T12:00:00.000Z',
      isSidechain: false,
      message,
    });
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = `c${round}`;
    const input = {
      file_path: `/home/me/f${round % 50}.ts`,
      content: `export const v = ${round};`,
    };
    add('user', { role: 'user', content: `Round ${round}.` });
    add('assistant', {
      role: 'assistant',
      id: `m${round}`,
      content: [
        { type: 'text', text: `Writing ${round}.` },
        { type: 'tool_use', id, name: 'Write', input },
      ],
    });
    add('user', {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: 'written', is_error: false }],
    });
  }
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

describe('one transcript, imported by several processes', () => {
  let opened: OpenedCore & { readonly url: string };
  let client: Client;
  let cli: CompiledCli;
  let folder: string;
  let file: string;

  beforeAll(async () => {
    opened = await openOnPostgres();
    client = await connect(opened.url);
    cli = compileCli();
    folder = mkdtempSync(join(tmpdir(), 'ossature-import-'));
    file = join(folder, 'long.jsonl');
    writeFileSync(file, transcript());
  });
  afterAll(async () => {
    await client.end();
    await opened.close();
    cli.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (tenant: string): RunningCli =>
    new RunningCli(cli.main, ['session', 'import', file, '--tenant', tenant, '--format', 'json'], {
      DATABASE_URL: opened.url,
      OSSATURE_HOME: folder,
      OSSATURE_REDACTION_KEY: 'k',
    });

  const importedBy = async (process: RunningCli): Promise<{ added: number; ignored: number }> => {
    expect({ ended: await process.ended, stderr: process.stderr }).toEqual({
      ended: 0,
      stderr: '',
    });
    const answer = JSON.parse(process.stdout) as {
      data: { sessions: { added: number; ignored: number }[] };
    };
    const [receipt] = answer.data.sessions;
    return { added: receipt?.added ?? -1, ignored: receipt?.ignored ?? -1 };
  };

  /** Everything of the tenant's one session but ids that every run makes anew. */
  async function stored(tenantId: string) {
    const { sessions, trails } = opened.core.resolve(TOKENS.repositories);
    const all = await sessions.list(tenantId);
    const [session] = all;
    if (session === undefined || all.length > 1) throw new Error(`${all.length} sessions`);
    const entries = await sessions.listEntries(session, { from: 1, to: null });
    const trail = await trails.read(session);
    return {
      entries: entries.map(({ entryId: _entryId, ...entry }) => entry),
      events: await trails.listEvents(session),
      artifacts: [...trail.artifacts.values()],
    };
  }

  it('is stored as if one had imported it, whoever came first', async () => {
    const alone = await importedBy(start('alone'));
    expect(alone).toEqual({ added: 4 * ROUNDS, ignored: 0 });

    const two = [start('both'), start('both')];
    const receipts = await Promise.all(two.map(importedBy));
    expect(receipts.reduce((sum, { added }) => sum + added, 0)).toBe(4 * ROUNDS);
    expect(await stored('both')).toEqual(await stored('alone'));
  }, 120_000);

  it('that is killed leaves a valid beginning, which the next import completes', async () => {
    const killed = start('killed');
    for (;;) {
      const [row] = await rowsOf<{ readonly last_seq: number }>(
        client,
        `select last_seq from ossature.sessions where tenant_id = 'killed'`,
      );
      if ((row?.last_seq ?? 0) > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    const whole = await stored('alone');
    const beginning = await stored('killed');
    const { length } = beginning.entries;
    expect(length).toBeLessThan(4 * ROUNDS);
    expect(beginning.entries).toEqual(whole.entries.slice(0, length));
    expect(beginning.events).toEqual(whole.events.filter(({ resultSeq }) => resultSeq <= length));

    expect(await importedBy(start('killed'))).toEqual({
      added: 4 * ROUNDS - length,
      ignored: length,
    });
    expect(await stored('killed')).toEqual(whole);
  }, 120_000);
});
