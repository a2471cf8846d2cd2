/**
 * `npm run package:check`: is the package that would be published sound? Its manifest and types are
 * checked by publint and attw; then it is packed, installed in an empty folder, imported, required
 * and run.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'ossature-package-'));

function run(command, args, cwd = root) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** What a host sees of the package; the same script as a module and as CommonJS. */
const use = (load) => `
${load}
const core = await_(createOssature({ store: { kind: 'in-memory' } }));
function await_(promise) { return promise; }
core.then(async (ossature) => {
  await ossature.projects.create('harbor');
  const plan = await ossature.plans.create({ project: 'harbor', goal: 'go' });
  const { child } = await ossature.coordinator.spawnChild(plan.planId, { goal: 'deeper' });
  if (child.depth !== 1) throw new Error('no child');
  console.log(typeof describeStore);
  await ossature.close();
}).catch((error) => { console.error(error); process.exit(1); });
`;

try {
  run('npx', ['publint', '--strict']);
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', place]);
  const archive = join(
    place,
    readdirSync(place).find((name) => name.endsWith('.tgz')),
  );
  run('npx', ['attw', archive, '--profile', 'esm-only']);

  const host = join(place, 'host');
  execFileSync('mkdir', [host]);
  writeFileSync(join(host, 'package.json'), '{"name":"host","private":true}');
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--omit=optional', '--prefer-offline', archive],
    host,
  );
  writeFileSync(
    join(host, 'as-module.mjs'),
    use(
      "import { createOssature } from 'ossature';\nimport { describeStore } from 'ossature/testing';",
    ),
  );
  writeFileSync(
    join(host, 'as-commonjs.cjs'),
    use(
      "const { createOssature } = require('ossature');\nconst { describeStore } = require('ossature/testing');",
    ),
  );
  for (const script of ['as-module.mjs', 'as-commonjs.cjs']) {
    if (run(process.execPath, [script], host).trim() !== 'function') throw new Error(script);
  }
  run(join(host, 'node_modules/.bin/agents'), ['--version'], host);
  console.log('the package installs, imports, requires and runs');
} catch (error) {
  console.error(error.stdout ?? '', error.stderr ?? '', error.message);
  process.exitCode = 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}
