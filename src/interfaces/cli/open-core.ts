/**
 * The core for one command: opened only when a command needs it, on the store that the environment
 * names, and closed whatever happens.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Ossature, OssatureOptions } from '../../infrastructure/container/create-ossature.js';
import { Interrupted } from './failure.js';
import { tell } from './output.js';
import type { Terminal } from './terminal.js';

export async function withCore<Result>(
  terminal: Terminal,
  work: (core: Ossature) => Promise<Result>,
  options: Pick<OssatureOptions, 'checkSchema'> = {},
): Promise<Result> {
  const core = await openCore(terminal, options);
  try {
    return await untilInterrupted(work(core), terminal.signal);
  } finally {
    await core.close();
  }
}

async function openCore(
  terminal: Terminal,
  options: Pick<OssatureOptions, 'checkSchema'>,
): Promise<Ossature> {
  const { configFromEnv } = await import('../../infrastructure/config/config.js');
  const { databaseUrl, logLevel, config } = configFromEnv(terminal.env);
  const { createOssature } = await import('../../infrastructure/container/create-ossature.js');
  const { createPinoLogger } = await import('../../infrastructure/system/pino-logger.js');
  return createOssature({
    ...options,
    logger: createPinoLogger(logLevel, (line) => terminal.stderr.write(line)),
    config,
    store: databaseUrl === null ? await embedded(terminal) : { kind: 'url', url: databaseUrl },
  });
}

async function embedded(terminal: Terminal): Promise<OssatureOptions['store']> {
  const { ossatureHome } =
    await import('../../infrastructure/persistence/embedded/ossature-home.js');
  const home = ossatureHome(terminal.env);
  const idle = idleServerData(home);
  const say = (text: string) => void tell({ level: 'info', text }, terminal);
  if (idle !== null) {
    await tell(
      {
        level: 'warning',
        text: `The local database server is stopped, so this command uses the embedded database and does not see the data in ${idle}. Run \`agents database start\` to use them.`,
      },
      terminal,
    );
  }
  return {
    kind: 'embedded',
    home,
    onFirstStart: () =>
      say('First start: making the database, which takes about 10 seconds, once.'),
    onWaiting: ({ pid, host }) =>
      say(`Waiting for process ${pid} on ${host}, which is using the database of ${home}.`),
  };
}

/** The data of a local server that was stopped; null where there are none, or it was not stopped. */
function idleServerData(home: string): string | null {
  if (!existsSync(home) || existsSync(join(home, 'server.json'))) return null;
  const folders = readdirSync(home)
    .filter((name) => /^server-\d+$/.test(name))
    .map((name) => join(home, name, 'data'))
    .filter((folder) => existsSync(folder));
  return folders.at(-1) ?? null;
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
