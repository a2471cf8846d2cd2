import { createHmac } from 'node:crypto';
import {
  createOssature,
  detectFormat,
  fileSource,
  listArtifacts,
  redactWith,
  TOKENS,
  transcriptReaders,
} from 'ossature';

/** Keeps the transcript of an agent, and asks what the agent changed. A file that has grown adds what is new. */
export async function ownSessions(file: string, secretKey: string): Promise<readonly string[]> {
  const core = await createOssature({ store: { kind: 'in-memory' } });
  const readers = transcriptReaders(core.resolve(TOKENS.digest), core.resolve(TOKENS.tokenCounter));
  const source = fileSource(file);
  const [receipt] = await core.sessions.ingestion.import({
    tenantId: 'customer-7', // part of every key: what is another's is not found
    source,
    reader: detectFormat(readers, await source.head(), source.name),
    // Secrets become placeholders, equal ones equal: keep the key, and keep it private.
    redact: redactWith((text) => createHmac('sha256', secretKey).update(text).digest('hex')),
  });
  if (receipt === undefined || receipt.sessionId === null) return [];

  const { sessionId } = receipt;
  const [told] = await core.sessions.trail.read({ tenantId: 'customer-7', sessionId });
  await core.close();
  return told === undefined ? [] : listArtifacts(told.trail, 'created').map(({ path }) => path);
}
