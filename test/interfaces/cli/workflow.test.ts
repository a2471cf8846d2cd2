/** `agents workflow` on Postgres: its answers in the names of the wire, and what it refuses. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answers, startModelServer } from '../../support/model-server.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer, type Envelope } from './cli-support.js';

const RESEARCH = `# Research document\n\n## Components\n\n### R-1\n\nThe clock.\n\nSources:\n- file:a.ts:1-2\n`;
const SPEC = `# Implementation spec\n\n## Steps\n\n### S-1\n\nWind it.\n\nResearch: R-1\n\nFiles:\n- a.ts\n`;
const DIFF = `--- a/x.ts\n+++ b/x.ts\n@@ -1,1 +1,1 @@\n-export function f() {\n+export function f(now: number) {\n`;

describe('agents workflow', () => {
  let database: TestDatabase;
  let folder: string;
  let env: Record<string, string>;
  let names = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'ossature-workflow-'));
    env = { DATABASE_URL: database.url, OSSATURE_REDACTION_KEY: 'k' };
    const kept: Readonly<Record<string, string>> = {
      'a.ts': 'one\ntwo\nthree\n',
      'research.md': RESEARCH,
      'spec.md': SPEC,
      'x.diff': DIFF,
      'heading.md': RESEARCH.replace('## Components', '## Parts'),
      'unknown.md': SPEC.replace('R-1', 'R-9'),
      'long.md': RESEARCH.replace('The clock.', 'word '.repeat(9_000)),
      'gone.md': RESEARCH.replace('a.ts:1-2', 'b.ts'),
      'short.md': RESEARCH.replace('a.ts:1-2', 'a.ts:3-9'),
      'out.md': RESEARCH.replace('a.ts:1-2', '../a.ts'),
      'link.md': RESEARCH.replace('a.ts:1-2', 'link.ts'),
      'folder.md': RESEARCH.replace('file:a.ts:1-2', 'file:folder'),
      'binary.md': RESEARCH.replace('a.ts:1-2', 'binary.bin'),
      'huge.md': RESEARCH.replace('a.ts:1-2', 'huge.txt'),
      'seed.md': RESEARCH.replace('file:a.ts:1-2', 'seed:x.diff#step-1'),
      'no-step.md': RESEARCH.replace('file:a.ts:1-2', 'seed:x.diff#step-2'),
      'no-entry.md': RESEARCH.replace('file:a.ts:1-2', 'entry:01ARZ3NDEKTSV4RRFFQ69G5FAV#1'),
      'orphan.md': RESEARCH.replace(/Sources:[\s\S]*/, ''),
      'empty.md': '',
      'binary.bin': 'a\u0000b',
      'huge.txt': 'x'.repeat(5_000_001),
    };
    for (const [name, text] of Object.entries(kept)) writeFileSync(join(folder, name), text);
    mkdirSync(join(folder, 'folder'));
    symlinkSync('/etc/hostname', join(folder, 'link.ts'));
    await answer(['database', 'migrate'], { env });
    await answer(['project', 'create', 'harbor'], { env });
    const words = ['create', 'untouched', '--project', 'harbor', '--goal', 'Go'];
    await run(...words, '--seed-example', at('x.diff'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  const at = (name: string): string => join(folder, name);
  const run = (...words: readonly string[]): Promise<Envelope> =>
    answer(['workflow', ...words], { env });
  const inFolder = (...words: readonly string[]): Promise<Envelope> =>
    run(...words, '--project-root', folder);
  const put = (name: string, file: string, phase = 'research', ...more: readonly string[]) =>
    inFolder('put', name, at(file), '--phase', phase, '--by', 'ada', ...more);
  const approve = (name: string, phase: string, ...more: readonly string[]) =>
    inFolder('approve', name, '--phase', phase, '--by', 'bob', ...more);

  async function begun(...more: readonly string[]): Promise<string> {
    names += 1;
    const name = `flow-${names}`;
    await run('create', name, '--project', 'harbor', '--goal', 'Go', ...more);
    return name;
  }

  it('answers in the names of the wire, and gives an artifact in the form that it takes', async () => {
    const name = await begun('--seed-example', at('x.diff'), '--budget', 'research=900');
    const made = await put(name, 'research.md');
    expect(made).toMatchObject({
      exit_code: 0,
      data: {
        outcome: 'put',
        phase: 'research',
        state: 'in-review',
        budgets: { research: 900, planning: 3_000, implementation: 40_000 },
        artifact: { kind: 'research_document', version: 1, token_count: expect.any(Number) },
        sizes: { budget_tokens: 900, items: [{ item_id: 'R-1' }] },
      },
    });
    const { data } = await run('show', name, '--phase', 'research');
    const { document } = (data?.['artifact'] ?? {}) as { readonly document?: object };
    writeFileSync(at('again.json'), JSON.stringify(document));
    expect((await put(name, 'again.json')).data).toMatchObject({ outcome: 'unchanged' });
    const { stdout } = await agents(
      ['workflow', 'show', name, '--phase', 'research', '--format', 'plain'],
      { env },
    );
    writeFileSync(at('again.md'), stdout);
    expect((await put(name, 'again.md')).data).toMatchObject({ outcome: 'unchanged' });
  });

  it('reads an artifact from standard input', async () => {
    const name = await begun();
    const words = ['workflow', 'put', name, '-', '--phase', 'research', '--by', 'ada'];
    const { data } = await answer([...words, '--project-root', folder], { env, stdin: RESEARCH });

    expect(data).toMatchObject({ outcome: 'put' });
  });

  it('cites steps of a seed example, and counts each source once', async () => {
    const name = await begun('--seed-example', at('x.diff'));
    expect((await put(name, 'seed.md')).exit_code).toBe(0);
    const { data } = await run('show', name);

    expect(data?.['sources']).toMatchObject([{ reference: 'seed:x.diff', is_kept: true }]);
    expect((await approve(name, 'research')).data).toMatchObject({
      outcome: 'approved',
      phase: 'planning',
      gaps: [],
    });
  });

  it('approves by hash, and tells of the approvals that an edit voids', async () => {
    const name = await begun();
    const { data } = await put(name, 'research.md');
    const { hash = '' } = (data?.['artifact'] ?? {}) as { readonly hash?: string };
    expect((await approve(name, 'research', '--hash', '0'.repeat(8))).messages).toMatchObject([
      { code: 'STALE' },
    ]);
    expect((await approve(name, 'research', '--hash', hash.slice(0, 10))).exit_code).toBe(0);

    const edited = await put(name, 'orphan.md');

    expect(edited.messages[0]?.text).toBe(
      'The approval of research by bob does not count any more.',
    );
    expect((await put(name, 'spec.md', 'planning')).messages).toMatchObject([
      { code: 'ILLEGAL_MOVE' },
    ]);
    expect(await approve(name, 'research')).toMatchObject({
      exit_code: 1,
      data: { outcome: 'gaps', gaps: [{ gap: 'orphan', item_id: 'R-1' }] },
    });
    expect((await approve(name, 'research', '--accept-gaps')).exit_code).toBe(0);
  });

  it('takes the text of an address from a file, and names it as changed once another text was given', async () => {
    await run('create', 'web', '--project', 'harbor', '--goal', 'Read');
    const address = 'url:https://example.org/rfc';
    expect(await run('source', 'web', address)).toMatchObject({
      data: { added: [{ hash: null }] },
    });
    const read = await run('source', 'web', address, '--content', at('a.ts'));
    expect(read.data).toMatchObject({ added: [{ hash: expect.stringMatching(/^[0-9a-f]{64}$/) }] });
    writeFileSync(at('web.md'), RESEARCH.replace('file:a.ts:1-2', address));
    const put = await run('put', 'web', at('web.md'), '--phase', 'research', '--by', 'ada');
    expect(put).toMatchObject({ exit_code: 0 });
    expect(JSON.stringify((await run('trace', 'web')).data)).not.toContain('changed-source');
    await run('source', 'web', address, '--content', at('spec.md'));
    expect(JSON.stringify((await run('trace', 'web')).data)).toContain('changed-source');
    const alone = await run('source', 'web', '--content', at('a.ts'));
    expect(alone).toMatchObject({ exit_code: 2, messages: [{ code: 'USAGE' }] });
  });

  it('rejects with reasons, and goes on from there', async () => {
    const name = await begun();
    await put(name, 'research.md');
    const words = ['reject', name, '--phase', 'research', '--by', 'bob', '--comment', 'Thin.'];

    expect((await run(...words)).data).toMatchObject({ outcome: 'rejected', state: 'working' });
    expect((await approve(name, 'research')).messages).toMatchObject([{ code: 'ILLEGAL_MOVE' }]);
    expect((await put(name, 'research.md')).data).toMatchObject({ artifact: { version: 2 } });
    expect((await approve(name, 'research')).exit_code).toBe(0);
  });

  it.each([
    ['a wrong heading', 'heading.md', 'INVALID_INPUT', 'Line 3 is no heading of this artifact'],
    ['an empty file', 'empty.md', 'INVALID_INPUT', 'must be the heading "# Research document"'],
    ['a file that is missing', 'nowhere.md', 'NOT_FOUND', 'There is no file'],
    ['a folder', 'folder', 'INVALID_INPUT', 'is no file'],
    ['a binary', 'binary.bin', 'INVALID_INPUT', 'is a binary file'],
    ['a huge file', 'huge.txt', 'INVALID_INPUT', 'has 5000001 bytes, and at most 5000000 are read'],
    ['a source that is missing', 'gone.md', 'NOT_FOUND', 'There is no b.ts in the project'],
    ['lines that are not there', 'short.md', 'NOT_FOUND', 'There is no lines 3-9 of a.ts'],
    ['a source out of the project', 'out.md', 'INVALID_INPUT', 'must be a path inside the project'],
    ['a link out of the project', 'link.md', 'INVALID_INPUT', 'leads out of the project'],
    ['a source that is a folder', 'folder.md', 'INVALID_INPUT', 'folder is no file'],
    ['a source that is binary', 'binary.md', 'INVALID_INPUT', 'is a binary file'],
    ['a source that is huge', 'huge.md', 'INVALID_INPUT', 'at most 5000000 are read'],
    ['a step that the seed has not', 'no-step.md', 'NOT_FOUND', 'There is no seed:x.diff#step-2'],
    ['an entry that is not there', 'no-entry.md', 'NOT_FOUND', 'Check the session'],
  ])('refuses %s', async (_, file, code, text) => {
    const { exit_code, messages } = await put('untouched', file);

    expect(exit_code).toBe(1);
    expect(messages).toMatchObject([{ code, text: expect.stringContaining(text) }]);
  });

  it('has written nothing of what it refused', async () => {
    const { data } = await run('show', 'untouched');

    expect(data).toMatchObject({
      artifacts: [],
      sources: [{ reference: 'seed:x.diff' }],
      version: 2,
    });
  });

  it('refuses an artifact over its budget, with the tokens of every item', async () => {
    const name = await begun();

    expect(await put(name, 'long.md')).toMatchObject({
      exit_code: 1,
      data: {
        outcome: 'over-budget',
        artifact: null,
        version: 1,
        sizes: { budget_tokens: 8_000, items: [{ item_id: 'R-1', tokens: expect.any(Number) }] },
      },
    });
  });

  it('refuses research items that the research has not', async () => {
    const name = await begun();
    await put(name, 'research.md');
    await approve(name, 'research');

    expect((await put(name, 'unknown.md', 'planning')).messages).toMatchObject([
      { code: 'INVALID_INPUT', text: expect.stringContaining('S-1 names R-9') },
    ]);
  });

  it('refuses to approve nothing, to context nothing, and a version that has passed', async () => {
    const name = await begun();
    expect((await approve(name, 'research')).messages).toMatchObject([
      { code: 'ILLEGAL_MOVE', text: expect.stringContaining('has no artifact yet') },
    ]);
    expect((await inFolder('context', name)).messages).toMatchObject([{ code: 'ILLEGAL_MOVE' }]);
    await put(name, 'research.md');
    const late = await put(name, 'orphan.md', 'research', '--expect-version', '1');
    expect(late.messages).toMatchObject([{ code: 'STALE', details: { expected: 1, version: 2 } }]);
    expect((await run('show', name)).data).toMatchObject({ version: 2 });
  });

  it('names what has become unreadable, in the trace and in the context', async () => {
    const name = await begun();
    writeFileSync(at('later.ts'), 'text');
    writeFileSync(at('later.md'), RESEARCH.replace('a.ts:1-2', 'later.ts'));
    writeFileSync(at('later-spec.md'), SPEC.replace('- a.ts', '- later.ts\n- a.ts'));
    await put(name, 'later.md');
    await approve(name, 'research');
    await put(name, 'later-spec.md', 'planning');
    await approve(name, 'planning');
    writeFileSync(at('later.ts'), 'a\u0000b');

    expect((await inFolder('trace', name)).data?.['gaps']).toMatchObject([
      { gap: 'missing-source', item_id: 'R-1', reference: 'file:later.ts' },
    ]);
    expect((await inFolder('context', name)).data).toMatchObject({
      outcome: 'rendered',
      files: [{ path: 'a.ts' }],
      left_out: [{ path: 'later.ts', tokens: null, reason: 'unreadable' }],
    });
  });

  it('gives nothing of another tenant', async () => {
    const name = await begun();
    await put(name, 'research.md');
    for (const words of [
      ['show', name],
      ['trace', name, '--project-root', folder],
      ['context', name, '--project-root', folder],
      ['put', name, at('research.md'), '--phase', 'research', '--by', 'eve'],
      ['approve', name, '--phase', 'research', '--by', 'eve'],
      ['reject', name, '--phase', 'research', '--by', 'eve', '--comment', 'x'],
    ]) {
      const { messages } = await run(...words, '--tenant', 'other');
      expect(messages).toMatchObject([{ code: 'NOT_FOUND' }]);
    }
    expect((await run('list', '--tenant', 'other')).data).toEqual({ workflows: [] });
  });

  it.each([
    [
      'a name that is taken',
      ['create', 'flow-1', '--project', 'harbor', '--goal', 'g'],
      'ALREADY_EXISTS',
      1,
    ],
    [
      'a project that is not there',
      ['create', 'n', '--project', 'none', '--goal', 'g'],
      'NOT_FOUND',
      1,
    ],
    ['a blank goal', ['create', 'n', '--project', 'harbor', '--goal', ' '], 'INVALID_INPUT', 1],
    [
      'a budget of nothing',
      ['create', 'n', '--project', 'harbor', '--goal', 'g', '--budget', 'research=0'],
      'INVALID_CONFIG',
      1,
    ],
    [
      'a budget of no phase',
      ['create', 'n', '--project', 'harbor', '--goal', 'g', '--budget', 'x=1'],
      'INVALID_INPUT',
      1,
    ],
    [
      'a budget that is none',
      ['create', 'n', '--project', 'harbor', '--goal', 'g', '--budget', 'much'],
      'USAGE',
      2,
    ],
    ['no goal', ['create', 'n', '--project', 'harbor'], 'USAGE', 2],
    ['no sources', ['source', 'flow-1'], 'USAGE', 2],
    [
      'a phase that is not one',
      ['approve', 'flow-1', '--phase', 'testing', '--by', 'b'],
      'USAGE',
      2,
    ],
    ['a draft without a model', ['draft', 'flow-1', '--phase', 'research'], 'MODEL_UNAVAILABLE', 1],
    ['a workflow that is not there', ['show', 'nothing'], 'NOT_FOUND', 1],
    ['an artifact that is not there', ['show', 'flow-2', '--phase', 'planning'], 'NOT_FOUND', 1],
  ])('refuses %s', async (_, words, code, exitCode) => {
    expect(await run(...words)).toMatchObject({ exit_code: exitCode, messages: [{ code }] });
  });

  it('refuses a seed example that is no diff, and begins nothing', async () => {
    const { messages } = await run(
      'create',
      'no-diff',
      '--project',
      'harbor',
      '--goal',
      'g',
      '--seed-example',
      at('research.md'),
    );

    expect(messages).toMatchObject([
      { code: 'INVALID_INPUT', text: expect.stringContaining('no unified diff') },
    ]);
    expect((await run('show', 'no-diff')).messages).toMatchObject([{ code: 'NOT_FOUND' }]);
  });

  it('has a configured model draft', async () => {
    const items = [{ item_id: 'R-1', section: 'components', text: 'x', sources: ['file:a.ts'] }];
    const server = await startModelServer(
      answers(JSON.stringify({ kind: 'research_document', items })),
    );
    const name = await begun();
    const withModel = { ...env, OSSATURE_MODEL: 'm', OSSATURE_MODEL_BASE_URL: server.baseUrl };
    const words = ['workflow', 'draft', name, '--phase', 'research', '--project-root', folder];

    expect(await answer(words, { env: withModel })).toMatchObject({
      exit_code: 0,
      data: { outcome: 'put', artifact: { producer: 'model:m' } },
    });
    await server.close();
  });

  it('shows a trace and a context in every format', async () => {
    const name = await begun();
    await put(name, 'research.md');
    await approve(name, 'research');
    await put(name, 'spec.md', 'planning');
    await approve(name, 'planning');
    for (const format of ['rich', 'plain', 'yaml', 'json']) {
      const form = ['--project-root', folder, '--format', format];
      const trace = await agents(['workflow', 'trace', name, ...form], { env });
      const context = await agents(['workflow', 'context', name, ...form], { env });
      expect(trace.stdout).toContain('file:a.ts:1-2');
      expect(context.stdout).toContain('Wind it.');
    }
  });
});
