import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  findPostgresBinaries,
  reachableBinaries,
} from '../../../src/infrastructure/persistence/embedded/postgres-binaries.js';
import {
  canReach,
  serverAccount,
} from '../../../src/infrastructure/persistence/embedded/server-account.js';

const folder = mkdtempSync(join(tmpdir(), 'ossature-binaries-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Programs that only know their version. */
function programs(name: string, version: string): string {
  const bin = join(folder, name);
  mkdirSync(bin, { recursive: true });
  for (const program of ['postgres', 'initdb']) {
    writeFileSync(join(bin, program), `#!/bin/sh\necho "${program} (PostgreSQL) ${version}"\n`);
    chmodSync(join(bin, program), 0o755);
  }
  return bin;
}

const FOURTEEN = programs('fourteen', '14.9');
const SIXTEEN = programs('sixteen', '16.2 (Debian 16.2-1)');
const SEVENTEEN = programs('seventeen', '17beta1');
const EMPTY = join(folder, 'empty');

describe('findPostgresBinaries', () => {
  // prettier-ignore
  it.each([
    { rule: 'the named folder wins over the PATH', env: { PG_BINDIR: SIXTEEN, PATH: SEVENTEEN },      found: SIXTEEN },
    { rule: 'the first fitting one of the PATH',   env: { PATH: `${EMPTY}:${SEVENTEEN}:${SIXTEEN}` }, found: SEVENTEEN },
    { rule: 'a folder without programs is passed over', env: { PG_BINDIR: EMPTY, PATH: SIXTEEN },     found: SIXTEEN },
    { rule: 'versions before 15 are passed over',  env: { PATH: `${FOURTEEN}:${SIXTEEN}` },           found: SIXTEEN },
    { rule: 'a wanted major version is looked for', env: { PATH: `${SEVENTEEN}:${SIXTEEN}` }, major: 16, found: SIXTEEN },
    { rule: 'nothing found is nothing',            env: {},                                           found: undefined },
  ])('$rule', ({ env, major, found }) => {
    expect(findPostgresBinaries({ sources: ['PG_BINDIR', 'path'], env, major })?.folder).toBe(found);
  });

  it('the version is what the program says', () => {
    const found = findPostgresBinaries({ sources: ['path'], env: { PATH: SIXTEEN } });
    expect(found).toEqual({ source: 'path', folder: SIXTEEN, major: 16, version: '16.2' });
  });
});

const account = serverAccount();
const asRoot = account === undefined ? describe.skip : describe;

asRoot('reachableBinaries', () => {
  it('packaged programs in a private folder are copied once to where the account can run them', () => {
    const root = join(folder, 'private');
    const bin = programs(join('private', 'native', 'bin'), '18.4');
    chmodSync(folder, 0o711);
    chmodSync(root, 0o700);
    const binaries = { source: 'packaged', folder: bin, major: 18, version: '18.4' } as const;
    const copies = join(folder, 'copies');
    const moved = reachableBinaries(binaries, account, copies);
    expect(moved?.folder).toBe(join(copies, 'postgres-18.4', 'bin'));
    expect(canReach(account, join(moved?.folder ?? '', 'postgres'))).toBe(true);
    expect(reachableBinaries(binaries, account, copies)).toEqual(moved);
    expect(reachableBinaries({ ...binaries, source: 'path' }, account, copies)).toBeUndefined();
  });
});
