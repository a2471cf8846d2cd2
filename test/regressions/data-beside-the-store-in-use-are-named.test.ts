/** A home with two stores: a command says which one it does not look into. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findServerData } from '../../src/infrastructure/persistence/embedded/local-server-place.js';
import { agents } from '../interfaces/cli/cli-support.js';

const homes = mkdtempSync(join(process.env['OSSATURE_TEST_RUN'] ?? tmpdir(), 'two-stores-'));
chmodSync(homes, 0o711);
afterAll(() => rmSync(homes, { recursive: true, force: true }));

describe('a local server beside embedded data', () => {
  const home = join(homes, 'home');
  const env = { OSSATURE_HOME: home, PATH: process.env['PATH'] ?? '' };
  afterAll(() => agents(['database', 'stop'], { env }));

  it('is said to be another, empty store by every command until it holds a project', async () => {
    mkdirSync(join(home, 'embedded-18', 'data'), { recursive: true });
    await agents(['database', 'start'], { env });
    const warning =
      /^warning: This command uses the local database server, which holds no project, .*embedded-18.*database export FILE.*database import FILE/;
    for (const words of [
      ['project', 'list'],
      ['plan', 'list'],
    ]) {
      expect((await agents(words, { env })).stderr).toMatch(warning);
    }
    await agents(['project', 'create', 'demo'], { env });
    expect((await agents(['project', 'list'], { env })).stderr).toBe('');
  });
});

describe('the data of local servers', () => {
  it('are found in the home and where the account of the server can reach them', () => {
    const home = join(homes, 'other');
    const shared = join(homes, 'shared');
    const digest = createHash('sha256').update(home).digest('hex').slice(0, 12);
    const elsewhere = join(shared, digest, 'server-18', 'data');
    expect(findServerData(home, shared)).toEqual([]);
    mkdirSync(elsewhere, { recursive: true });
    expect(findServerData(home, shared)).toEqual([elsewhere]);
    mkdirSync(join(home, 'server-17', 'data'), { recursive: true });
    mkdirSync(join(home, 'server-16'));
    expect(findServerData(home, shared)).toEqual([join(home, 'server-17', 'data'), elsewhere]);
  });
});
