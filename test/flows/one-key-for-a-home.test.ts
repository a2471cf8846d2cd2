/** Equal secrets of a home give equal placeholders, whoever meets them, and the key stays private. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createOssature } from '../../src/index.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import { answer } from '../interfaces/cli/cli-support.js';
import { memorySource, sha256 } from '../interfaces/transcripts/transcript-support.js';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'ossature-key-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const SECRET = 'postgres://ann:quiet-otter-71@db.example.org/main';
const transcript = (words: string) =>
  JSON.stringify([
    { role: 'user', content: `${words} ${SECRET}` },
    { role: 'assistant', content: 'Done.' },
  ]);

const placeholderIn = (value: unknown): string | undefined =>
  /\[redacted:[a-z-]+:[0-9a-f]{8}\]/.exec(JSON.stringify(value))?.[0];

it('the library and the command line hide one secret of a home in one way', async () => {
  const core = await createOssature({ store: { kind: 'embedded', home } });
  const reader = transcriptReaders(sha256, createEstimateCounter()).find(
    ({ name }) => name === 'openai',
  );
  if (reader === undefined) throw new Error('There is no reader.');
  const source = memorySource(transcript('Use'));
  const [receipt] = await core.sessions.ingestion.import({ tenantId: 'local', source, reader });
  const session = await core.sessions.stored.resolve('local', receipt?.sessionId ?? '');
  const ours = placeholderIn(await core.sessions.stored.entries(session, { from: 1, to: 1 }));
  await core.close();

  const file = join(home, 'session.json');
  writeFileSync(file, transcript('Open'));
  const env = { OSSATURE_HOME: home };
  const imported = await answer(['session', 'import', file], { env });
  const [told] = (imported.data?.['sessions'] ?? []) as readonly { readonly session_id: string }[];
  const shown = await answer(['session', 'show', told?.session_id ?? '', '--entries', '1..1'], {
    env,
  });
  expect(ours).toBeDefined();
  expect(placeholderIn(shown.data)).toBe(ours);

  const key = join(home, 'redaction.key');
  expect(statSync(key).mode & 0o077).toBe(0);
  expect(JSON.stringify([shown, ours])).not.toContain(readFileSync(key, 'utf8').trim());
}, 180_000);
