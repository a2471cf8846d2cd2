/**
 * `npm run build && node bench/compress-skeleton.mjs [sizes…]`: the whole compression against a
 * hand-written lower bound, and against published packages that pack prioritised text into a token
 * budget (installed in the folder that PEERS_DIR names; rows without their package are skipped).
 *
 * Contenders of one size run in one process, interleaved, in processor time of all threads; a ratio
 * is the median of the ratios of the rounds. Exits 1 when a limit below is broken.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lowerBound } from './lower-bound.mjs';
import { parseCompressionRatio } from '../dist/src/domain/context/compression-ratio.js';
import { compressSkeleton } from '../dist/src/domain/skeleton/compress-skeleton.js';

/** Times of the lower bound that the compression may take, at every size. */
const MOST_TIMES_LOWER_BOUND = 1.5;
/** Of the time of each peer, at every size: it must be faster. */
const MOST_OF_PEER = 1;
/** Every limit is taken as it stands. */
const SLACK = 1.0;

const RATIO = 0.3;
const SIZES = process.argv.slice(2).map(Number);
if (SIZES.length === 0) SIZES.push(10_000, 100_000, 1_000_000);
const ROUNDS = (size) => (size <= 10_000 ? 41 : size <= 100_000 ? 21 : 9);

/** Peers that count every prefix again, or render the text, need minutes beyond this size. */
const LARGEST = { '@langchain/core trimMessages': 10_000, '@impowering/priompt': 100_000 };

function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
function ulid(time, next) {
  const characters = Buffer.alloc(26);
  let rest = time;
  for (let at = 9; at >= 0; at--) {
    characters[at] = ALPHABET.charCodeAt(rest % 32);
    rest = Math.floor(rest / 32);
  }
  for (let at = 10; at < 26; at++) characters[at] = ALPHABET.charCodeAt(Math.floor(next() * 32));
  return characters.latin1Slice();
}

/** Ids in random order, 20 to 2000 tokens (log-uniform), 20 fragments a decision, own text each. */
function fragmentsOf(size, ties) {
  const next = random(size + ties.length);
  const pool = Buffer.alloc(
    1_000_000,
    'the plan keeps a decision and a reason for it ',
  ).latin1Slice();
  const decisions = Array.from({ length: Math.ceil(size / 20) }, (_, at) =>
    ulid(1_760_000_000_000 + at * 50, next),
  );
  const times = Array.from({ length: size }, (_, at) => at);
  for (let at = size - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1));
    [times[at], times[other]] = [times[other], times[at]];
  }
  return times.map((time) => {
    const tokenCount = Math.round(20 * Math.exp(next() * Math.log(100)));
    const start = Math.floor(next() * (pool.length - tokenCount * 4));
    const fine = (next() * 2 ** 21 + next()) / 2 ** 21;
    const relevance = Math.min(1, ties === 'few ties' ? fine : Math.round(fine * 100) / 100);
    return {
      fragmentId: ulid(1_760_000_000_000 + time * 3, next),
      content: pool.substring(start, start + tokenCount * 4),
      tokenCount,
      relevance,
      decisionId: decisions[Math.floor(next() * decisions.length)],
    };
  });
}

const bySize = (text) => Math.ceil(text.length / 4);

/** name → (fragments, budget) → the call to time; the package's own input is made beforehand. */
const PEERS = {
  'context-window-packer': async (load) => {
    const { packContext } = await load('@mukundakatta/context-window-packer');
    return (fragments, maxTokens) => {
      const chunks = fragments.map(({ fragmentId, content, tokenCount, relevance }) => ({
        id: fragmentId,
        text: content,
        tokens: tokenCount,
        score: relevance,
      }));
      return () => packContext(chunks, { maxTokens });
    };
  },
  'rag-chunk-reorder': async (load) => {
    const { Reorderer } = await load('rag-chunk-reorder');
    return (fragments, maxTokens) => {
      const chunks = fragments.map(({ fragmentId, content, tokenCount, relevance }) => ({
        id: fragmentId,
        text: content,
        tokenCount,
        score: relevance,
        metadata: {},
      }));
      const reorderer = new Reorderer({
        strategy: 'custom',
        customComparator: (a, b) => b.score - a.score || (a.id < b.id ? -1 : 1),
        maxTokens,
        tokenCounter: bySize,
        packing: 'prefix',
      });
      return () => reorderer.reorderSync(chunks);
    };
  },
  '@langchain/core trimMessages': async (load) => {
    const { trimMessages, HumanMessage } = await load('@langchain/core/messages');
    return (fragments, maxTokens) => {
      const messages = fragments.map(
        ({ fragmentId, content, tokenCount, relevance }) =>
          new HumanMessage({
            id: fragmentId,
            content,
            response_metadata: { tokenCount, relevance },
          }),
      );
      const tokenCounter = (list) =>
        list.reduce((sum, message) => sum + message.response_metadata.tokenCount, 0);
      return () => {
        const sorted = [...messages].sort(
          (a, b) =>
            b.response_metadata.relevance - a.response_metadata.relevance || (a.id < b.id ? -1 : 1),
        );
        return trimMessages(sorted, { maxTokens, strategy: 'first', tokenCounter });
      };
    };
  },
  '@impowering/priompt': async (load) => {
    const { createElement, Fragment, render } = await load('@impowering/priompt');
    const tokenizer = {
      name: 'by size',
      encodeTokens: async (text) => Array.from({ length: bySize(text) }, () => 0),
      decodeTokens: async () => '',
      numTokens: async (text) => bySize(text),
      estimateNumTokensFast: async (text) => bySize(text),
      estimateNumTokensFast_SYNCHRONOUS_BE_CAREFUL: bySize,
      estimateTokensUsingCharCount: (text) => [
        Math.floor(text.length / 5),
        Math.ceil(text.length / 3),
      ],
      getHeaderStringForMessage: () => '',
      getHeaderTokensForMessage: async () => [],
      getEosTokenId: () => 0,
      getEosToken: () => '',
      applyChatTemplate: () => '',
      applyChatTemplateTokens: async () => [],
      shouldAddEosTokenToEachMessage: false,
    };
    return (fragments, tokenLimit) => () => {
      const scopes = fragments.map(({ content, relevance }) =>
        createElement('scope', { p: Math.round(relevance * 1e8) }, content),
      );
      const prompt = createElement(Fragment, null, [scopes]);
      return render(prompt, { tokenLimit, tokenizer, countTokensFast_UNSAFE: false });
    };
  },
};

