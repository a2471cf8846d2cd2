/**
 * `npm run build && node bench/session-import.mjs`: transcripts through the import, against a loop that
 * only splits the same file into lines and calls `JSON.parse` on each, in one process, round by round.
 *
 * The file is made: sessions of Claude Code with prompts, answers, calls and results of several
 * kilobytes, some not ASCII, and the vendor's detail that repeats a file. Exits 1 when a limit is broken.
 */
import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inTurn, load, median, numberArgument, random, report, short } from './measure.mjs';
import { withPostgres } from './postgres.mjs';

/** Shares of the loop's speed (specification of sessions, §16). */
const LIMITS = { map: 0.5, measure: 0.15, import: 0.08, again: 0.3 };

const MEGABYTES = numberArgument('--megabytes', 40);
const ROUNDS = numberArgument('--rounds', 5);
const ONLY = process.argv.includes('--without-store') ? ['map', 'measure'] : Object.keys(LIMITS);

const folder = mkdtempSync(join(tmpdir(), 'ossature-bench-'));
const file = join(folder, 'session.jsonl');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const { claudeCodeReader } = await load('src/interfaces/transcripts/claude-code-transcript.js');
const { fileSource } = await load('src/interfaces/transcripts/transcript-source.js');
const { measureEntry, withStorableKeys } = await load('src/domain/session/measure-entry.js');
const { TextCleaner } = await load('src/domain/redaction/text-cleaner.js');
const { redactWith } = await load('src/domain/redaction/redact.js');
const { mediaPrices } = await load('src/domain/session/media-prices.js');
const { createOssature, TOKENS } = await load('src/index.js');

const digest = (text) => createHash('sha256').update(text).digest('hex');
const redact = redactWith(digest);
const reader = claudeCodeReader(digest);
await writeSession(file, MEGABYTES * 1024 * 1024);

await withPostgres(async (url) => {
  const core = await createOssature({ store: { kind: 'url', url }, checkSchema: false });
  await core.migrate();
  const counter = core.resolve(TOKENS.tokenCounter);
  let imports = 0;
  const importAs = async (tenantId) => {
    const request = { tenantId, source: fileSource(file), reader, redact };
    const [receipt] = await core.sessions.ingestion.import(request);
    return receipt;
  };
  const kinds = {
    loop: () => parseLines(file),
    map: async () => {
      for await (const event of reader.read(fileSource(file))) if (event === null) throw event;
    },
    measure: async () => {
      const cleaner = new TextCleaner(redact);
      const measures = { cleaner, counter, digest, prices: mediaPrices, maxAttachmentBytes: 2e7 };
      for await (const event of reader.read(fileSource(file))) {
        if (event.event !== 'entry') continue;
        const place = { unitId: 'u', entryId: 'e' };
        measureEntry(withStorableKeys(event.entry, digest), place, measures);
      }
    },
    import: async () => {
      imports += 1;
      const { added } = await importAs(`bench-${imports}`);
      if (added === 0) throw new Error('nothing was imported');
    },
    again: async () => {
      const { added } = await importAs('bench-1');
      if (added !== 0) throw new Error('something was added again');
    },
  };
  const contenders = ['loop', ...ONLY].map((name) => ({ name, run: kinds[name] }));
  const seconds = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = -1; round < ROUNDS; round += 1) {
    const order = round < 0 ? contenders : inTurn(contenders, round + 1);
    for (const { name, run } of order) {
      const start = performance.now();
      await run();
      if (round >= 0) seconds.get(name).push((performance.now() - start) / 1000);
    }
  }
  await core.close();
  const size = statSync(file).size / 1024 / 1024;
  const loop = seconds.get('loop');
  const questions = {
    map: 'read and map',
    measure: 'read, map, redact, count',
    import: 'whole import into Postgres',
    again: 'import of a known file',
  };
  const holds = report(
    `${size.toFixed(0)} MB of a session; the loop reads ${short(size / median(loop))} MB/s`,
    ONLY.map((name) => ({
      question: questions[name],
      reference: 'split and parse',
      ours: `${short(size / median(seconds.get(name)))} MB/s`,
      ratios: seconds.get(name).map((value, round) => loop[round] / value),
      must: 'atLeast',
      limit: LIMITS[name],
    })),
  );
  if (!holds) process.exitCode = 1;
});

