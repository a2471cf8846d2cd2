/**
 * Packs a new, empty database into `assets/`, so that a first start takes a second instead of ten.
 * Run before publishing, and by the tests when it is missing. Costs about 10 s and 1 GB of memory.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const pglite = createRequire(import.meta.url).resolve('@electric-sql/pglite');
const { version } = JSON.parse(
  readFileSync(join(dirname(dirname(pglite)), 'package.json'), 'utf8'),
);
const assets = join(root, 'assets');
const target = join(assets, `embedded-template-${version}.tar.gz`);

if (!existsSync(target)) {
  const { PGlite } = await import('@electric-sql/pglite');
  const database = await PGlite.create();
  const template = Buffer.from(await (await database.dumpDataDir('gzip')).arrayBuffer());
  await database.close();
  mkdirSync(assets, { recursive: true });
  for (const name of readdirSync(assets))
    if (/^embedded-template-.*\.tar\.gz$/.test(name)) rmSync(join(assets, name));
  // Two at once may build it; a reader must never see half of one.
  const draft = `${target}.${process.pid}`;
  writeFileSync(draft, template);
  renameSync(draft, target);
}
console.log(target);
