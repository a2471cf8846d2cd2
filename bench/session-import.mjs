/**
 * `npm run build && node bench/session-import.mjs`: transcripts through the import, against a loop that
 * only splits the same file into lines and calls `JSON.parse` on each, in one process, round by round.
 *
 * The file is made (`made-session.mjs`). Exits 1 when a limit is broken.
 */
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSession } from './made-session.mjs';
import { inTurn, load, median, numberArgument, report, short } from './measure.mjs';
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
const { sha256: digest } = await load('src/infrastructure/system/node-system.js');
const { mediaPrices } = await load('src/domain/session/media-prices.js');
const { createOssature, TOKENS } = await load('src/index.js');

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
