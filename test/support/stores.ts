/** Every kind of store that a flow must hold on, opened for one test file. */
import { createOssature, type Ossature } from '../../src/index.js';
import { createTestDatabase } from './postgres.js';

export interface OpenedCore {
  readonly core: Ossature;
  close(): Promise<void>;
}

export const STORES: Readonly<Record<string, () => Promise<OpenedCore>>> = {
  'in memory': async () => {
    const core = await createOssature({ store: { kind: 'in-memory' } });
    return { core, close: () => core.close() };
  },
  'on Postgres': openOnPostgres,
};

export async function openOnPostgres(): Promise<OpenedCore & { readonly url: string }> {
  const database = await createTestDatabase();
  const core = await createOssature({
    store: { kind: 'url', url: database.url },
    checkSchema: false,
  });
  await core.migrate();
  return {
    core,
    url: database.url,
    close: async () => {
      await core.close();
      await database.drop();
    },
  };
}
