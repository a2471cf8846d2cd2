import { describe, expect, it } from '@jest/globals';
import { createEstimateCounter } from '../../../src/infrastructure/tokens/estimate-counter.js';
import { createO200kCounter } from '../../../src/infrastructure/tokens/o200k-counter.js';

const PIECE_UNITS = 2 ** 17;
const PIECES = 8;

/** Linear time would be 1, n log n is 1.2, the square 8. */
const MOST_TIMES_SLOWER = 4;

/** Below this a measurement is noise, CPU milliseconds. */
const MEASURABLE = 50;

/** Text of one kind that gives the usual implementation no place to stop. */
// prettier-ignore
const HOSTILE = [
  { kind: 'one letter',              unit: 'a' },
  { kind: 'one capital',             unit: 'A' },
  { kind: 'two letters',             unit: 'ab' },
  { kind: 'spaces',                  unit: ' ' },
  { kind: 'line feeds',              unit: '\n' },
  { kind: 'spaces and line feeds',   unit: '   \n' },
  { kind: 'equals signs',            unit: '=' },
  { kind: 'digits',                  unit: '12345678' },
  { kind: 'emoji',                   unit: '😀' },
  { kind: 'joined emoji',            unit: '👩\u200d\u{1f9d1}\u200d\u2764\ufe0f' },
  { kind: 'CJK without breaks',      unit: '日本語漢' },
  { kind: 'caseless, then capitals', unit: '日A' },
  { kind: 'combining marks',         unit: '\u0301' },
  { kind: 'lone surrogates',         unit: '\ud800' },
  { kind: 'base64',                  unit: base64Alike(2 ** 14) },
  { kind: 'letters in disorder',     unit: base64Alike(2 ** 15).replaceAll(/[^a-z]/g, '').slice(0, 2 ** 13) },
];

describe.each([createO200kCounter(), createEstimateCounter()])('$name on a megabyte', (counter) => {
  it.each(HOSTILE)('of $kind takes time in proportion', ({ unit }) => {
    const piece = unit.repeat(PIECE_UNITS / unit.length + 1).slice(0, PIECE_UNITS);
    const whole = piece.repeat(PIECES);
    counter.count(piece);
    const isInProportion = (): boolean => {
      const inPieces = cpuMilliseconds(() => {
        for (let index = 0; index < PIECES; index += 1) counter.count(piece);
      });
      const atOnce = cpuMilliseconds(() => counter.count(whole));
      return atOnce < MOST_TIMES_SLOWER * Math.max(inPieces, MEASURABLE);
    };
    // A busy machine may slow one try down; a count that is out of proportion fails them all.
    expect([isInProportion, isInProportion, isInProportion].some((tried) => tried())).toBe(true);
  });
});

describe('o200k_base on a megabyte', () => {
  const counter = createO200kCounter();

  // prettier-ignore
  it.each([
    { kind: 'letters',    unit: 'a',  unitsPerToken: 8 },
    { kind: 'spaces',     unit: ' ',  unitsPerToken: 128 },
    { kind: 'line feeds', unit: '\n', unitsPerToken: 16 },
  ])('of $kind is exact: $unitsPerToken to a token', ({ unit, unitsPerToken }) => {
    expect(counter.count(unit.repeat(2 ** 20))).toBe(2 ** 20 / unitsPerToken);
  });
});

/** Base64 characters in no order, the same at every run. */
function base64Alike(length: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let state = 1;
  let text = '';
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += alphabet.charAt(state >>> 26);
  }
  return text;
}

function cpuMilliseconds(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
