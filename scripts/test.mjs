/**
 * `npm test`: Jest in ES module mode. Arguments go to Jest as they are.
 * The database that the tests need is started by Jest's global setup.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const jest = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  ['--experimental-vm-modules', '--no-warnings', jest, ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
