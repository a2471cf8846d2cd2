/**
 * What the `pg` driver takes for its socket: it speaks the Postgres wire protocol, version 3, to the
 * database in our worker thread. Everything above it — types, errors, cursors, the pool — is `pg`'s
 * own, so the embedded database behaves like a server.
 *
 * The database has one session. A stream holds it from its startup to its end, and the next one
 * waits; so two pools can never write into each other's transaction.
 */
import { Duplex } from 'node:stream';

/** Protocol bytes in, answer out: one call for one or more whole messages. */
export type Exchange = (messages: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>;

/** The session's turn: resolves when it is free, with the function that gives it back. */
export type TakeSession = () => Promise<() => void>;

const TERMINATE = 'X'.charCodeAt(0);
/** In the place of a version number: the client asks for TLS, for GSS encryption, or to cancel. */
const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const CANCEL_REQUEST = 80877102;

export class PgliteStream extends Duplex {
  #received = Buffer.alloc(0);
  #started = false;
  #giveBack: (() => void) | undefined;

  constructor(
    private readonly exchange: Exchange,
    private readonly takeSession: TakeSession,
    private readonly serverVersion: string,
  ) {
    super();
  }

  connect(): this {
    setImmediate(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    // Answers are pushed as they come.
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    void this.#takeThen(done, chunk);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    void this.#takeThen(done, ...chunks.map(({ chunk }) => chunk));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#giveBack?.();
    this.#giveBack = undefined;
    done(error);
  }

  async #takeThen(done: (error?: Error | null) => void, ...chunks: Buffer[]): Promise<void> {
    try {
      this.#received = Buffer.concat([this.#received, ...chunks]);
      while (!this.#started && (await this.#readStartup()));
      if (this.#started) await this.#forward();
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }

  /** True when a whole startup message was read. It has no type byte: length, then version or request. */
  async #readStartup(): Promise<boolean> {
    if (this.#received.length < 8) return false;
    const length = this.#received.readUInt32BE(0);
    if (this.#received.length < length) return false;
    const version = this.#received.readUInt32BE(4);
    this.#received = this.#received.subarray(length);
    if (version === CANCEL_REQUEST) this.push(null);
    else if (version === SSL_REQUEST || version === GSS_REQUEST) this.push('N');
    else await this.#start();
    return true;
  }

  async #start(): Promise<void> {
    const giveBack = await this.takeSession();
    if (this.destroyed) {
      giveBack();
      return;
    }
    this.#giveBack = giveBack;
    // The session outlives its clients. One that was dropped in the middle leaves its transaction and
    // its settings behind; joined in one query, Postgres would refuse the second inside a transaction.
    await this.exchange(query('ROLLBACK'));
    await this.exchange(query('DISCARD ALL'));
    this.#started = true;
    this.push(greeting(this.serverVersion));
  }

  /** Passes on the whole messages at hand in one call; a part of one waits for its rest. */
  async #forward(): Promise<void> {
    let end = 0;
    let terminated = false;
    while (!terminated && this.#received.length - end >= 5) {
      const next = end + 1 + this.#received.readUInt32BE(end + 1);
      if (next > this.#received.length) break;
      terminated = this.#received[end] === TERMINATE;
      if (!terminated) end = next;
    }
    if (end > 0) {
      const messages = new Uint8Array(end);
      messages.set(this.#received.subarray(0, end));
      this.#received = this.#received.subarray(end);
      const answer = await this.exchange(messages);
      if (answer.length > 0) this.push(answer);
    }
    if (terminated) {
      this.push(null);
      this.destroy();
    }
  }
}

function greeting(serverVersion: string): Buffer {
  const parameters = {
    server_version: serverVersion,
    server_encoding: 'UTF8',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
  };
  return Buffer.concat([
    message('R', Buffer.alloc(4)),
    ...Object.entries(parameters).map(([name, value]) =>
      message('S', Buffer.from(`${name}\0${value}\0`)),
    ),
    message('K', Buffer.alloc(8)),
    message('Z', Buffer.from('I')),
  ]);
}

function query(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(message('Q', Buffer.from(`${text}\0`)));
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
