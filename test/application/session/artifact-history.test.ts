/** The history of one artifact, told from the rows that it needs, a page at a time. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HistoryRequest } from '../../../src/application/session/artifact-trail-service.js';
import { createOssature, type Ossature, TOKENS } from '../../../src/index.js';
import { anArtifact, anEvent, anUpdate, aSession } from '../../contracts/session-values.js';

const session = aSession();
const { tenantId, sessionId } = session;

/** Read as `a`, changed three times by one result, renamed to `b`, changed, and another file between. */
const EVENTS = [
  anEvent({ seq: 1, resultSeq: 2, action: 'read', path: 'src/a.ts' }),
  ...[0, 1, 2].map((ordinal) => anEvent({ seq: 3, resultSeq: 4, ordinal, path: 'src/a.ts' })),
  anEvent({ seq: 5, resultSeq: 6, path: 'src/other.ts' }),
  anEvent({
    seq: 7,
    resultSeq: 8,
    action: 'renamed',
    path: 'src/b.ts',
    oldPath: 'src/a.ts',
    hashAfter: null,
  }),
  anEvent({ seq: 9, resultSeq: 10, path: 'src/b.ts' }),
];
const OF_B = EVENTS.filter(({ path }) => path !== 'src/other.ts');

describe('the history of an artifact', () => {
  let core: Ossature;
  beforeAll(async () => {
    core = await createOssature({ store: { kind: 'in-memory' } });
    const { sessions, trails } = core.resolve(TOKENS.repositories);
    await sessions.insert(session);
    const artifacts = [
      anArtifact({ path: 'src/b.ts', renamedFrom: 'src/a.ts' }),
      anArtifact({ path: 'src/other.ts' }),
    ];
    await trails.write(session, anUpdate({ artifacts, events: EVENTS }));
  });
  afterAll(() => core.close());

  const history = (more: Omit<HistoryRequest, 'tenantId' | 'sessionId'>) =>
    core.sessions.trail.history({ tenantId, sessionId, ...more });

  it.each(['src/a.ts', 'src/b.ts'])('is the same under every name it had: %s', async (path) => {
    const [told] = await history({ path });
    expect(told).toMatchObject({ origin: null, artifact: { path: 'src/b.ts' }, next: null });
    expect(told?.events).toEqual(OF_B);
    expect(await core.sessions.trail.events({ tenantId, sessionId }, path)).toEqual(OF_B);
  });

  it.each([1, 2, 3, 4, 5, 6])('comes whole in pages of about %d events', async (limit) => {
    const pages: (readonly unknown[])[] = [];
    for (let after: number | null = 0; after !== null;) {
      const [page]: Awaited<ReturnType<typeof history>> = await history({
        path: 'src/a.ts',
        after,
        limit,
      });
      pages.push(page?.events ?? []);
      after = page?.next ?? null;
    }
    expect(pages.flat()).toEqual(OF_B);
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(Math.max(3, limit));
  });

  it('is of no session where nothing stood under the path', async () => {
    expect(await history({ path: 'src/no.ts' })).toEqual([]);
  });

  it.each([
    ['limit', 0],
    ['limit', 1.5],
    ['limit', 2 ** 31],
    ['after', -1],
    ['after', Number.NaN],
  ])('names a %s that is none: %d', async (field, value) => {
    await expect(history({ path: 'src/a.ts', [field]: value })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { field },
    });
    await expect(
      core.sessions.trail.eventsPage({ tenantId, sessionId, [field]: value }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { field } });
  });
});
