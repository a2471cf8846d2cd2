/**
 * The core for one command: opened only when a command needs it, on the store that the environment
 * names, and closed whatever happens.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Ossature, OssatureOptions } from '../../infrastructure/container/create-ossature.js';
import { findEmbeddedData, MOVE_EMBEDDED_DATA } from './embedded-data.js';
import { Interrupted } from './failure.js';
import { tell } from './output.js';
import type { Terminal } from './terminal.js';

interface CoreOptions extends Pick<OssatureOptions, 'checkSchema'> {
  /** The work minds Ctrl-C on its own, and has something to write when it comes. */
  readonly endsItself?: boolean;
}

export async function withCore<Result>(
  terminal: Terminal,
  work: (core: Ossature) => Promise<Result>,
  { endsItself = false, ...options }: CoreOptions = {},
): Promise<Result> {
  const core = await openCore(terminal, options);
  try {
    return await (endsItself ? work(core) : untilInterrupted(work(core), terminal.signal));
  } finally {
    await core.close();
  }
}

async function openCore(
  terminal: Terminal,
  options: Pick<OssatureOptions, 'checkSchema'>,
): Promise<Ossature> {
  const { configFromEnv } = await import('../../infrastructure/config/config.js');
  const { databaseUrl, logLevel, config, lessons } = configFromEnv(terminal.env);
  const { redactWith } = await import('../../domain/redaction/redact.js');
  const { keyedDigest } = await import('./redaction-key.js');
  const { createOssature } = await import('../../infrastructure/container/create-ossature.js');
  const { createPinoLogger } = await import('../../infrastructure/system/pino-logger.js');
  const home = databaseUrl === null ? await homeStore(terminal) : null;
  if (home !== null) await tellOfIdleServer(home, terminal);
  const redact = redactWith(keyedDigest(terminal.env));
  const core = await createOssature({
    ...options,
    redact,
    logger: createPinoLogger(logLevel, (line) => terminal.stderr.write(line)),
    config,
    lessons: {
      ...lessons,
      replayEnv: terminal.env,
    },
    store: home === null ? { kind: 'url', url: databaseUrl ?? '' } : embedded(home, terminal),
  });
  // Without a look at the schema there may be no table to ask.
  if (home !== null && options.checkSchema !== false) {
    await tellOfEmbeddedData(home, core, terminal);
  }
  return core;
}

async function homeStore({ env }: Terminal): Promise<Home> {
  const { ossatureHome } =
    await import('../../infrastructure/persistence/embedded/ossature-home.js');
  const { findServerData } =
    await import('../../infrastructure/persistence/embedded/local-server-place.js');
  const folder = ossatureHome(env);
  return {
    folder,
    usesServer: existsSync(join(folder, 'server.json')),
    serverData: findServerData(folder),
    embeddedData: findEmbeddedData(folder),
  };
}

/** What lies in the home folder beside the store that a command uses. */
interface Home {
  readonly folder: string;
  /** A local server was started and not stopped. */
  readonly usesServer: boolean;
  readonly serverData: readonly string[];
  readonly embeddedData: readonly string[];
}

function embedded({ folder }: Home, terminal: Terminal): OssatureOptions['store'] {
  const say = (text: string) => void tell({ level: 'info', text }, terminal);
  return {
    kind: 'embedded',
    home: folder,
    onFirstStart: () =>
      say('First start: making the database, which takes about 10 seconds, once.'),
    onWaiting: ({ pid, host }) =>
      say(`Waiting for process ${pid} on ${host}, which is using the database of ${folder}.`),
  };
}

/** Data that the command does not see must not seem to be gone. */
async function tellOfIdleServer(home: Home, terminal: Terminal): Promise<void> {
  const idle = home.serverData.at(-1);
  if (home.usesServer || idle === undefined) return;
  const text = `The local database server is stopped, so this command uses the embedded database and does not see the data in ${idle}. Run \`agents database start\` to use them.`;
  await tell({ level: 'warning', text }, terminal);
}

/** Once the server holds a project, it was chosen, or the data were moved. */
async function tellOfEmbeddedData(home: Home, core: Ossature, terminal: Terminal): Promise<void> {
  const [data] = home.embeddedData;
  if (!home.usesServer || data === undefined) return;
  if ((await core.projects.list()).length > 0) return;
  const text = `This command uses the local database server, which holds no project, and does not see what the embedded database in ${data} holds. ${MOVE_EMBEDDED_DATA}`;
  await tell({ level: 'warning', text }, terminal);
}

/** Rejects at Ctrl-C, so that the store is closed at once and open transactions are rolled back. */
async function untilInterrupted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  let stop = (): void => {};
  const interrupted = new Promise<never>((_, reject) => {
    stop = () => reject(new Interrupted('Interrupted.'));
    signal.addEventListener('abort', stop);
  });
  try {
    if (signal.aborted) stop();
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
