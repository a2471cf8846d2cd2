import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import {
  findLocalServer,
  startLocalServer,
  stopLocalServer,
} from '../../../src/infrastructure/persistence/embedded/local-server.js';
import { compileSources, OtherProcess } from './compiled-sources.js';

/** Below the folder of this run, where servers of killed runs are found and ended. */
const homes = mkdtempSync(join(process.env['OSSATURE_TEST_RUN'] ?? tmpdir(), 'servers-'));
const started: string[] = [];
let compiled: string;

/** A folder that the server's account can reach, whoever runs the tests. */
function newHome(name = 'home-'): string {
  const home = mkdtempSync(join(homes, name));
  chmodSync(home, 0o711);
  started.push(home);
  return home;
}

beforeAll(() => {
  chmodSync(homes, 0o711);
  compiled = compileSources('without-template');
});
afterEach(async () => {
  for (const home of started.splice(0)) await stopLocalServer(home);
});
afterAll(() => {
  rmSync(homes, { recursive: true, force: true });
  rmSync(compiled, { recursive: true, force: true });
});

async function ask(home: string, statement: string): Promise<unknown> {
  const connection = await findLocalServer(home);
  if (connection === null) return undefined;
  const client = new Client(connection);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>({ text: statement });
  await client.end();
  return rows[0] && Object.values(rows[0])[0];
}

describe('the local server', () => {
  it('is found by nobody before it is started and after it is stopped', async () => {
    const home = newHome();
    expect(await findLocalServer(home)).toBeNull();
    await startLocalServer(home, process.env);
    expect(await ask(home, 'SELECT 1')).toBe(1);
    expect(await stopLocalServer(home)).toBe(true);
    expect(await findLocalServer(home)).toBeNull();
    expect(await stopLocalServer(home)).toBe(false);
  });

  it('two starts at once give one server, durable and off the network', async () => {
    const home = newHome();
    const both = await Promise.all([
      startLocalServer(home, process.env),
      startLocalServer(home, process.env),
    ]);
    expect(both.filter((server) => server.started)).toHaveLength(1);
    expect(both[0].pid).toBe(both[1].pid);
    expect(await ask(home, 'SHOW fsync')).toBe('on');
    expect(await ask(home, 'SHOW synchronous_commit')).toBe('on');
    expect(await ask(home, 'SHOW listen_addresses')).toBe('');
    expect(statSync(both[0].connection.host).mode & 0o077).toBe(0);
    expect(statSync(both[0].dataFolder).mode & 0o077).toBe(0);
    const source = await new DataSource({ type: 'postgres', ...both[0].connection }).initialize();
    expect(await source.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await source.destroy();
  });

  it('after kill -9 it is missed in words, starts again, and has lost nothing', async () => {
    const home = newHome();
    const { pid } = await startLocalServer(home, process.env);
    await ask(home, 'CREATE TABLE kept AS SELECT 7 AS seven');
    process.kill(pid, 'SIGKILL');
    while (existsSync(`/proc/${pid}/cmdline`) && (await findLocalServer(home).catch(() => null)))
      await new Promise((done) => setTimeout(done, 20));
    await expect(findLocalServer(home)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect((await startLocalServer(home, process.env)).started).toBe(true);
    expect(await ask(home, 'SELECT seven FROM kept')).toBe(7);
  });

  it('outlives the process that started it', async () => {
    const home = newHome();
    const starter = new OtherProcess(
      compiled,
      `import { startLocalServer } from './local-server.js';
       console.log((await startLocalServer(process.argv[2], process.env)).pid);`,
      home,
    );
    expect(await starter.ended).toBe(0);
    expect(await ask(home, 'SELECT 1')).toBe(1);
  });

  it('a home too long for a socket gets one in the temporary folder', async () => {
    const home = newHome('a-home-with-a-very-long-name-'.padEnd(100, 'x'));
    const { connection, dataFolder } = await startLocalServer(home, process.env);
    expect(connection.host.startsWith(tmpdir())).toBe(true);
    expect(dataFolder.startsWith(home)).toBe(true);
    expect(await ask(home, 'SELECT 1')).toBe(1);
    await stopLocalServer(home);
    expect(existsSync(connection.host)).toBe(false);
  });

  it('a home below a file is named', async () => {
    await expect(startLocalServer('/etc/hostname/home', process.env)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      details: { reason: 'ENOTDIR' },
    });
  });
});

const asRoot = process.getuid?.() === 0 ? describe : describe.skip;

asRoot('the local server of root', () => {
  it('with a private home has its data where the server can reach it', async () => {
    const home = newHome();
    chmodSync(home, 0o700);
    const { dataFolder } = await startLocalServer(home, process.env);
    expect(dataFolder.startsWith('/var/lib/ossature/')).toBe(true);
    expect(await ask(home, 'SELECT 1')).toBe(1);
    await stopLocalServer(home);
    rmSync(dirname(dirname(dataFolder)), { recursive: true });
  });
});
