/**
 * How fast is our exact o200k_base count against the packages that count the same?
 *
 *     npm run build && node bench/token-counting.mjs [--megabytes 4] [--rounds 5]
 *
 * All counters run in this process, in turn, round after round; a figure is the median of CPU time
 * over the rounds, so a busy machine hits all alike. `tiktoken` is no dependency of ours: it joins
 * where it can be resolved from here or from the folder PEERS_DIR. A counter that disagrees on one
 * piece ends the run: a fast wrong count is no result.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createEstimateCounter } from '../dist/src/infrastructure/tokens/estimate-counter.js';
import { createO200kCounter } from '../dist/src/infrastructure/tokens/o200k-counter.js';

const PIECE_UNITS = 2_000;
const MOST_OF_A_FILE = 200_000;
const OURS = 'ossature o200k_base';
const NO_SPECIAL_TOKENS = { allowedSpecial: new Set(), disallowedSpecial: new Set() };

async function main() {
  const { ratios } = await measureTokenCounting({
    megabytes: numberArgument('--megabytes', 4),
    rounds: numberArgument('--rounds', 5),
  });
  for (const [name, ratio] of Object.entries(ratios)) {
    console.log(`ratio ${OURS} / ${name}: ${ratio.toFixed(2)}`);
  }
}

/** @returns megabytes per CPU second by counter, and our speed as a multiple of each other's. */
export async function measureTokenCounting({ megabytes, rounds }) {
  const pieces = makeCorpus(megabytes * 1e6);
  const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const counters = await findCounters();
  console.log(
    `${(bytes / 1e6).toFixed(2)} MB in ${pieces.length} pieces, ${rounds} rounds, CPU time`,
  );

  const first = {};
  for (const { name, count } of counters) {
    first[name] = cpuSeconds(() => pieces.forEach((piece) => count(piece)));
  }
  requireAgreement(
    counters.filter(({ exact }) => exact),
    pieces,
  );

  const seconds = Object.fromEntries(counters.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, count } of counters) {
      seconds[name].push(cpuSeconds(() => pieces.forEach((piece) => count(piece))));
    }
  }
  const speeds = {};
  const ratios = {};
  for (const { name } of counters) {
    speeds[name] = bytes / 1e6 / median(seconds[name]);
    if (name !== OURS)
      ratios[name] = median(seconds[name].map((time, round) => time / seconds[OURS][round]));
  }
  console.table(
    Object.fromEntries(
      counters.map(({ name }) => [
        name,
        {
          'first pass MB/s': (bytes / 1e6 / first[name]).toFixed(1),
          'MB/s': speeds[name].toFixed(1),
          'ours is × as fast': name === OURS ? '' : ratios[name].toFixed(2),
        },
      ]),
    ),
  );
  return { speeds, ratios };
}

async function findCounters() {
  const ours = createO200kCounter();
  const estimate = createEstimateCounter();
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const counters = [
    { name: OURS, exact: true, count: (text) => ours.count(text) },
    { name: 'ossature estimate', exact: false, count: (text) => estimate.count(text) },
    { name: 'gpt-tokenizer', exact: true, count: (text) => countTokens(text, NO_SPECIAL_TOKENS) },
  ];
  const tiktoken = resolveTiktoken();
  if (tiktoken === undefined) {
    console.log('tiktoken: not installed, left out (set PEERS_DIR to a folder where it is)');
    return counters;
  }
  const encoding = tiktoken.get_encoding('o200k_base');
  return [
    ...counters,
    { name: 'tiktoken', exact: true, count: (text) => encoding.encode_ordinary(text).length },
  ];
}

function resolveTiktoken() {
  const folders = [
    import.meta.url,
    process.env.PEERS_DIR && `${process.env.PEERS_DIR}/package.json`,
  ];
  for (const folder of folders.filter(Boolean)) {
    try {
      return createRequire(folder)('tiktoken');
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

function requireAgreement(counters, pieces) {
  for (const piece of pieces) {
    const counts = counters.map(({ count }) => count(piece));
    if (new Set(counts).size > 1) {
      const named = counters.map(({ name }, index) => `${name} ${counts[index]}`).join(', ');
      throw new Error(`Counts differ (${named}) on ${JSON.stringify(piece.slice(0, 80))}`);
    }
  }
}

/** Text of the installed packages, which the lock file pins: no file of ours, the same everywhere. */
const SOURCES = [
  { kind: 'prose', share: 0.4, takes: (path) => /readme\.md$/i.test(path) },
  {
    kind: 'code',
    share: 0.35,
    takes: (path) => /(typeorm|zod|commander|fast-check)\/.*\.[cm]?[jt]s$/.test(path),
  },
  { kind: 'json', share: 0.15, takes: (path) => path.endsWith('/package.json') },
  {
    kind: 'cjk',
    share: 0.1,
    takes: (path) => /(zh-cn|zh-tw|ja|ko)\/diagnosticMessages|locales\/(zh|ja|ko)/.test(path),
  },
];

function makeCorpus(bytes) {
  const folder = fileURLToPath(new URL('../node_modules', import.meta.url));
  const paths = readdirSync(folder, { recursive: true }).sort();
  const pieces = [];
  for (const { share, takes } of SOURCES) {
    let left = bytes * share;
    for (const path of paths.filter(takes)) {
      if (left <= 0) break;
      const text = readFileSync(`${folder}/${path}`, 'utf8').slice(0, MOST_OF_A_FILE);
      for (let start = 0; start < text.length; start += PIECE_UNITS) {
        pieces.push(text.slice(start, start + PIECE_UNITS).toWellFormed());
      }
      left -= Buffer.byteLength(text);
    }
  }
  return pieces;
}

function cpuSeconds(work) {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function numberArgument(name, fallback) {
  const index = process.argv.indexOf(name);
  return index < 0 ? fallback : Number(process.argv[index + 1]);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
