/** The DataSource that the core opens itself: on a server's URL, or on the store of a home folder. */
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Logger } from '../../../application/ports/logger.js';
import { translate } from './store-errors.js';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/**
 * Milliseconds to wait for a connection before the server counts as unreachable. The wait goes on
 * while this process computes, such as scores of many assemblies at once: a server that answers is
 * not to be called unreachable because we did not listen.
 */
const CONNECTION_TIMEOUT_MS = 30_000;

/** @param address a URL, or host, port, username and database. */
export function serverOptions(
  address: Pick<PostgresOptions, 'url' | 'host' | 'port' | 'username' | 'database'>,
  poolSize: number,
): PostgresOptions {
  return {
    type: 'postgres',
    ...address,
    poolSize,
    applicationName: 'ossature',
    extra: { connectionTimeoutMillis: CONNECTION_TIMEOUT_MS },
  };
}

/** STORE_UNAVAILABLE where nothing answers. */
export async function openDataSource(options: PostgresOptions, log: Logger): Promise<DataSource> {
  const dataSource = new DataSource({
    ...options,
    extra: { ...(options.extra as object | undefined), onConnect: listenForGood },
    logging: false,
    poolErrorHandler: (error: unknown) => {
      log.warn('store.connection-lost', {
        reason: error instanceof Error ? error.message : String(error),
      });
    },
  });
  try {
    return await dataSource.initialize();
  } catch (error) {
    throw translate(error);
  }
}

/**
 * The pool stops listening when it hands a client out, and TypeORM begins a moment later: a server
 * that ends the connection in between would end this process. The statement that is sent fails anyway.
 */
function listenForGood(client: { on(event: 'error', listener: () => void): unknown }): void {
  client.on('error', () => {});
}
