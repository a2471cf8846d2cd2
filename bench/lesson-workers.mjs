/**
 * `npm run build && node bench/lesson-workers.mjs`: 100 due lessons, and 1, 2, 4 or 8 workers on one
 * database, each a core with connections of its own. A replay waits for 500 ms, as for an agent. The share
 * of the time of one worker that several take; each lesson must get exactly one attempt, and no worker may
 * be told that another one held it up. Exits 1 where that fails or the time does not fall.
 */
import { load, median, numberArgument, short, times } from './measure.mjs';
import { withPostgres } from './postgres.mjs';

const LESSONS = numberArgument('--lessons', 100);
const ROUNDS = numberArgument('--rounds', 3);
const WORKERS = [1, 2, 4, 8];
const AGENT_MS = 500;

await withPostgres(async (url) => {
  const { createOssature } = await load('src/index.js');
  const world = await load('src/infrastructure/models/knowledge-world.js');
  const agent = world.knowledgeAgent([], 'process');
  const waiting = {
    ...agent,
    async replay(...asked) {
      await new Promise((resolve) => setTimeout(resolve, AGENT_MS));
      return agent.replay(...asked);
    },
  };
  const open = (worker) =>
    createOssature({
      store: { kind: 'url', url },
      checkSchema: false,
      lessons: {
        offline: true,
        worker,
        models: { replay: waiting },
        settings: {
          'compression.holdout_fraction': 0,
          'compression.baseline': 'off',
          'compression.control': false,
          'compression.judge_votes': 1,
          'compression.min_successes': 1,
          'compression.min_tokens': 0,
        },
      },
    });
  const core = await open('host');
  await core.migrate();
  const cores = await Promise.all(times(Math.max(...WORKERS), (at) => open(`worker ${at}`)));
  const took = new Map(WORKERS.map((count) => [count, []]));
  let isSound = true;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const count of WORKERS) {
      const due = await fill(core, `${round}-${count}`);
      const started = performance.now();
      const made = await Promise.all(cores.slice(0, count).map(workOff));
      took.get(count).push(performance.now() - started);
      const attempted = made.flat().map(({ attempt }) => `${attempt.lessonId} ${attempt.outcome}`);
      const wanted = due.map((lessonId) => `${lessonId} accepted`);
      isSound &&= JSON.stringify(attempted.sort()) === JSON.stringify(wanted.sort());
    }
  }
  const alone = median(took.get(1));
  console.log(`\n${LESSONS} due lessons, an agent that takes ${AGENT_MS} ms, ${ROUNDS} rounds\n`);
  console.log('| workers | s (median) | of one worker | |\n|---:|---:|---:|---|');
  let before = Infinity;
  for (const [count, values] of took) {
    const share = median(values) / alone;
    isSound &&= share < before;
    console.log(
      `| ${count} | ${short(median(values) / 1_000)} | ${short(share)} | ${share < before ? 'falls' : 'BROKEN'} |`,
    );
    before = share;
  }
  console.log(
    `\neach lesson exactly one attempt: ${isSound ? 'yes' : 'NO, or the time did not fall'}`,
  );
  for (const each of [...cores, core]) await each.close();
  process.exitCode = isSound ? 0 : 1;
});

/** Attempts of one worker until nothing is due. */
async function workOff(core) {
  const all = [];
  for (;;) {
    const { reports } = await core.lessons.compression.compressDue({ limit: LESSONS });
    if (reports.length === 0) return all;
    all.push(...reports);
  }
}

async function fill(core, name) {
  const due = [];
  for (let at = 0; at < LESSONS; at += 1) {
    const { lesson } = await core.lessons.ledger.addLesson({
      projectId: null,
      family: `family-${name}`,
      title: `Lesson ${at}`,
      gist: 'Applies when a remote call fails',
      body: times(6, (n) => `Mind what part ${n} of lesson ${name}-${at} says. @f${n}`).join(
        '\n\n',
      ),
    });
    await core.lessons.ledger.recordUse({
      prompt: `Mind ${name}-${at}`,
      outcome: 'success',
      acceptedSummary: 'Minded @f0',
      used: [lesson.lessonId],
    });
    due.push(lesson.lessonId);
  }
  return due;
}
