/**
 * `npm run build && node bench/cli-start.mjs`: `agents --help` against a Node process that does
 * nothing, as whole processes, by the clock and by processor time. Exits 1 when a limit is broken.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { builtPath, inTurn, median, numberArgument, report, short } from './measure.mjs';

/** Times of an empty process. */
const MOST_TIMES_EMPTY = 3;

const ROUNDS = numberArgument('--rounds', 31);
const CLI = builtPath('src/interfaces/cli/main.js');

function measure() {
  const contenders = [
    { name: 'empty', parameters: ['-e', ''] },
    { name: 'help', parameters: [CLI, '--help'] },
  ];
  const spent = { empty: [], help: [] };
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const { name, parameters } of inTurn(contenders, round + 1)) {
      const taken = start(parameters);
      if (round >= 0) spent[name].push(taken);
    }
  }
  const answer = (question, kind) => ({
    question: `agents --help, ${question}`,
    reference: `empty node: ${short(median(spent.empty.map((one) => one[kind])))} ms`,
    ours: `${short(median(spent.help.map((one) => one[kind])))} ms`,
    ratios: spent.help.map((one, round) => one[kind] / spent.empty[round][kind]),
    must: 'atMost',
    limit: MOST_TIMES_EMPTY,
  });
  const holds = report('Starting the command line', [
    answer('by the clock', 'wall'),
    answer('processor time', 'cpu'),
  ]);
  if (!holds) process.exitCode = 1;
}

/** Says at the end of a process what it has taken of the processors. */
const METER = `data:text/javascript,import { writeSync } from 'node:fs';
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(2, '\\nCPU ' + (user + system) / 1000);
});`;

/** Milliseconds of one whole process, by the clock and of the processors. */
function start(parameters) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--import', METER, ...parameters], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const wall = performance.now() - begun;
  const cpu = Number(/^CPU ([\d.]+)$/m.exec(stderr)?.[1]);
  if (status !== 0 || !Number.isFinite(cpu)) throw new Error(stderr);
  return { wall, cpu };
}

if (existsSync(CLI)) measure();
else {
  console.error(`There is no ${CLI}: build first.`);
  process.exitCode = 1;
}
