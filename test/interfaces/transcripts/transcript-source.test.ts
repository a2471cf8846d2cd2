import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  fileSource,
  spooledSource,
} from '../../../src/interfaces/transcripts/transcript-source.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ossature-source-'));
  writeFileSync(join(folder, 'binary'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]));
  writeFileSync(join(folder, 'utf16'), Buffer.from('{"type":"user"}', 'utf16le'));
  writeFileSync(join(folder, 'text'), '\ufeffone\ntwo\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('fileSource', () => {
  // prettier-ignore
  it.each([
    { what: 'a directory',        name: '.',       remedy: /is a directory\. Name the files/ },
    { what: 'a missing file',     name: 'missing', remedy: /does not exist\. Check the path/ },
    { what: 'a binary file',      name: 'binary',  remedy: /is a binary file.*Give a text file/ },
    { what: 'text in UTF-16',     name: 'utf16',   remedy: /not UTF-8\. Give a text file/ },
    { what: 'a device',           name: '/dev/null', remedy: /no ordinary file/ },
  ])('refuses $what, naming it and what to do', async ({ name, remedy }) => {
    const path = name.startsWith('/') ? name : join(folder, name);
    await expect(fileSource(path).head()).rejects.toMatchObject({
      code: 'INVALID_TRANSCRIPT',
      message: expect.stringMatching(remedy),
      details: { source: path },
    });
  });

  it('gives the head without a byte order mark, and says whether it is the whole', async () => {
    expect(await fileSource(join(folder, 'text')).head()).toEqual({
      text: 'one\ntwo\n',
      isWhole: true,
    });
  });
});

describe('fileSource', () => {
  it('gives every byte of a file of many chunks, to two readers at once', async () => {
    const content = randomBytes(1_000_000);
    const path = join(folder, 'chunks');
    writeFileSync(path, content);
    const read = async (): Promise<Buffer> => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of fileSource(path).open()) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks);
    };
    for (const bytes of await Promise.all([read(), read()])) {
      expect(bytes.equals(content)).toBe(true);
    }
  });
});

describe('spooledSource', () => {
  it('lets a stream be read twice, and leaves nothing behind', async () => {
    const source = await spooledSource(Readable.from(['one\n', 'two\n']), 'standard input');
    for (let time = 0; time < 2; time += 1) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of source.open()) chunks.push(Buffer.from(chunk));
      expect(Buffer.concat(chunks).toString()).toBe('one\ntwo\n');
    }
    await source.dispose();
    await expect(source.head()).rejects.toMatchObject({
      message: expect.stringContaining('standard input'),
    });
  });
});
