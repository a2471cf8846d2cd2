/** `agents eval` with a model behind an HTTP endpoint: gate of the judge, resuming after kill -9, what reports say. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { type CompiledCore, compileCore } from '../../infrastructure/typeorm/compiled-core.js';
import { askedFor, evaluates, judgesBlindly } from '../../support/evaluation-model.js';
import {
  type Behaviour,
  hangs,
  type ModelServer,
  sends,
  startModelServer,
} from '../../support/model-server.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer } from './cli-support.js';

const PROGRAM = `
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { run } from './src/interfaces/cli/run.js';
const lines = createInterface({ input: process.stdin });
for await (const line of lines) {
  const { argv, env } = JSON.parse(line);
  let text = '';
  const stdout = new Writable({ write(chunk, _, done) { text += chunk; done(); } });
  const stderr = new Writable({ write(_chunk, _, done) { done(); } });
  const signal = new AbortController().signal;
  await run([...argv, '--format', 'json'], { env, stdin: Readable.from([]), stdout, stderr, signal });
  console.log(JSON.stringify({ text }));
}`;

describe('evaluation with a model', () => {
  let database: TestDatabase;
  let server: ModelServer;
  let core: CompiledCore;
  let env: Record<string, string>;
  let name: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startModelServer(evaluates);
    core = compileCore();
    env = { DATABASE_URL: database.url };
    await agents(['database', 'migrate'], { env });
    const { data } = await answer(['session', 'import', resolve('examples/session.jsonl')], {
      env,
    });
    const [session] = (data?.['sessions'] ?? []) as readonly { session_id: string }[];
    name = session?.session_id ?? '';
    await answer(['session', 'compact', name, '--window', '20000'], { env });
    env = { ...env, OSSATURE_MODEL: 'served', OSSATURE_MODEL_BASE_URL: server.baseUrl };
  });
  afterEach(() => server.behave(evaluates));
  afterAll(async () => {
    core.remove();
    await server.close();
    await database.drop();
  });

  const evaluate = (...words: string[]) => answer(['eval', ...words], { env });
  const isJudged = (request: ModelServer['requests'][number]): boolean =>
    askedFor(request).includes('criteria');

  /** Runs a command in a process of its own, kills it at the request of that number, and runs it again. */
  async function interrupted(argv: readonly string[], at: number) {
    const first: Behaviour[] = Array.from({ length: at - 1 }, () => evaluates);
    const reached = new Promise<void>((tell) => {
      server.behave(...first, (response, request) => {
        tell();
        hangs(response, request);
      });
    });
    const worker = core.start(PROGRAM);
    const ended = worker.ask({ argv, env }).catch(() => null);
    await reached;
    await worker.kill();
    await ended;
    const answered = server.requests.slice(0, at - 1).map(askedFor);
    server.behave(evaluates);
    const { data } = await answer(argv, { env });
    return { answered, after: server.requests.map(askedFor), data };
  }

  it('does not ask a judge that was not checked, and says so', async () => {
    server.behave(evaluates);
    const { exit_code, data, messages } = await evaluate('run', name, '--judge');
    expect(exit_code).toBe(0);
    expect(server.requests.filter(isJudged)).toEqual([]);
    expect(messages.map(({ text }) => text).join(' ')).toMatch(
      /has not been checked yet: its marks are withheld.*Run `agents eval judge-check`/,
    );
    expect(data).toMatchObject({ settings: { judge_check: 'not-checked' }, n: { judgements: 0 } });
    expect(JSON.stringify(data?.['arms'])).not.toContain('judge_');
  });

  it('withholds the marks of a judge that failed its check', async () => {
    server.behave(judgesBlindly);
    expect((await evaluate('judge-check')).exit_code).toBe(1);
    server.behave(evaluates);
    const { data, messages } = await evaluate('run', name, '--judge');
    expect(server.requests.filter(isJudged)).toEqual([]);
    expect(messages.map(({ text }) => text).join(' ')).toContain(
      'failed `agents eval judge-check`',
    );
    expect(data).toMatchObject({ settings: { judge_check: 'failed' } });
  });

  it('a check of the judge that is killed goes on, and asks about no answer twice', async () => {
    const { answered, after, data } = await interrupted(['eval', 'judge-check'], 12);
    expect(data).toMatchObject({ kind: 'judge-check', n: { cases: 20, answers: 28 } });
    expect([answered.length, after.length]).toEqual([11, 17]);
    expect(after.filter((request) => answered.includes(request))).toEqual([]);
  });

  it('a run that is killed among its answers, and among its judgements, asks nothing twice', async () => {
    const argv = ['eval', 'run', name, '--judge', '--judge-runs', '2', '--seed', '5'];
    server.behave(evaluates);
    const whole = await answer([...argv.slice(0, -1), '6'], { env });
    const { probes = 0 } = (whole.data?.['n'] ?? {}) as { readonly probes?: number };
    const requests = server.requests.length;
    expect(whole.data).toMatchObject({
      settings: { judge_check: 'passed' },
      n: { answers: 2 * probes, judgements: 4 * probes, unreadable_judgements: 0 },
      warnings: expect.arrayContaining([expect.stringContaining('are one model (model:served)')]),
      versions: { answerer: 'model:served, prompt 1', judge: 'model:served, prompt 1' },
    });
    expect(requests).toBe(6 * probes);
    const places = [4, 2 * probes + 5];
    for (const [at, place] of places.entries()) {
      const seed = String(50 + at);
      const { answered, after, data } = await interrupted([...argv.slice(0, -1), seed], place);
      expect(answered).toHaveLength(place - 1);
      // Equal questions may be asked of equal contexts; of a run the number is what counts.
      const { probes: asked = 0 } = (data?.['n'] ?? {}) as { readonly probes?: number };
      expect(answered.length + after.length).toBe(6 * asked);
      expect(data).toMatchObject({ n: { answers: 2 * asked, judgements: 4 * asked } });
    }
  });

  it('counts judgements that cannot be read, and gives no mark for them', async () => {
    let judged = 0;
    server.behave((response, request) => {
      judged += isJudged(request) ? 1 : 0;
      const isLost = isJudged(request) && judged <= 2;
      (isLost ? sends(completionOf('no JSON at all')) : evaluates)(response, request);
    });
    const { data } = await evaluate('run', name, '--judge', '--seed', '7');
    expect(data).toMatchObject({ n: { unreadable_judgements: 1 } });
    expect(JSON.stringify(data?.['failures'])).toContain('unreadable judgement');
  });

  it('shrinks the prefix in another way where it is asked to, and takes part in comparisons', async () => {
    const run = await evaluate('run', name, '--strategy', 'tail', '--assert', 'n.answers>=1');
    expect(run.exit_code).toBe(0);
    expect(run.data).toMatchObject({
      settings: { strategy: 'tail' },
      arms: [{ name: 'full' }, { name: 'tail' }],
    });
    const compared = await evaluate(
      'compare',
      name,
      '--strategies',
      'tail,offline:importance',
      '--target-tokens',
      '7000',
    );
    expect(compared.data).toMatchObject({
      n: { judgements: expect.any(Number), failed_judgements: 0 },
      arms: [
        { name: 'offline:importance', figures: { tokens_per_task: { value: expect.any(Number) } } },
        { name: 'tail', figures: { judge_accuracy: { value: expect.any(Number) } } },
      ],
      timing: { 'offline:importance_ms': expect.any(Number) },
    });
    const { exit_code, messages } = await evaluate('run', name, '--strategy', 'luck');
    expect({ exit_code, said: messages[0]?.text }).toEqual({
      exit_code: 2,
      said: expect.stringContaining('full, tail, head, offline'),
    });
  });

  it.each([
    { words: ['probes'], bound: 'probes.count>=1', missed: 'probes.count>=9999' },
    { words: ['list'], bound: 'n.runs>=1', missed: 'n.runs>=9999' },
  ])(
    'eval $words turns figures into exit codes',
    async ({ words: [command = ''], bound, missed }) => {
      const place = command === 'probes' ? [name] : [];
      expect((await evaluate(command, ...place, '--assert', bound)).exit_code).toBe(0);
      const { exit_code, messages } = await evaluate(command, ...place, '--assert', missed);
      expect({ exit_code, said: messages.at(-1)?.text }).toEqual({
        exit_code: 1,
        said: expect.stringMatching(/missed: .*>=9999 \(\d+, n \d+/),
      });
    },
  );

  it('a written report can be asserted on as well', async () => {
    const { data } = await evaluate('run', name, '--seed', '8');
    const words = ['report', String(data?.['run_id']), '--to', 'md', '--assert', 'full.kept>=2'];
    const { exit_code, messages } = await evaluate(...words);
    expect(exit_code).toBe(1);
    expect(messages[0]?.text).toContain('missed: full.kept>=2 (');
  });

  it('asks for planted facts after every cycle, and what was killed meanwhile asks nothing twice', async () => {
    const small = ['--cycles', '2', '--facts', '6', '--turns', '12', '--window', '8000'];
    const { answered, after, data } = await interrupted(
      ['eval', 'plant', ...small, '--answers'],
      9,
    );

    // Six facts after each of two cycles, for three arms; arms may be shown the same.
    expect(answered.length + after.length).toBe(36);
    expect(data?.['arms']).toEqual(
      ['full', 'tail', 'offline'].map((arm) =>
        expect.objectContaining({
          name: arm,
          figures: expect.objectContaining({ recall: expect.objectContaining({ n: 6 }) }),
        }),
      ),
    );
  }, 120_000);

  it('refuses to ask for planted facts where there is no model, before any work', async () => {
    const before = (await evaluate('list')).data;
    const refused = await answer(['eval', 'plant', '--answers'], {
      env: { DATABASE_URL: database.url },
    });
    expect(refused).toMatchObject({ exit_code: 1, messages: [{ code: 'MODEL_UNAVAILABLE' }] });
    expect((await evaluate('list')).data).toEqual(before);
  });
});

function completionOf(content: string): string {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return JSON.stringify({ choices, usage: { prompt_tokens: 1, completion_tokens: 1 } });
}
