/** Opens the store that was chosen. Outside the container: an asynchronous singleton that failed once would fail for ever. */
import type { DataSource, EntityManager } from 'typeorm';
import type { LessonStore } from '../../application/lessons/lesson-store.js';
import type { Logger } from '../../application/ports/logger.js';
import type { Repositories, UnitOfWork } from '../../application/ports/unit-of-work.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { OssatureConfig } from '../config/config.js';
import type { EmbeddedHooks } from '../persistence/embedded/embedded-database.js';
import type { StoreAdministration, TypeormStore } from '../persistence/typeorm/typeorm-store.js';

/** Where the data live: said explicitly, so that nothing is lost by default. */
export type StoreChoice =
  /** Postgres inside this process, or the local server that runs in the same home folder. Migrates itself. */
  | ({ readonly kind: 'embedded'; readonly home: string } & EmbeddedHooks)
  /** A Postgres server, through a pool of our own. */
  | { readonly kind: 'url'; readonly url: string }
  /** The host's DataSource, initialised, which stays the host's to close. */
  | { readonly kind: 'data-source'; readonly dataSource: DataSource }
  /** The host's own repositories with their unit of work; a contract suite proves them. */
  | {
      readonly kind: 'repositories';
      readonly repositories: Repositories;
      readonly unitOfWork: UnitOfWork;
      /** Left out: lessons answer FEATURE_OFF. */
      readonly lessons?: LessonStore;
    }
  /** Gone when the process ends. For tests and a first look. */
  | { readonly kind: 'in-memory' };

export interface OpenStore {
  readonly repositories: Repositories;
  readonly unitOfWork: UnitOfWork;
  /** Absent where the store keeps no lessons. */
  readonly lessons?: LessonStore;
  /** Where the data are, in words; no password. */
  readonly description: string;
  /** Absent where the store has no schema of ours. */
  readonly administration?: StoreAdministration;
  /** Absent where there is no DataSource to join. */
  readonly within?: TypeormStore['within'];
  /** True where the store is ours alone and is brought up to date without being asked. */
  readonly migratesItself: boolean;
  close(): Promise<void>;
}

export async function openStore(
  choice: StoreChoice,
  config: OssatureConfig,
  log: Logger,
): Promise<OpenStore> {
  switch (choice.kind) {
    case 'embedded':
      return openHome(choice, config, log);
    case 'url':
      return openUrl(choice.url, config, log);
    case 'data-source':
      return adopt(choice.dataSource, config);
    case 'repositories':
      return {
        repositories: choice.repositories,
        unitOfWork: choice.unitOfWork,
        ...(choice.lessons === undefined ? {} : { lessons: choice.lessons }),
        description: "the host's repositories",
        migratesItself: false,
        close: async () => {},
      };
    case 'in-memory': {
      const { createInMemoryStore } =
        await import('../persistence/in-memory/in-memory-unit-of-work.js');
      const { createInMemoryLessonStore } =
        await import('../persistence/in-memory/in-memory-lesson-store.js');
      return {
        ...createInMemoryStore(),
        lessons: createInMemoryLessonStore(),
        description: 'memory, until the process ends',
        migratesItself: false,
        close: async () => {},
      };
    }
    default:
      throw new OssatureError(
        'INVALID_CONFIG',
        `There is no store of kind ${JSON.stringify((choice as { kind?: unknown }).kind)}. Choose embedded, url, data-source, repositories or in-memory.`,
        { details: { field: 'store.kind' } },
      );
  }
}

async function openHome(
  choice: Extract<StoreChoice, { kind: 'embedded' }>,
  config: OssatureConfig,
  log: Logger,
): Promise<OpenStore> {
  const { findLocalServer } = await import('../persistence/embedded/local-server.js');
  const server = await findLocalServer(choice.home);
  const { openDataSource, serverOptions } = await import('../persistence/typeorm/data-source.js');
  if (server !== null) {
    const { host, port, username, database } = server;
    const dataSource = await openDataSource(
      serverOptions({ host, port, username, database }, config.poolSize),
      log,
    );
    return owned(dataSource, config, `the local server of ${choice.home}`, true, async () => {});
  }
  const { embeddedConnection, openEmbedded } =
    await import('../persistence/embedded/embedded-database.js');
  const database = await openEmbedded(choice.home, choice);
  try {
    const dataSource = await openDataSource(embeddedConnection(database), log);
    return await owned(dataSource, config, `the embedded database of ${choice.home}`, true, () =>
      database.close(),
    );
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openUrl(url: string, config: OssatureConfig, log: Logger): Promise<OpenStore> {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new OssatureError(
      'INVALID_CONFIG',
      'store.url must be the address of a Postgres server, such as postgres://user@host:5432/database.',
      { details: { field: 'store.url' } },
    );
  }
  const { openDataSource, serverOptions } = await import('../persistence/typeorm/data-source.js');
  const dataSource = await openDataSource(serverOptions({ url }, config.poolSize), log);
  return owned(dataSource, config, `the server at ${new URL(url).host}`, false, async () => {});
}

async function adopt(dataSource: DataSource, config: OssatureConfig): Promise<OpenStore> {
  if (!dataSource.isInitialized || dataSource.options.type !== 'postgres') {
    throw new OssatureError(
      'INVALID_CONFIG',
      'store.dataSource must be an initialised TypeORM DataSource of type postgres: await dataSource.initialize() first.',
      { details: { field: 'store.dataSource' } },
    );
  }
  const { createTypeormStore } = await import('../persistence/typeorm/typeorm-store.js');
  return {
    ...createTypeormStore(dataSource, config.schema),
    description: "the host's DataSource",
    migratesItself: false,
    close: async () => {},
  };
}

/** A DataSource that we opened and therefore close, before what lies under it. */
async function owned(
  dataSource: DataSource,
  config: OssatureConfig,
  description: string,
  migratesItself: boolean,
  closeBelow: () => Promise<void>,
): Promise<OpenStore> {
  const { createTypeormStore } = await import('../persistence/typeorm/typeorm-store.js');
  return {
    ...createTypeormStore(dataSource, config.schema),
    description,
    migratesItself,
    close: async () => {
      await dataSource.destroy();
      await closeBelow();
    },
  };
}

/** The host's transaction, or a clear word that there is none to join. */
export function joinStore(store: OpenStore, manager: EntityManager): OpenStore {
  if (store.within === undefined) {
    throw new OssatureError(
      'INVALID_CONFIG',
      'within(manager) needs a store on a DataSource (kind data-source, url or embedded). Your own repositories join a transaction by their own unit of work.',
      { details: { field: 'store' } },
    );
  }
  return { ...store, ...store.within(manager), close: async () => {} };
}
