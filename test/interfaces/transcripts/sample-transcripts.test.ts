import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { detectFormat } from '../../../src/application/session/detect-format.js';
import { OssatureError } from '../../../src/domain/kernel/errors.js';
import { isUlid } from '../../../src/domain/kernel/ids.js';
import { claudeCodeReader } from '../../../src/interfaces/transcripts/claude-code-transcript.js';
import { fragmentFileFormat } from '../../../src/interfaces/transcripts/fragment-file.js';
import { fileSource } from '../../../src/interfaces/transcripts/transcript-source.js';
import { readSession, sha256 } from './transcript-support.js';

const FOLDER = resolve(process.env['OSSATURE_TRANSCRIPTS'] ?? '../shared/transcripts');
const files = existsSync(FOLDER)
  ? readdirSync(FOLDER, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'README.md')
      .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)))
      .sort()
  : [];
const own = files.filter((file) => file.startsWith('claude-code/') && file.endsWith('.jsonl'));
const foreign = files.filter((file) => !own.includes(file));
const formats = [claudeCodeReader(sha256), fragmentFileFormat];

/** The records of a file, also of lines that hold two. */
function recordsOf(file: string): readonly string[] {
  return readFileSync(join(FOLDER, file), 'utf8').split('\n');
}

interface Block {
  readonly type?: string;
  readonly id?: string;
  readonly name?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

/** Each call of a file by name, and the first words of its result, read without the reader under test. */
function answeredCalls(file: string): readonly { readonly call: string; readonly start: string }[] {
  const names = new Map<string, string>();
  return recordsOf(file).flatMap((line) => {
    const record = parse(line) as { readonly message?: { readonly content?: unknown } } | null;
    const content = record?.message?.content;
    return (Array.isArray(content) ? (content as readonly Block[]) : []).flatMap((block) => {
      if (block.type === 'tool_use') names.set(block.id ?? '', block.name ?? '');
      const call = names.get(block.tool_use_id ?? '');
      const { type, content: result } = block;
      const start =
        type === 'tool_result' && typeof result === 'string' ? result.trim().slice(0, 60) : '';
      return call === undefined || start.length < 30 ? [] : [{ call, start }];
    });
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const describeWhereSamplesAre = files.length > 0 ? describe : describe.skip;

describeWhereSamplesAre('every sample session of Claude Code', () => {
  it.each(own)('%s is told by its head', async (file) => {
    const source = fileSource(join(FOLDER, file));
    expect(detectFormat(formats, await source.head(), source.name).name).toBe('claude-code');
  });

  it.each(own)(
    '%s yields fragments with distinct ids, each call beside its result',
    async (file) => {
      const { fragments, decisions, receipt } = await readSession(fileSource(join(FOLDER, file)));
      expect(fragments.length).toBeGreaterThan(0);
      expect(new Set(fragments.map(({ fragmentId }) => fragmentId)).size).toBe(fragments.length);
      expect(decisions.every(({ decisionId }) => isUlid(decisionId))).toBe(true);
      expect(receipt).toMatchObject({ fragments: fragments.length, decisions: decisions.length });
      expect(receipt.lines).toBeGreaterThanOrEqual(
        recordsOf(file).filter((line) => line !== '').length,
      );

      const made = new Set(decisions.map(({ decisionId }) => decisionId));
      expect(fragments.every(({ decisionId }) => decisionId === null || made.has(decisionId))).toBe(
        true,
      );
      for (const { content, tokenCount } of fragments) {
        expect(content.trim()).not.toBe('');
        expect(tokenCount).toBeLessThanOrEqual(8_000);
      }
      const orphans = fragments.filter(({ content }) => content.startsWith('(result of a call'));
      const reported = receipt.problems.first.filter(
        ({ reason }) => reason === 'result-without-call',
      );
      expect(orphans.length).toBeLessThanOrEqual(reported.length);
    },
  );

  it.each(own)('%s has every result in the fragment of its call', async (file) => {
    const { fragments } = await readSession(fileSource(join(FOLDER, file)));
    const contents = fragments.map(({ content }) => content);
    for (const { call, start } of answeredCalls(file)) {
      const beside = contents.filter((content) => content.includes(start));
      expect([
        file,
        start,
        beside.some((content) => content.includes(`→ ${call}`)) || beside.length === 0,
      ]).toEqual([file, start, true]);
    }
  });

  it.each(own)('%s read twice gives equal ids and equal bytes', async (file) => {
    const first = await readSession(fileSource(join(FOLDER, file)));
    const second = await readSession(fileSource(join(FOLDER, file)));
    expect(second).toEqual({ ...first, receipt: { ...second.receipt } });
    expect(second.receipt).toEqual(first.receipt);
  });
});

describeWhereSamplesAre(
  'the session that was saved after its first and after its second turn',
  () => {
    it('keeps every fragment and decision of the first turn unchanged', async () => {
      const [short, long] = await Promise.all(
        ['turn-1', 'turn-2'].map((turn) =>
          readSession(fileSource(join(FOLDER, `claude-code/incremental/${turn}.jsonl`))),
        ),
      );
      expect(short?.fragments.length).toBeGreaterThan(0);
      expect(long?.items).toEqual(expect.arrayContaining([...(short?.items ?? [])]));
    });
  },
);

describeWhereSamplesAre('every other sample', () => {
  it.each(foreign)('%s is refused, and the message names what was tried', async (file) => {
    const source = fileSource(join(FOLDER, file));
    const refusal = await source
      .head()
      .then((head) => detectFormat(formats, head, source.name))
      .catch((error: unknown) => error);
    expect(OssatureError.is(refusal, 'INVALID_TRANSCRIPT')).toBe(true);
    expect((refusal as OssatureError).message).toMatch(
      /claude-code, fragment-file|Give a text file/,
    );
  });
});