async function loadPeers() {
  const folder = process.env.PEERS_DIR;
  const loaded = {};
  for (const [name, prepare] of Object.entries(PEERS)) {
    try {
      if (!folder) throw new Error('PEERS_DIR is not set');
      const require = createRequire(join(folder, 'package.json'));
      loaded[name] = await prepare((id) => import(pathToFileURL(require.resolve(id)).href));
    } catch (error) {
      console.log(`skipped ${name}: ${error.message.split('\n')[0]}`);
    }
  }
  return loaded;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Processor milliseconds of one call; short calls are repeated to be measurable. */
async function timed(call, repeats) {
  const before = process.cpuUsage();
  for (let at = 0; at < repeats; at++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / repeats;
}

/** What no compression can do without: every field of every fragment is looked at once. */
function readEveryField(fragments) {
  let sum = 0;
  for (const { fragmentId, content, tokenCount, relevance, decisionId } of fragments) {
    sum += fragmentId.length + content.length + tokenCount + relevance + decisionId.length;
    sum += fragmentId.charCodeAt(25) + decisionId.charCodeAt(25);
  }
  return sum;
}

function requireSameAnswer(fragments) {
  const ours = compressSkeleton(fragments, parseCompressionRatio(RATIO));
  const bound = lowerBound(fragments, RATIO);
  for (const list of ['kept', 'skipped']) {
    const isSame =
      ours[list].length === bound[list].length &&
      ours[list].every((fragment, at) => fragment === bound[list][at]);
    if (!isSame) throw new Error(`the lower bound answers otherwise: ${list}`);
  }
  if (JSON.stringify(ours.metadata) !== JSON.stringify(bound.metadata)) {
    throw new Error('the lower bound answers otherwise: metadata');
  }
  return ours.budgetTokens;
}

const peers = await loadPeers();
const broken = [];
const quiet = console.warn;
const rows = [];
for (const ties of ['few ties', 'many ties']) {
  let before;
  for (const size of SIZES) {
    const fragments = fragmentsOf(size, ties);
    const ratio = parseCompressionRatio(RATIO);
    const budget = requireSameAnswer(fragments);
    const contenders = {
      ossature: () => compressSkeleton(fragments, ratio),
      'lower bound': () => lowerBound(fragments, RATIO),
      reading: () => readEveryField(fragments),
    };
    for (const [name, prepare] of Object.entries(peers)) {
      if (size <= (LARGEST[name] ?? Infinity)) contenders[name] = prepare(fragments, budget);
    }
    const repeats = Math.max(1, Math.floor(20_000 / size));
    const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
    console.warn = () => {};
    for (let round = -3; round < ROUNDS(size); round++) {
      for (const [name, call] of Object.entries(contenders)) {
        const isPeer = name in peers;
        const slowRounds = size > 100_000 ? 1 : 5;
        if (isPeer && (round < 0 || round >= slowRounds) && name !== 'context-window-packer') {
          continue;
        }
        const milliseconds = await timed(call, isPeer ? 1 : repeats);
        if (round >= 0) times[name].push(milliseconds);
      }
    }
    console.warn = quiet;
    for (const name of Object.keys(contenders)) {
      if (name === 'ossature' || name === 'reading') continue;
      const ratioOfTimes = median(times[name].map((time, at) => times.ossature[at] / time));
      const limit = (name === 'lower bound' ? MOST_TIMES_LOWER_BOUND : MOST_OF_PEER) * SLACK;
      const isBroken = ratioOfTimes > limit;
      if (isBroken) broken.push(`${size} ${ties}: ${ratioOfTimes.toFixed(2)} × ${name}`);
      rows.push({
        fragments: size,
        ties,
        against: name,
        'ossature ms': Number(median(times.ossature).toPrecision(3)),
        'its ms': Number(median(times[name]).toPrecision(3)),
        ratio: Number(ratioOfTimes.toPrecision(3)),
        limit,
        verdict: isBroken ? 'BROKEN' : 'held',
      });
    }
    const readings = median(times.ossature.map((time, at) => time / times.reading[at]));
    if (before) {
      // Not judged: objects that no longer fit a cache cost every reader more. The lower bound,
      // linear in its work, is the judge at every size.
      const growth = readings / before.readings / (Math.log(size) / Math.log(before.size));
      rows.push({
        fragments: size,
        ties,
        against: 'growth of n log n, in readings',
        'ossature ms': Number(median(times.ossature).toPrecision(3)),
        ratio: Number(growth.toPrecision(3)),
      });
    }
    before = { size, readings };
  }
}
console.table(rows);
for (const line of broken) console.log(`limit broken: ${line}`);
process.exit(broken.length === 0 ? 0 : 1);
