/**
 * The command line from end to end, on an embedded database in a fresh folder: a session becomes the
 * context of a plan, a child inherits the part of it that fits its goal, and what it does not know is
 * listed and partly given back. Run it with `npm run demo`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'dist', 'src', 'interfaces', 'cli', 'main.js');
const home = mkdtempSync(join(tmpdir(), 'ossature-demo-'));
const env = { ...process.env, OSSATURE_HOME: home, NO_COLOR: '1' };
delete env.DATABASE_URL;

/** Runs one command, shows it as it would be typed, and answers with its output. */
function agents(words, { lines = Infinity } = {}) {
  console.log(`$ agents ${words.map(quoted).join(' ')}`);
  const format = process.stdout.isTTY ? ['--format', 'rich'] : [];
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...words, ...format], {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const shown = stdout.trimEnd().split('\n');
  console.log(shown.slice(0, lines).join('\n'));
  if (shown.length > lines) console.log(`… and ${shown.length - lines} more lines`);
  console.log(stderr);
  if (status !== 0) process.exit(status ?? 1);
  return stdout;
}

function quoted(word) {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `"${word.replace(/(["\\$`])/g, '\\$1')}"`;
}

/** The first word behind this label. */
function wordBehind(label, text) {
  return new RegExp(`${label}:?\\s+(\\S+)`).exec(text)?.[1] ?? '';
}

/** The beginning of the first dropped fragment's own id, which is enough to name it. */
function firstFragment(text) {
  return /:([0-9a-f]{8})-/.exec(text)?.[1] ?? '';
}

const GOAL = 'Find out why users of harbor are logged out, and make logins safe';
const CHILD_GOAL = 'Write the release note for the fix of the refresh token';

agents(['project', 'create', 'demo']);
agents(['project', 'context', 'set', 'demo', '--skeleton-ratio', '0.6']);
agents(['plan', 'create', '--project', 'demo', '--name', 'session', '--goal', GOAL]);
agents(['plan', 'import', 'session', 'examples/session.jsonl']);
const spawned = agents(['plan', 'spawn', 'session', '--goal', CHILD_GOAL, '--relevance', 'goal']);
const child = wordBehind('plan_id', spawned);
agents(['plan', 'status', child]);
agents(['plan', 'context', child], { lines: 10 });
const dropped = agents(['plan', 'dropped', child], { lines: 10 });
agents(['plan', 'recall', child, firstFragment(dropped)]);
agents(['plan', 'tree', 'session']);
console.log(`The data are in ${home}. To go on with them:
  $ alias agents='node ${cli}'
  $ export OSSATURE_HOME=${home}
  $ agents plan spawn session --goal "…" --skeleton-ratio 0.8 --dry-run`);
