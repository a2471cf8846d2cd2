/** What the benches share: the built modules, medians, and a table that ends in a verdict. */
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const built =
  process.env.OSSATURE_DIST === undefined
    ? fileURLToPath(new URL('../dist', import.meta.url))
    : resolve(process.env.OSSATURE_DIST);

/** A built module by its path below the root of the build, which `OSSATURE_DIST` may name. */
export const load = (path) => import(pathToFileURL(builtPath(path)).href);

export const builtPath = (path) => `${built}/${path}`;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export const times = (count, make) => Array.from({ length: count }, (_, at) => make(at));

/** Odd rounds run backwards, so that no contender always pays for the one before it. */
export function inTurn(contenders, round) {
  return round % 2 === 0 ? contenders : [...contenders].reverse();
}

/**
 * Prints one line for each question and answers whether every limit holds.
 *
 * @param answers `ratios` of the rounds, a number as `limit`, and `atMost` or `atLeast` as `must`;
 *   without a limit the line is for the reader only.
 */
export function report(title, answers) {
  console.log(`\n${title}\n`);
  console.log(
    '| question | reference | ours | ratio (median) | rounds | lowest–highest | limit | |',
  );
  console.log('|---|---|---:|---:|---:|---|---|---|');
  let holds = true;
  for (const { question, reference, ours, ratios, must, limit } of answers) {
    const ratio = median(ratios);
    const kept = limit === undefined || (must === 'atMost' ? ratio <= limit : ratio >= limit);
    holds &&= kept;
    const bound = limit === undefined ? '' : `${must === 'atMost' ? '≤' : '≥'} ${limit}`;
    const verdict = limit === undefined ? '' : kept ? 'holds' : 'BROKEN';
    const range = `${short(Math.min(...ratios))}–${short(Math.max(...ratios))}`;
    console.log(
      `| ${question} | ${reference} | ${ours} | ${short(ratio)} | ${ratios.length} | ${range} | ${bound} | ${verdict} |`,
    );
  }
  return holds;
}

export function short(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

export function numberArgument(name, fallback) {
  const index = process.argv.indexOf(name);
  return index < 0 ? fallback : Number(process.argv[index + 1]);
}

/** The same numbers in every run. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID of a small count: distinct counts give distinct ids, in the order of the counts. */
export function ulidOf(count) {
  let text = '';
  for (let rest = count; text.length < 8; rest = Math.floor(rest / 32)) {
    text = ALPHABET[rest % 32] + text;
  }
  return `01KB${text}${'ZQ3WHATEVER0AB'.replaceAll(/[ILOU]/g, '0')}`;
}

/** Text that reads like a log and compresses like one; each start gives another piece. */
export function textPool(length, next) {
  const words = times(4000, () =>
    times(2 + Math.floor(next() * 9), () => String.fromCharCode(97 + Math.floor(next() * 26))).join(
      '',
    ),
  );
  let pool = '';
  while (pool.length < length) pool += `${words[Math.floor(next() ** 2 * words.length)]} `;
  return pool.slice(0, length);
}
