/** Sources of transcripts: files, and streams that are spooled to a file so that they can be read twice. */
import { randomUUID } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { access, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type {
  TranscriptHead,
  TranscriptSource,
} from '../../application/session/transcript-reader.js';
import { OssatureError } from '../../domain/kernel/errors.js';

/** Bytes by which a format is told (specification of sessions, §4). */
const HEAD_BYTES = 64 * 1024;

/** Bytes read at once. */
const CHUNK_BYTES = 256 * 1024;

export function fileSource(path: string, name = path): TranscriptSource {
  return {
    name,
    head: async () => readHead(path, name),
    open: () => readChunks(path, name),
  };
}

/** Spools a stream (standard input) to a private temporary file. `dispose` removes it. */
export async function spooledSource(
  stream: Readable,
  name: string,
): Promise<TranscriptSource & { readonly dispose: () => Promise<void> }> {
  const path = join(tmpdir(), `ossature-${randomUUID()}.spool`);
  const dispose = async (): Promise<void> => rm(path, { force: true });
  try {
    await pipeline(stream, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
  } catch (error) {
    await dispose();
    throw refused(name, 'could not be read to its end', 'Try again.', error);
  }
  return { ...fileSource(path, name), dispose };
}

async function readHead(path: string, name: string): Promise<TranscriptHead> {
  await requireReadableFile(path, name);
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const { size } = await file.stat();
    const bytes = buffer.subarray(0, bytesRead);
    // JSON and Markdown never hold the byte 0; UTF-16 does, and programs and archives do.
    if (bytes.includes(0)) {
      throw refused(
        name,
        'is a binary file, or text that is not UTF-8',
        'Give a text file in UTF-8.',
      );
    }
    return { text: new TextDecoder('utf-8').decode(bytes), isWhole: bytesRead >= size };
  } catch (error) {
    throw OssatureError.is(error) ? error : unfinished(name, error);
  } finally {
    await file.close();
  }
}

/** The next chunk is read while the reader is at this one. Two buffers take turns. */
async function* readChunks(path: string, name: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw unfinished(name, error);
  });
  let reading: Promise<Uint8Array> | null = null;
  try {
    let [current, other] = [new Uint8Array(CHUNK_BYTES), new Uint8Array(CHUNK_BYTES)];
    const readInto = async (buffer: Uint8Array): Promise<Uint8Array> =>
      buffer.subarray(0, (await file.read(buffer, 0, CHUNK_BYTES, null)).bytesRead);
    reading = readInto(current);
    for (let chunk = await reading; chunk.length > 0; chunk = await reading) {
      [current, other] = [other, current];
      reading = readInto(current);
      // Whoever waits for it next is told of a failure.
      reading.catch(() => {});
      yield chunk;
    }
  } catch (error) {
    throw OssatureError.is(error) ? error : unfinished(name, error);
  } finally {
    await reading?.catch(() => {});
    await file.close();
  }
}

function unfinished(name: string, error: unknown): OssatureError {
  const remedy = 'Check the disk and the rights of the file.';
  return refused(name, 'could not be read to its end', remedy, error);
}

const UNREADABLE = ['cannot be read', 'Check the rights of the file and of its folders.'] as const;

/** What the file system says of a path, in words, and what helps. */
const REFUSALS: ReadonlyMap<string | undefined, readonly [what: string, remedy: string]> = new Map([
  ['ENOENT', ['does not exist', 'Check the path.']],
  ['ENOTDIR', ['does not exist: a part of the path is a file, not a folder', 'Check the path.']],
  ['ELOOP', ['is a link that leads back to itself', 'Give the file that it should lead to.']],
  ['ENAMETOOLONG', ['is longer than a path may be', 'Check the path.']],
]);

async function requireReadableFile(path: string, name: string): Promise<void> {
  let status;
  try {
    status = await stat(path);
    await access(path, constants.R_OK);
  } catch (error) {
    const [what, remedy] = REFUSALS.get((error as NodeJS.ErrnoException).code) ?? UNREADABLE;
    throw refused(name, what, remedy, error);
  }
  if (status.isDirectory()) {
    throw refused(name, 'is a directory', 'Name the files in it one by one.');
  }
  if (!status.isFile()) {
    throw refused(name, 'is no ordinary file', 'Pipe it in and give - as the file.');
  }
}

function refused(name: string, what: string, remedy: string, cause?: unknown): OssatureError {
  return new OssatureError('INVALID_TRANSCRIPT', `${name} ${what}. ${remedy}`, {
    details: { source: name },
    ...(cause !== undefined && { cause }),
  });
}
