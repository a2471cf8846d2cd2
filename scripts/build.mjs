/** `npm run build`: compiles to `dist/` and makes the command-line entry executable. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
const { status } = spawnSync(
  process.execPath,
  [`${root}node_modules/typescript/bin/tsc`, '-p', `${root}tsconfig.build.json`],
  { stdio: 'inherit', cwd: root },
);
if (status !== 0) process.exit(status ?? 1);
const cli = `${root}dist/src/interfaces/cli/main.js`;
if (existsSync(cli)) chmodSync(cli, 0o755);
