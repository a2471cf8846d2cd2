/** The shipped session `login-401`: after a pass without a model, nothing that matters is gone. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature, TOKENS } from '../../src/index.js';
import { LOGIN_401, login401Transcript } from '../../src/domain/evaluation/login-401.js';
import { readPoint, type ReadPoint } from '../../src/application/evaluation/read-point.js';
import { ContextTexts, survivalOf } from '../../src/domain/evaluation/survival.js';
import type { Fact } from '../../src/domain/evaluation/fact.js';
import { aSession } from '../contracts/session-values.js';

describe('login-401', () => {
  let core: Ossature;
  let point: ReadPoint;
  const session = aSession({
    tenantId: 'local',
    vendor: 'claude-code',
    projectRoot: null,
    lastSeq: 0,
    lastTurn: 0,
    cycle: 0,
    revision: 1,
    counterName: 'o200k_base',
  });

  beforeAll(async () => {
    core = await createOssature({ store: { kind: 'in-memory' } });
    const ports = core.resolve(TOKENS.repositories);
    await ports.sessions.insert(session);
    const key = { tenantId: session.tenantId, sessionId: session.sessionId };
    await core.sessions.ingestion.append({ ...key, entries: login401Transcript(), redact: null });
    await core.sessions.summaries.compact({
      ...key,
      settings: { windowTokens: 100_000, strategy: 'offline' },
      now: true,
    });
    const mappings = core.resolve(TOKENS.toolMappings);
    point = await readPoint({ ports, mappings, digest: core.resolve(TOKENS.digest) }, key, null);
  });
  afterAll(() => core.close());

  it('is 178 messages and about 89,000 tokens', () => {
    expect(point.entries).toHaveLength(LOGIN_401.messages);
    const tokens = point.entries.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
    expect(Math.abs(tokens - 89_000)).toBeLessThan(4_000);
  });

  const told = (differing: Partial<Fact>): Fact => ({
    factId: 'f',
    kind: 'exact',
    topic: 'value',
    subject: null,
    value: '',
    aliases: [],
    options: [],
    required: true,
    sourceEntryIds: [],
    ...differing,
  });

  it.each([
    ['the request', told({ value: LOGIN_401.prompt })],
    ['the error', told({ value: LOGIN_401.error })],
    ['the cause', told({ value: LOGIN_401.cause })],
    ['the tests that pass', told({ kind: 'number', value: `${LOGIN_401.passed} passed` })],
    ['the tests that fail', told({ kind: 'number', value: `${LOGIN_401.failed} failed` })],
    ...LOGIN_401.modified.map((path) => state(path, 'modified')),
    ...LOGIN_401.readOnly.map((path) => state(path, 'read only')),
  ] as const)('keeps %s', (_, fact) => {
    expect(survivalOf(fact, new ContextTexts(point.context))).toBe('kept');
  });

  it('lists no file as modified that was only read', () => {
    const [, modified = ''] = point.context.summary.split('## Files modified');
    const [section = ''] = modified.split('\n## ');
    for (const path of LOGIN_401.modified) expect(section).toContain(path);
    for (const path of LOGIN_401.readOnly) expect(section).not.toContain(path);
  });

  function state(path: string, value: string): readonly [string, Fact] {
    const options = ['created', 'modified', 'read only', 'deleted', 'renamed'];
    return [`${path} as ${value}`, told({ kind: 'state', subject: path, value, options })];
  }
});
