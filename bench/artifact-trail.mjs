/**
 * Which files a summary of a vendor's size still names, on made sessions (specification of evaluation, §8):
 * our summary and the trail alone against tail and head of equal tokens.
 *
 *   npm run build && node bench/artifact-trail.mjs [--tokens 2600] [--changed 10,40,100,220] [--read 0.5] [--rounds 5]
 *
 * `--read`: files only read for each one that is changed. Of those touched again later four in ten were only read, the
 * late ones of both kinds more often.
 */
import { parseArgs } from 'node:util';
import { createOssature, TOKENS } from '../dist/src/index.js';
import { measureBoundary } from '../dist/src/domain/evaluation/trail-recall/measure-boundary.js';
import { drawBelow, seededNumbers } from '../dist/src/domain/evaluation/seeded-numbers.js';
import { renderUnit } from '../dist/src/domain/session/render-unit.js';
import { TranscriptWriter } from '../dist/src/domain/evaluation/transcript-writer.js';

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '2600' },
    changed: { type: 'string', default: '10,40,100,220' },
    read: { type: 'string', default: '0.5' },
    rounds: { type: 'string', default: '5' },
  },
});
const core = await createOssature({ store: { kind: 'in-memory' } });
const counter = core.resolve(TOKENS.tokenCounter);
const digest = core.resolve(TOKENS.digest);
const mappings = core.resolve(TOKENS.toolMappings);

const WORDS =
  'account anchor archive billing cache cart check client command config context cursor customer delivery domain editor engine entry event export factory filter gateway handler harbour history import index invoice journal ledger lesson loader mapper market message metric monitor notice order parser payment planner policy portal product profile queue reader record registry render report request router schema search service session setting signal socket source storage stream summary ticket token tracker transfer user vault widget worker'.split(
    ' ',
  );
const TOP = ['src', 'packages/web/src', 'packages/api/src', 'test', 'docs'];

function madeSession(changed, seed) {
  const draw = seededNumbers(seed);
  const word = () => WORDS[drawBelow(draw, WORDS.length)];
  const folders = Array.from({ length: Math.max(3, Math.round(changed / 6)) }, () => {
    const depth = 1 + drawBelow(draw, 3);
    return [TOP[drawBelow(draw, TOP.length)], ...Array.from({ length: depth }, word)].join('/');
  });
  const known = new Set();
  const path = () => {
    for (;;) {
      const kind = ['.ts', '.tsx', '.test.ts', '.sql', '.md'][drawBelow(draw, 5)];
      const made = `${folders[drawBelow(draw, folders.length)]}/${word()}-${word()}${kind}`;
      if (!known.has(made)) return (known.add(made), made);
    }
  };
  const edited = Array.from({ length: changed }, path);
  const seen = Array.from({ length: Math.ceil(changed * Number(values.read)) }, path);
  const writer = new TranscriptWriter('made');
  const edit = (file) =>
    writer.call({
      toolName: 'Edit',
      arguments: { file_path: file, old_string: 'a', new_string: `export function ${word()}() {}` },
      effect: 'changes',
      result: `The file ${file} has been updated.`,
    });
  const read = (file) =>
    writer.call({
      toolName: 'Read',
      arguments: { file_path: file },
      effect: 'reads',
      result: `export const ${word()} = '${word()}';`,
    });
  const work = [
    ...edited.map((file) => () => edit(file)),
    ...seen.map((file) => () => read(file)),
  ].sort(() => drawBelow(draw, 3) - 1);
  work.forEach((step, at) => {
    if (at % 12 === 0)
      writer.user(
        `Please let the ${word()} of the ${word()} follow the ${word()}, ${word()} ${at}.`,
      );
    if (at % 15 === 7)
      writer.call({
        toolName: 'AskUserQuestion',
        arguments: {},
        result: 'answered',
        answers: [
          {
            question: `How should the ${word()} treat the ${word()} of a ${word()}?`,
            answer: `By ${word()} and then by ${word()}, as the ${word()} does`,
            notTaken: [`By ${word()}`],
          },
        ],
      });
    step();
    if (at % 10 === 5)
      writer.call({
        toolName: 'Bash',
        arguments: { command: `npm test -- ${word()}` },
        result: at % 20 === 5 ? `Error: ${word()} ${word()} failed at ${at}` : '12 passed',
        exitCode: at % 20 === 5 ? 1 : 0,
        isError: at % 20 === 5,
      });
  });
  const boundary = writer.written;
  const again = Array.from({ length: 20 }, (_, at) => {
    const from = at % 5 < 3 ? edited : seen;
    return from[Math.floor(from.length * Math.sqrt(draw()))] ?? from[0];
  });
  for (const file of again) read(file);
  return { entries: writer.take(), boundary };
}

const budget = Number(values.tokens);
const summary = { kind: 'summary', author: 'agent', content: 'word '.repeat(budget).trim() };
console.log(`tokens of a summary: ${counter.count(summary.content)}`);
for (const changed of values.changed.split(',').map(Number)) {
  const rows = {};
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const made = madeSession(changed, round);
    const entries = made.entries.map((entry, at) => ({
      ...entry,
      entryId: String(at).padStart(26, '0'),
      seq: at + 1,
      unitId: entry.messageKey ?? entry.sourceKey,
      turn: 1,
      contentHash: '',
      tokenCount: counter.count(renderUnit([entry])),
      boundary: false,
    }));
    const { texts } = measureBoundary(
      'made',
      entries,
      { at: made.boundary, summary },
      {
        trail: { vendor: 'claude-code', projectRoot: null, mappings, digest },
        counter,
        digest,
      },
    );
    for (const { text, tokens, groups } of texts.filter(({ text: name }) => name !== 'vendor')) {
      const row = (rows[text] ??= {
        tokens: 0,
        changed: [0, 0],
        read: [0, 0],
        touched_again: [0, 0],
      });
      row.tokens = Math.max(row.tokens, tokens);
      for (const group of ['changed', 'read', 'touched_again']) {
        row[group][0] += groups[group].byPath;
        row[group][1] += groups[group].files;
      }
    }
  }
  console.log(`\n${changed} changed files, ${values.rounds} sessions, share named by path`);
  for (const [text, { tokens, ...groups }] of Object.entries(rows)) {
    const shares = Object.entries(groups).map(
      ([group, [named, all]]) => `${group} ${(named / all).toFixed(3)}`,
    );
    console.log(`  ${text.padEnd(8)} ${shares.join('  ')}  tokens at most ${tokens}`);
  }
}
await core.close();
