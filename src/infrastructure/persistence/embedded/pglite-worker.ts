/**
 * Postgres compiled to WebAssembly, in a thread of its own: a heavy statement blocks that thread and
 * never the caller's event loop. This side knows no SQL; it carries protocol bytes there and back.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { OssatureError } from '../../../domain/kernel/errors.js';

/** The major version of the Postgres inside the pinned PGlite; its data folders open in no other. */
export const EMBEDDED_MAJOR = 18;

const PGLITE = createRequire(import.meta.url).resolve('@electric-sql/pglite');

/** Longest wait for an orderly end before the thread is ended; what was acknowledged is safe either way. */
const CLOSE_TIMEOUT_MS = 10_000;

/**
 * The thread's program, as text: a file of its own would have to be found again by every bundler,
 * and the tests, which run the sources, could not load it.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { PGlite } = require(workerData.pglite);
const opened = PGlite.create({ dataDir: workerData.dataFolder });
const tasks = {
  open: async (database) => (await database.query('SHOW server_version')).rows[0].server_version,
  exchange: async (database, bytes) => (await database.execProtocolRaw(bytes)).slice(),
  close: (database) => database.close(),
};
parentPort.on('message', async ({ id, task, bytes }) => {
  try {
    const answer = await tasks[task](await opened, bytes);
    parentPort.postMessage({ id, answer }, answer instanceof Uint8Array ? [answer.buffer] : []);
  } catch (error) {
    parentPort.postMessage({ id, failure: String((error && error.message) || error) });
  }
});
`;

interface Reply {
  readonly id: number;
  readonly answer?: unknown;
  readonly failure?: string;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: OssatureError): void;
}

export class PgliteWorker {
  readonly #worker: Worker;
  readonly #dataFolder: string;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  #ended = false;

  private constructor(dataFolder: string) {
    this.#dataFolder = dataFolder;
    this.#worker = new Worker(PROGRAM, {
      eval: true,
      workerData: { pglite: PGLITE, dataFolder },
      // The caller's output belongs to its result, not to what the database prints.
      stdout: true,
      stderr: true,
      execArgv: [],
    });
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#fail(error.message));
    this.#worker.on('exit', () => this.#fail('its thread has ended'));
  }

  /** Opens the folder, or makes a database in an empty one (about 10 s and 1 GB of memory). */
  static async open(dataFolder: string): Promise<{ worker: PgliteWorker; version: string }> {
    const worker = new PgliteWorker(dataFolder);
    try {
      return { worker, version: String(await worker.#ask('open')) };
    } catch (error) {
      await worker.#terminate();
      throw error;
    }
  }

  /** Whole protocol messages in, all that the server answers out. */
  async exchange(messages: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    return (await this.#ask('exchange', messages)) as Uint8Array;
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    const timer = setTimeout(() => void this.#terminate(), CLOSE_TIMEOUT_MS);
    await this.#ask('close').catch(() => undefined);
    clearTimeout(timer);
    await this.#terminate();
  }

  #ask(task: 'open' | 'exchange' | 'close', bytes?: Uint8Array<ArrayBuffer>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(this.#failure('it was closed'));
        return;
      }
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      // Only a thread that owes an answer keeps the process alive.
      this.#worker.ref();
      this.#worker.postMessage({ id, task, bytes }, bytes === undefined ? [] : [bytes.buffer]);
    });
  }

  #settle({ id, answer, failure }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (failure === undefined) waiting?.resolve(answer);
    else waiting?.reject(this.#failure(failure));
  }

  #fail(reason: string): void {
    this.#ended = true;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#failure(reason));
    this.#waiting.clear();
  }

  #failure(reason: string): OssatureError {
    return new OssatureError(
      'STORE_FAILED',
      `The embedded database in ${this.#dataFolder} failed: ${reason}`,
      { details: { folder: this.#dataFolder } },
    );
  }

  async #terminate(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }
}

/** The version of the PGlite installed here: a template fits exactly one. */
export function pgliteVersion(): string {
  const manifest = readFileSync(join(dirname(dirname(PGLITE)), 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
