/**
 * `npm run arch [folder…]`: the architecture rules over the sources. Fails also where the tool saw
 * hardly a module, because without its parser it reports no violation and ends well.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const depcruise = fileURLToPath(
  new URL('../node_modules/dependency-cruiser/bin/dependency-cruise.mjs', import.meta.url),
);

/** Fewer modules than this means that the sources were not read. */
const FEWEST_MODULES = 50;

const { stdout, stderr } = spawnSync(
  process.execPath,
  [depcruise, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src', 'migrations'],
  { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 },
);
if (stdout === '') {
  console.error(stderr);
  process.exit(1);
}
const { summary } = JSON.parse(stdout);
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`);
if (summary.totalCruised < FEWEST_MODULES) {
  console.error(`Only ${summary.totalCruised} modules were read: is @swc/core installed?`);
}
const fine = summary.violations.length === 0 && summary.totalCruised >= FEWEST_MODULES;
if (fine) console.log(`${summary.totalCruised} modules, no violation`);
process.exit(fine ? 0 : 1);