/** The reference: nothing but lines and values. */
async function parseLines(path) {
  let rest = Buffer.alloc(0);
  let records = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
      if (JSON.parse(bytes.toString('utf8', from, at)) !== null) records += 1;
      from = at + 1;
    }
    rest = bytes.subarray(from);
  }
  if (records === 0) throw new Error('there was nothing to parse');
}

/** What agents read: sources and documents, as this project has them. */
function sourceTexts() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const folders = ['src', 'test', 'docs'].map((name) => join(root, name));
  const paths = folders.flatMap((path) =>
    readdirSync(path, { recursive: true })
      .filter((name) => /\.(?:ts|md)$/.test(name))
      .sort()
      .map((name) => join(path, name)),
  );
  return paths.map((path) => readFileSync(path, 'utf8')).join('\n');
}

async function writeSession(path, bytes) {
  const next = random(7);
  const pool = sourceTexts();
  const out = createWriteStream(path);
  const size = { written: 0 };
  let turn = 0;
  let parentUuid = null;
  const put = async (type, message, more = {}) => {
    const uuid = digest(`${turn}-${size.written}`).slice(0, 36);
    const record = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/somebody/project',
      sessionId: 'bench',
      version: '2.1.80',
      type,
      message,
      uuid,
      timestamp: '2026-01-02T03:04:05.678Z',
      ...more,
    };
    parentUuid = uuid;
    const line = `${JSON.stringify(record)}\n`;
    size.written += Buffer.byteLength(line);
    if (!out.write(line)) await once(out, 'drain');
  };
  const text = (characters) => {
    const from = Math.floor(next() * (pool.length - characters));
    return pool.slice(from, from + characters);
  };
  for (turn = 1; size.written < bytes; turn += 1) {
    const special = turn % 5 === 0 ? ' — naïve “日本語” 🚢 ' : '';
    await put('user', { role: 'user', content: `${text(200)}${special}` });
    for (let step = 0; step < 6; step += 1) {
      const id = `toolu_${turn}_${step}`;
      const path = `/home/somebody/project/src/part-${turn % 97}/file-${step}.ts`;
      const [name, input] = [
        ['Read', { file_path: path }],
        ['Bash', { command: `npm test -- ${path}`, description: 'run it' }],
        ['Edit', { file_path: path, old_string: text(300), new_string: text(400) }],
      ][step % 3];
      const usage = { input_tokens: 4, cache_read_input_tokens: 20_000 + step, output_tokens: 300 };
      const message = {
        id: `msg_${turn}_${step}`,
        role: 'assistant',
        model: 'claude-opus-4-1',
        usage,
      };
      await put('assistant', { ...message, content: [{ type: 'text', text: text(400) }] });
      await put('assistant', { ...message, content: [{ type: 'tool_use', id, name, input }] });
      const shown = `${text(step % 3 === 0 ? 9_000 : 2_500)}${special}`;
      const detail =
        name === 'Read'
          ? {
              type: 'text',
              file: { filePath: path, content: shown, numLines: 90, startLine: 1, totalLines: 90 },
            }
          : name === 'Bash'
            ? { stdout: shown, stderr: '', interrupted: false }
            : {
                filePath: path,
                oldString: input.old_string,
                newString: input.new_string,
                originalFile: text(4_000),
                structuredPatch: [],
                userModified: false,
              };
      const content = [{ type: 'tool_result', tool_use_id: id, content: shown }];
      await put('user', { role: 'user', content }, { toolUseResult: detail });
    }
  }
  out.end();
  await once(out, 'finish');
}
