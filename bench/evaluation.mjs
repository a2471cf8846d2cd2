/**
 * What evaluation costs (specification of evaluation, §11): grading, probes, planted facts, evidence recall.
 *
 *   npm run build && node bench/evaluation.mjs [--questions 2000] [--per-case 200,20,7]
 *
 * A case is read once for all of its questions, so that their number a case decides what one costs:
 * long conversations have about 200, meetings 7.
 */
import { parseArgs } from 'node:util';
import { createOssature, TOKENS } from '../dist/src/index.js';
import { PLANT_DEFAULTS } from '../dist/src/domain/evaluation/planted/plant-defaults.js';
import { gradeAnswer } from '../dist/src/domain/evaluation/grading/grade-answer.js';
import { drawFacts } from '../dist/src/domain/evaluation/planted/draw-facts.js';
import { writeCycle } from '../dist/src/domain/evaluation/planted/write-cycle.js';
import { referenceAnswer } from '../dist/src/domain/evaluation/probes/reference-answer.js';
import { writeProbes } from '../dist/src/domain/evaluation/probes/write-probes.js';
import { probeMaterial } from '../dist/src/application/evaluation/read-point.js';
import { KnownTexts } from '../dist/src/domain/session/summary/identifiers.js';

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '2000' },
    'per-case': { type: 'string', default: '200,20,7' },
  },
});
const core = await createOssature({ store: { kind: 'in-memory' } });
const digest = core.resolve(TOKENS.digest);
const mappings = core.resolve(TOKENS.toolMappings);

async function seconds(name, limit, work) {
  const start = performance.now();
  const result = await work();
  const spent = (performance.now() - start) / 1000;
  const peak = Math.round(process.memoryUsage().rss / 2 ** 20);
  console.log(`${name}: ${spent.toFixed(2)} s of ${limit} s, ${peak} MB resident`);
  return result;
}

const facts = drawFacts({ seed: 1, facts: 240, cycles: 10 });
const written = Array.from({ length: 10 }, (_, at) =>
  writeCycle(facts, at + 1, { seed: 1, fillerTurns: 230, givenTurns: [] }),
).flatMap(({ entries }) => entries);
const entries = written.slice(0, 10_000).map((entry, at) => ({
  ...entry,
  entryId: String(at).padStart(26, '0'),
  seq: at + 1,
  unitId: entry.messageKey ?? entry.sourceKey,
  turn: 1,
  contentHash: '',
  tokenCount: 1,
}));
const session = { sessionId: 'bench', vendor: 'claude-code', projectRoot: null };
const cycle = { cycle: 1, lastSeq: entries.length, spanHash: 'f'.repeat(64) };
const material = { session, cycle, entries, span: entries, mappings, digest };
const choice = { seed: 1, types: ['recall', 'artifact', 'continuation', 'decision'], perType: 50 };
const { probes } = await seconds(`probes for a span of ${entries.length} entries`, 2, () =>
  writeProbes(probeMaterial(material), choice, digest),
);

const texts = { known: new KnownTexts(entries.map(({ content }) => content)), knownPaths: [] };
await seconds('grading 10,000 answers', 5, () => {
  for (let at = 0; at < 10_000; at += 1) {
    const probe = probes[at % probes.length];
    gradeAnswer(probe, `${referenceAnswer(probe)} ${at % 7}`, texts);
  }
});

await seconds('planted facts, ten cycles, offline', 60, () =>
  core.evaluations.plants.plant({
    ...PLANT_DEFAULTS,
    arms: ['offline'],
    givenTurns: [],
    filler: 'synthetic',
  }),
);

const WORDS = Array.from({ length: 3_000 }, (_, at) => `w${at.toString(36)}x`);
let state = 7;
const draw = (bound) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * bound);
};
const sentence = (length) => Array.from({ length }, () => WORDS[draw(WORDS.length)]).join(' ');
async function* cases(count, perCase) {
  for (let line = 1; line <= count; line += 1) {
    const turns = Array.from({ length: 600 }, (_, at) => ({
      turnId: `${at}`,
      speaker: 'A',
      text: sentence(20),
    }));
    const questions = Array.from({ length: perCase }, (_, at) => {
      const gold = draw(600);
      const text = turns[gold].text.split(' ').slice(0, 6).join(' ');
      return { questionId: `${at}`, text, evidence: [[`${gold}`]], category: null };
    });
    yield { line, evidence: { caseId: `${line}`, turns, questions } };
  }
}
for (const perCase of values['per-case'].split(',').map(Number)) {
  const count = Math.ceil(Number(values.questions) / perCase);
  const { timing } = await seconds(
    `evidence recall, ${count * perCase} questions over ${count} cases of 600 turns`,
    60,
    () =>
      core.evaluations.evidence.measure({
        lines: cases(count, perCase),
        source: 'made up',
        task: 'aware',
        budgets: [5, 10, 15, 30, 50],
        seed: 1,
        isTuningData: false,
      }),
  );
  console.log(timing);
}
await core.close();
