/** What the home remembers of its local server, and whether that server answers. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { storeFailure } from './store-failure.js';

export interface ServerState {
  readonly dataFolder: string;
  readonly socketFolder: string;
  readonly port: number;
  /** Of Postgres, such as 18.4. */
  readonly version: string;
  /** The boot of the machine in which it was started; empty where that is unknown. */
  readonly boot: string;
}

/** The shortest limit of the platforms is 104 bytes with the closing zero (macOS, sys/un.h). */
const LONGEST_SOCKET_BYTES = 103;

/** A server that accepts a connection accepts it at once; the rest is a socket without one. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Undefined when no server was started, or it was stopped.
 *
 * @throws STORE_FAILED when the file is there and unreadable: taking it for absent would turn to another store.
 */
export function readState(home: string): ServerState | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(home), 'utf8')) as ServerState;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ENOTDIR'].includes(code)) return undefined;
    throw storeFailure('read the state of the local server in', home, error);
  }
}

export function writeState(home: string, state: ServerState): void {
  const draft = `${fileIn(home)}.new`;
  writeFileSync(draft, `${JSON.stringify(state, undefined, 2)}\n`);
  renameSync(draft, fileIn(home));
}

export function removeState(home: string): void {
  rmSync(fileIn(home), { force: true });
}

export function socketFits(folder: string, port: number): boolean {
  return Buffer.byteLength(socketIn(folder, port)) <= LONGEST_SOCKET_BYTES;
}

/** The kernel knows: a socket file whose server is gone refuses the connection. */
export function answers({ socketFolder, port }: ServerState): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketIn(socketFolder, port));
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => settle(false));
    socket.on('connect', () => settle(true)).on('error', () => settle(false));
  });
}

function socketIn(folder: string, port: number): string {
  return join(folder, `.s.PGSQL.${port}`);
}

function fileIn(home: string): string {
  return join(home, 'server.json');
}
