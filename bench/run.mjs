/** `npm run build && npm run bench [names…]`: every question of this folder in turn, or those named. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** What the questions share, and what others drive. */
const NOT_QUESTIONS = [
  'evidence-recall-adapter.mjs',
  'lower-bound.mjs',
  'made-session.mjs',
  'measure.mjs',
  'postgres.mjs',
  'run.mjs',
];

const questions = readdirSync(folder)
  .filter((name) => name.endsWith('.mjs') && !NOT_QUESTIONS.includes(name))
  .map((name) => name.slice(0, -'.mjs'.length));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !questions.includes(name));
if (unknown.length > 0) {
  console.error(`No bench named ${unknown.join(', ')}. There are: ${questions.join(', ')}.`);
  process.exit(1);
}

const broken = [];
for (const name of wanted.length > 0 ? wanted : questions) {
  console.log(`\n# ${name}`);
  const { status } = spawnSync(process.execPath, [`${folder}${name}.mjs`], { stdio: 'inherit' });
  if (status !== 0) broken.push(name);
}
if (broken.length > 0) {
  console.error(`\nBroken: ${broken.join(', ')}`);
  process.exitCode = 1;
}
