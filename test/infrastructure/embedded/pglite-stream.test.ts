import { describe, expect, it } from '@jest/globals';
import { PgliteStream } from '../../../src/infrastructure/persistence/embedded/pglite-stream.js';

function message(type: string, body: string): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

function untyped(code: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(8, 0);
  bytes.writeUInt32BE(code, 4);
  return bytes;
}

const STARTUP = untyped(0x0003_0000);
const TERMINATE = message('X', '');

/** Writes the chunks to a stream over a database that answers `<` + the messages it was given. */
async function converse(chunks: readonly Buffer[]) {
  const given: string[] = [];
  let sessions = 0;
  const stream = new PgliteStream(
    (messages) => {
      given.push(Buffer.from(messages).toString('latin1'));
      return Promise.resolve(Buffer.from('<'));
    },
    () => Promise.resolve(() => void sessions++),
    '18.0',
  );
  const answers: Buffer[] = [];
  stream.on('data', (answer: Buffer) => answers.push(answer));
  const closed = new Promise((resolve) => stream.on('close', resolve));
  for (const chunk of chunks) await new Promise((done) => stream.write(chunk, done));
  const open = !stream.destroyed;
  stream.destroy();
  await closed;
  return {
    given,
    answers: Buffer.concat(answers).toString('latin1'),
    open,
    sessionsGivenBack: sessions,
  };
}

const RESET = [message('Q', 'ROLLBACK\0'), message('Q', 'DISCARD ALL\0')].map(String);
const ONE = message('Q', 'SELECT 1\0');
const TWO = message('Q', 'SELECT 2\0');
const [first, second] = [String(ONE), String(TWO)];
const bytesOf = (...buffers: Buffer[]) =>
  Array.from(Buffer.concat(buffers), (byte) => Buffer.of(byte));

describe('PgliteStream', () => {
  it('a startup resets the session, then greets like a server', async () => {
    const { given, answers } = await converse([STARTUP]);
    expect(given).toEqual(RESET);
    expect(answers.startsWith('R\0\0\0\b\0\0\0\0')).toBe(true);
    expect(answers).toContain('server_version\x0018.0\0');
    expect(answers.endsWith('Z\0\0\0\x05I')).toBe(true);
  });

  // prettier-ignore
  it.each([
    { rule: 'messages at hand travel together',     chunks: [STARTUP, Buffer.concat([ONE, TWO])],            given: [first + second] },
    { rule: 'messages of two writes travel apart',  chunks: [STARTUP, ONE, TWO],                             given: [first, second] },
    { rule: 'a part of a message waits for its rest', chunks: [STARTUP, ONE.subarray(0, 7)],                 given: [] },
    { rule: 'bytes one by one make the same messages', chunks: bytesOf(STARTUP, ONE, TWO),                   given: [first, second] },
    { rule: 'a startup and a message may come together', chunks: [Buffer.concat([STARTUP, ONE])],            given: [first] },
    { rule: 'what stands before the end is still done', chunks: [STARTUP, Buffer.concat([ONE, TERMINATE])],  given: [first] },
  ])('$rule', async ({ chunks, given }) => {
    expect((await converse(chunks)).given).toEqual([...RESET, ...given]);
  });

  // prettier-ignore
  it.each([
    { rule: 'encryption by TLS is declined', code: 80877103 },
    { rule: 'encryption by GSS is declined', code: 80877104 },
  ])('$rule, and the startup may follow', async ({ code }) => {
    const { answers, given } = await converse([untyped(code), STARTUP]);
    expect(answers.startsWith('NR')).toBe(true);
    expect(given).toEqual(RESET);
  });

  it('the session is given back once, when the client says goodbye', async () => {
    expect(await converse([STARTUP, TERMINATE])).toMatchObject({
      open: false,
      sessionsGivenBack: 1,
    });
  });

  it('the session is given back when the client is dropped', async () => {
    expect(await converse([STARTUP, ONE])).toMatchObject({ open: true, sessionsGivenBack: 1 });
  });

  it('a failing database ends the stream with its error', async () => {
    const stream = new PgliteStream(
      () => Promise.reject(new Error('gone')),
      () => Promise.resolve(() => undefined),
      '18.0',
    );
    const failed = new Promise((resolve) => stream.on('error', resolve));
    stream.write(STARTUP);
    expect(await failed).toMatchObject({ message: 'gone' });
  });
});
