/** A trail that is too long to be held while its session is imported is the same trail. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claudeCodeReader } from '../../src/interfaces/transcripts/claude-code-transcript.js';
import { createOssature, type Ossature, TOKENS } from '../../src/index.js';
import { sha256 } from '../../src/infrastructure/system/node-system.js';
import { memorySource } from '../interfaces/transcripts/transcript-support.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

/** More than a run holds. */
const COMMANDS = 12_000;

/** Commands that succeed and fail, and files that are written, changed and removed while they go on. */
function transcript(): string {
  const lines: object[] = [];
  const put = (type: string, message: object): void => {
    lines.push({
      type,
      message,
      uuid: `u${lines.length}`,
      parentUuid: lines.length === 0 ? null : `u${lines.length - 1}`,
      isSidechain: false,
      cwd: '/home/me/project',
      sessionId: 'long',
      version: '2.1.80',
      timestamp: '2026-01-02T03:04:05.678Z',
    });
  };
  put('user', { role: 'user', content: 'Go on until it is done.' });
  for (let at = 0; at < COMMANDS; at += 1) {
    const path = `/home/me/project/src/file-${at % 700}.ts`;
    const isWrite = at % 13 === 0;
    const [name, input] = isWrite
      ? ['Write', { file_path: path, content: `export const a = ${at};\n` }]
      : ['Bash', { command: at % 17 === 0 ? `rm ${path}` : `npm test -- ${at % 3_000}` }];
    const id = `t${at}`;
    put('assistant', {
      role: 'assistant',
      id: `m${at}`,
      content: [{ type: 'tool_use', id, name, input }],
    });
    const isError = !isWrite && at % 19 === 0;
    const content = isError ? `Error: ${at % 50} is not there` : 'done';
    put('user', {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }],
    });
  }
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

describe.each(['in memory', 'on Postgres'])('a trail of ten thousand commands, %s', (kind) => {
  let database: TestDatabase | null = null;
  let core: Ossature;
  beforeAll(async () => {
    if (kind === 'on Postgres') database = await createTestDatabase();
    core = await createOssature({
      store: database === null ? { kind: 'in-memory' } : { kind: 'url', url: database.url },
      checkSchema: false,
    });
    if (database !== null) await core.migrate();
  });
  afterAll(async () => {
    await core.close();
    await database?.drop();
  });

  it('is what a rebuild makes of its entries', async () => {
    const [receipt] = await core.sessions.ingestion.import({
      tenantId: 't',
      source: memorySource(transcript()),
      reader: claudeCodeReader(sha256),
    });
    const key = { tenantId: 't', sessionId: receipt?.sessionId ?? '' };
    const session = await core.sessions.stored.resolve('t', key.sessionId);
    const { commands } = await core.resolve(TOKENS.trailRepository).read(session);
    expect(commands.size).toBeGreaterThan(10_000);
    expect(await core.sessions.trail.rebuild(key)).toMatchObject({ changed: 0 });
  }, 120_000);
});
