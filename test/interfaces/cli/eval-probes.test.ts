/** `agents eval probes`, `run`, `grade`, `list`, `show` and `report` on Postgres, on the example session. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer } from './cli-support.js';

interface ToldProbe {
  readonly probe_id: string;
  readonly type: string;
  readonly facts: readonly { readonly value: string | readonly string[] }[];
}

describe('probes on the command line', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let folder: string;
  let name: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    env = { DATABASE_URL: database.url };
    folder = mkdtempSync(join(tmpdir(), 'ossature-eval-'));
    await agents(['database', 'migrate'], { env });
    const file = resolve('examples/session.jsonl');
    const { data } = await answer(['session', 'import', file], { env });
    const [session] = (data?.['sessions'] ?? []) as readonly { session_id: string }[];
    name = session?.session_id ?? '';
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  const evaluate = (...words: string[]) => answer(['eval', ...words], { env });

  it('has nothing to ask about before a pass', async () => {
    for (const command of ['probes', 'run']) {
      const { exit_code, messages } = await evaluate(command, name);
      expect(exit_code).toBe(1);
      expect(messages[0]?.text).toContain('nothing to ask about');
    }
  });

  it('makes the same probes from the same seed, each citing the span', async () => {
    await answer(['session', 'compact', name, '--window', '20000'], { env });
    const { exit_code, data } = await evaluate('probes', name);
    expect(exit_code).toBe(0);
    const probes = data?.['probes'] as readonly ToldProbe[];
    expect(new Set(probes.map(({ type }) => type)).size).toBeGreaterThanOrEqual(3);
    const again = (await evaluate('probes', name)).data?.['probes'] as readonly ToldProbe[];
    expect(again.map(({ probe_id: id }) => id)).toEqual(probes.map(({ probe_id: id }) => id));
    const other = (await evaluate('probes', name, '--seed', '9')).data?.['probes'];
    expect(JSON.stringify(other)).not.toBe(JSON.stringify(probes));
  });

  it('measures survival without a model, keeps the run, and gives it out in every form', async () => {
    const bound = 'full.survival>=1';
    const { exit_code, data } = await evaluate('run', name, '--assert', bound);
    expect(exit_code).toBe(0);
    expect(data).toMatchObject({
      kind: 'run',
      n: { sessions: 1, points: 1, answers: 0 },
      arms: [{ name: 'full' }, { name: 'offline' }],
      assertions: [{ held: true }],
    });
    const runId = String(data?.['run_id']);
    expect((await evaluate('list')).data).toMatchObject({ runs: [{ run_id: runId, kind: 'run' }] });
    expect((await evaluate('show', runId)).data).toMatchObject({ run_id: runId, kind: 'run' });

    const markdown = join(folder, 'report.md');
    await evaluate('report', runId, '--to', 'md', '--out', markdown);
    expect(readFileSync(markdown, 'utf8')).toMatch(/^# What of the dropped span[\s\S]*## Quotes/);
    const html = join(folder, 'report.html');
    await evaluate('report', runId, '--to', 'html', '--out', html, '--no-quotes');
    const page = readFileSync(html, 'utf8');
    expect(page).toContain('<svg');
    expect(page).not.toContain('Quotes');
    const json = (await agents(['eval', 'report', runId, '--to', 'json'], { env })).stdout;
    expect(JSON.parse(json)).toMatchObject({
      format: 'ossature-evaluation-report',
      format_version: 1,
      run_id: runId,
    });
    expect((await agents(['eval', 'report', runId, '--to', 'json'], { env })).stdout).toBe(json);
  });

  it('marks answers that somebody brings, and says which are missing or belong nowhere', async () => {
    const { data: set } = await evaluate('probes', name);
    const probes = set?.['probes'] as readonly ToldProbe[];
    const file = join(folder, 'answers.jsonl');
    const lines = probes.slice(1).map(({ probe_id: probeId, facts }) =>
      JSON.stringify({
        probe_id: probeId,
        text: facts.flatMap(({ value }) => [value].flat()).join('\n'),
      }),
    );
    lines.push('{"probe_id": "nobody", "text": "?"}', 'no json');
    writeFileSync(file, lines.join('\n'));
    const { exit_code, data, messages } = await evaluate(
      'grade',
      String(set?.['probe_set_id']),
      file,
      '--assert',
      'given.grader_accuracy>=4',
    );
    expect(messages[0]?.text).toContain(`Line ${lines.length}`);
    expect(data).toMatchObject({ kind: 'grade', n: { answers: probes.length - 1 } });
    expect(data?.['failures']).toEqual([
      { what: 'answer to nobody', reason: 'no probe of this set', count: 1 },
      { what: `probe ${probes[0]?.probe_id}`, reason: 'no answer was given', count: 1 },
    ]);
    expect(exit_code).toBe(0);
  });

  it('compares arms at one size on the same probes, and leaves the session as it is', async () => {
    const words = ['--target-tokens', '7000', '--cycles', '2', '--assert', 'full.survival>=1'];
    const { exit_code, data } = await evaluate('compare', name, ...words);
    expect(data).toMatchObject({
      kind: 'compare',
      n: { sessions: 1, points: 2, failed_passes: 0 },
      arms: [{ name: 'full' }, { name: 'head' }, { name: 'offline' }, { name: 'tail' }],
      warnings: ['1 session: too few to rank.'],
    });
    expect(exit_code).toBe(0);
    const arms = data?.['arms'] as readonly { figures: Record<string, { value: number }> }[];
    const [, , offline, tail] = arms.map(({ figures }) => figures['survival']?.value ?? 0);
    expect(offline).toBeGreaterThan(tail ?? 1);
    expect((await answer(['session', 'show', name], { env })).data).toMatchObject({ cycle: 1 });
    const { exit_code: refused } = await evaluate('compare', name, '--strategies', 'luck');
    expect(refused).toBe(2);
  });

  it('refuses probes of another span', async () => {
    const { data: set } = await evaluate('probes', name);
    await answer(['session', 'rollback', name, '--to-cycle', '0'], { env });
    await answer(['session', 'compact', name, '--window', '24000', '--now'], { env });
    const { exit_code, messages } = await evaluate(
      'run',
      name,
      '--probes',
      String(set?.['probe_set_id']),
    );
    expect(exit_code).toBe(1);
    expect(messages[0]).toMatchObject({ code: 'STALE' });
  });

  it.each([
    { words: ['run', '--judge'], code: 'MODEL_UNAVAILABLE', exitCode: 1 },
    { words: ['probes', '--model'], code: 'MODEL_UNAVAILABLE', exitCode: 1 },
    { words: ['probes', '--types', 'gossip'], code: 'USAGE', exitCode: 2 },
    { words: ['run', '--judge-runs', '0'], code: 'USAGE', exitCode: 2 },
  ])('answers $words with $code', async ({ words: [command = '', ...options], code, exitCode }) => {
    const { exit_code, messages } = await evaluate(command, name, ...options);
    expect({ exit_code, code: messages[0]?.code }).toEqual({ exit_code: exitCode, code });
  });

  it('knows no run of another tenant', async () => {
    const { data } = await evaluate('list', '--tenant', 'other');
    expect(data).toEqual({ runs: [] });
    const { messages } = await evaluate('show', '01J8ZQ4Q2M7V0C3K5T9N6R1W8X');
    expect(messages[0]).toMatchObject({ code: 'NOT_FOUND' });
  });
});
