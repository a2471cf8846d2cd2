/**
 * What scoring costs: processor time of one scoring against building and querying the BM25 packages
 * that return scores, on the same text and in the same process, interleaved; and our own growth.
 *
 *   PEERS_DIR=/folder/with/node_modules node bench/relevance.mjs [--runs 3] [--sizes 1000,10000,100000]
 *
 * Run after `npm run build`. Peers that `PEERS_DIR` does not resolve are left out; without any only
 * the growth is shown. Text is made from a fixed seed: 150 words (about 200 tokens) a fragment,
 * Zipf-distributed over 30,000 words.
 */
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { scoreRelevance } from '../dist/src/domain/relevance/score-relevance.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    sizes: { type: 'string', default: '1000,10000,100000' },
    peers: { type: 'string', default: '10000' },
  },
});
const WORDS_PER_FRAGMENT = 150;
const TOKENS_PER_FRAGMENT = 200;
const VOCABULARY = 30_000;
const GOAL_WORDS = 8;

const random = seeded(20_261_130);
const vocabulary = Array.from({ length: VOCABULARY }, () =>
  Array.from({ length: 3 + Math.floor(random() * 8) }, () =>
    String.fromCharCode(97 + Math.floor(random() * 26)),
  ).join(''),
);
const cumulative = [];
vocabulary.reduce((sum, _, at) => (cumulative[at] = sum + 1 / (at + 1)), 0);

function seeded(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_00_00_00_00;
  };
}

function zipfWord() {
  const wanted = random() * cumulative.at(-1);
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cumulative[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return vocabulary[low];
}

function makeTexts(count) {
  return Array.from({ length: count }, () => {
    const words = Math.round(WORDS_PER_FRAGMENT * Math.exp((random() - 0.5) * 0.6));
    // Parsed back from bytes: a text joined from parts is flat, as one read from a file is.
    return Buffer.from(Array.from({ length: words }, zipfWord).join(' ')).toString('latin1');
  });
}

function cpuMilliseconds(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

const PEERS = {
  'wink-bm25-text-search': (load) => {
    const create = load('wink-bm25-text-search');
    return (texts, goal) => {
      const engine = create();
      engine.defineConfig({ fldWeights: { text: 1 } });
      engine.definePrepTasks([wordsOf]);
      texts.forEach((text, at) => engine.addDoc({ text }, at));
      engine.consolidate();
      return engine.search(goal, texts.length).length;
    };
  },
  'fast-bm25': (load) => {
    const { BM25 } = load('fast-bm25');
    return (texts, goal) =>
      new BM25(texts.map((content) => ({ content }))).search(goal, texts.length).length;
  },
  minisearch: (load) => {
    const loaded = load('minisearch');
    const MiniSearch = loaded.default ?? loaded;
    return (texts, goal) => {
      const engine = new MiniSearch({ fields: ['text'], idField: 'id' });
      engine.addAll(texts.map((text, id) => ({ id, text })));
      return engine.search(goal).length;
    };
  },
  okapibm25: (load) => {
    const loaded = load('okapibm25');
    const okapi = loaded.default ?? loaded;
    return (texts, goal) => okapi(texts, wordsOf(goal), { b: 0.75, k1: 1.2 }).length;
  },
};

function resolvePeers() {
  if (process.env.PEERS_DIR === undefined) return [];
  const load = createRequire(`${process.env.PEERS_DIR}/`);
  return Object.entries(PEERS).flatMap(([name, open]) => {
    try {
      return [[name, open(load)]];
    } catch (error) {
      console.error(`${name} left out: ${error.message.split('\n')[0]}`);
      return [];
    }
  });
}

const goal = Array.from(
  { length: GOAL_WORDS },
  () => vocabulary[20 + Math.floor(random() * 2000)],
).join(' ');
const ours = (texts) =>
  scoreRelevance(
    goal,
    texts.map((content) => ({ content, tokenCount: TOKENS_PER_FRAGMENT })),
  ).length;
const runs = Number(values.runs);

const peers = resolvePeers();
if (peers.length > 0) {
  const texts = makeTexts(Number(values.peers));
  const times = new Map([['ours', []], ...peers.map(([name]) => [name, []])]);
  for (let run = 0; run < runs; run += 1) {
    times.get('ours').push(cpuMilliseconds(() => ours(texts)));
    for (const [name, score] of peers)
      times.get(name).push(cpuMilliseconds(() => score(texts, goal)));
  }
  console.log(`${values.peers} fragments, build and one goal, CPU ms, median of ${runs}`);
  for (const [name, measured] of times) {
    const ratios = times.get('ours').map((own, run) => own / measured[run]);
    console.log(
      `${name.padEnd(24)} ${median(measured).toFixed(0).padStart(7)}  ours is ${median(ratios).toFixed(2)} x`,
    );
  }
}

console.log(`growth, CPU ms, median of ${runs}`);
let previous;
for (const size of values.sizes.split(',').map(Number)) {
  const texts = makeTexts(size);
  const time = median(Array.from({ length: runs }, () => cpuMilliseconds(() => ours(texts))));
  const exponent =
    previous === undefined
      ? ''
      : (Math.log(time / previous.time) / Math.log(size / previous.size)).toFixed(2);
  console.log(`${String(size).padStart(8)} ${time.toFixed(0).padStart(7)}  exponent ${exponent}`);
  previous = { size, time };
}
