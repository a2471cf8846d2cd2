/**
 * `npm run build && node bench/assemble.mjs`: a whole assembly against the relevance scoring in it,
 * how it grows with the fragments, and the memory that it needs beside them.
 *
 * Fragments of about 200 tokens into 100,000 tokens, in a store in memory. Both contenders run in one
 * process, in turn; a ratio is the median of the ratios of the rounds. Memory is that of a process of
 * its own, whose peak is compared with what the fragments alone take. Exits 1 when a limit is broken.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inTurn, load, median, random, report, short, times } from './measure.mjs';

/** Times of scoring alone. Specification of assembly, §7. */
const MOST_TIMES_SCORING = 1.5;
/** Of n log n, from each size to the next. */
const MOST_OF_N_LOG_N = 1;
/** Times of the fragments alone. */
const MOST_TIMES_INPUT = 2;

const SIZES = process.argv
  .slice(2)
  .filter((word) => /^\d+$/.test(word))
  .map(Number);
if (SIZES.length === 0) SIZES.push(1_000, 10_000, 100_000);
const ROUNDS = (size) => (size <= 1_000 ? 15 : size <= 10_000 ? 7 : 3);
/** Of such text, about 200 tokens. */
const CHARACTERS = 850;
const BUDGET = { maxTokens: 100_512, reservedTokens: 512 };

const { createOssature } = await load('src/infrastructure/container/create-ossature.js');
const { TOKENS: PORTS } = await load('src/infrastructure/container/tokens.js');
const { scoreRelevance } = await load('src/domain/relevance/score-relevance.js');

/** Real text, with words that are common and words that are rare: our own sources and documents, ASCII alone. */
function textPool() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  return ['docs', 'src', 'test']
    .flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true })
        .map(String)
        .filter((name) => /\.(?:ts|md)$/.test(name))
        .sort()
        .map((name) => readFileSync(`${root}${folder}/${name}`, 'utf8')),
    )
    .join('\n')
    .replaceAll(/[^\n\x20-\x7e]/g, ' ');
}

function fragmentsOf(size, planId, counter) {
  const next = random(size);
  const pool = textPool();
  return times(size, (at) => {
    const start = Math.floor(next() * (pool.length - CHARACTERS));
    // A text of its own, as a store gives it, not a view of the pool.
    const content = Buffer.from(pool.slice(start, start + CHARACTERS), 'latin1').latin1Slice();
    return {
      planId,
      fragmentId: `session:${at}`,
      content,
      tokenCount: counter.count(content),
      relevance: next(),
      decisionId: null,
      contentHash: String(at),
      tokenCounter: `${counter.name}@${counter.version}`,
      metadata: { turn: Math.floor(at / 8) },
      createdAt: null,
    };
  });
}

async function openWith(size) {
  const core = await createOssature({ store: { kind: 'in-memory' } });
  await core.projects.create('bench');
  const { planId } = await core.plans.create({ project: 'bench', goal: 'bench' });
  const fragments = fragmentsOf(size, planId, core.resolve(PORTS.tokenCounter));
  await core.resolve(PORTS.fragmentRepository).add(planId, fragments);
  const words = fragments[Math.floor(size / 3)].content.match(/\w{3,}/g).slice(1, 9);
  return { core, planId, fragments, query: `where is ${words.join(' and ')}?` };
}

/** Milliseconds of the processor. */
async function timed(work) {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

async function measureTime(size) {
  const { core, planId, fragments, query } = await openWith(size);
  const contenders = {
    scoring: () => scoreRelevance(query, fragments),
    assembly: () => core.contexts.assemble({ planId, query, ...BUDGET }),
  };
  await contenders.assembly();
  const took = { scoring: [], assembly: [] };
  for (let round = 0; round < ROUNDS(size); round += 1) {
    for (const name of inTurn(Object.keys(contenders), round)) {
      globalThis.gc?.();
      took[name].push(await timed(contenders[name]));
    }
  }
  const { totalTokens, fragments: shown, excluded } = await contenders.assembly();
  console.log(
    `${size} fragments: ${shown.length} shown, ${excluded.length} excluded, ${totalTokens} tokens`,
  );
  return took;
}

/** Runs in a process of its own; prints bytes of the fragments, and of the peak above them. */
async function measureMemory(size) {
  globalThis.gc();
  const before = process.memoryUsage().rss;
  const { core, planId, query } = await openWith(size);
  globalThis.gc();
  const input = process.memoryUsage().rss - before;
  const { fragments } = await core.contexts.assemble({ planId, query, ...BUDGET });
  const peak = process.resourceUsage().maxRSS * 1024 - before;
  console.log(JSON.stringify({ input, peak, shown: fragments.length }));
}

if (process.argv.includes('--memory')) {
  await measureMemory(SIZES[0]);
} else {
  const answers = [];
  let smaller = null;
  for (const size of SIZES) {
    const { scoring, assembly } = await measureTime(size);
    answers.push({
      question: `assembling ${size} fragments`,
      reference: `scoring alone, ${short(median(scoring))} ms`,
      ours: `${short(median(assembly))} ms`,
      ratios: assembly.map((took, round) => took / scoring[round]),
      must: 'atMost',
      limit: MOST_TIMES_SCORING,
    });
    if (smaller !== null) {
      const expected = (size * Math.log(size)) / (smaller.size * Math.log(smaller.size));
      const grown = median(assembly) / smaller.took;
      answers.push({
        question: `growth from ${smaller.size} to ${size}`,
        reference: `n log n, × ${short(expected)}`,
        ours: `× ${short(grown)}`,
        ratios: [grown / expected],
        must: 'atMost',
        limit: MOST_OF_N_LOG_N,
      });
    }
    smaller = { size, took: median(assembly) };
  }
  const largest = Math.max(...SIZES);
  const { stdout } = spawnSync(
    process.execPath,
    ['--expose-gc', fileURLToPath(import.meta.url), String(largest), '--memory'],
    { encoding: 'utf8' },
  );
  const { input, peak } = JSON.parse(stdout);
  answers.push({
    question: `peak memory at ${largest}`,
    reference: `the fragments, ${short(input / 1e6)} MB`,
    ours: `${short(peak / 1e6)} MB`,
    ratios: [peak / input],
    must: 'atMost',
    limit: MOST_TIMES_INPUT,
  });
  process.exitCode = report('Assembly', answers) ? 0 : 1;
}
