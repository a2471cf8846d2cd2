/** The local Postgres of the home folder. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Terminal } from '../terminal.js';
import type { CommandResult, Message } from '../view.js';

export async function startServer(terminal: Terminal): Promise<CommandResult> {
  const home = await homeOf(terminal);
  const { startLocalServer } =
    await import('../../../infrastructure/persistence/embedded/local-server.js');
  const server = await startLocalServer(home, terminal.env);
  const { dataFolder, version, pid, started, connection } = server;
  return {
    data: { started, pid, version, dataFolder, socketFolder: connection.host },
    view: [
      {
        block: 'fields',
        title: started ? 'Local server started' : 'Local server was running already',
        fields: [
          ['started', started ? 'yes' : 'no, it was running already'],
          ['version', `Postgres ${version}`],
          ['pid', String(pid)],
          ['data', dataFolder],
          ['socket', connection.host],
        ],
      },
    ],
    messages: [
      ...ignoredUrl(terminal),
      ...(started && hasEmbeddedData(home) ? [EMBEDDED_DATA_STAY] : []),
    ],
  };
}

const EMBEDDED_DATA_STAY: Message = {
  level: 'info',
  text: 'Commands now use this server; what the embedded database holds stays there. To move it: `agents database stop`, `agents database export FILE`, `agents database start`, `agents database import FILE`.',
};

export async function stopServer(terminal: Terminal): Promise<CommandResult> {
  const home = await homeOf(terminal);
  const { stopLocalServer } =
    await import('../../../infrastructure/persistence/embedded/local-server.js');
  const stopped = await stopLocalServer(home);
  return {
    data: { stopped },
    view: [
      {
        block: 'fields',
        title: 'Local server',
        fields: [['stopped', stopped ? 'yes' : 'no, none was running']],
      },
    ],
    messages: stopped
      ? [
          {
            level: 'info',
            text: 'Its data stay where they are; until `agents database start`, commands use the embedded database, which does not show them.',
          },
        ]
      : [],
  };
}

async function homeOf({ env }: Terminal): Promise<string> {
  const { ossatureHome } =
    await import('../../../infrastructure/persistence/embedded/ossature-home.js');
  return ossatureHome(env);
}

function ignoredUrl({ env }: Terminal): readonly Message[] {
  if ((env['DATABASE_URL'] ?? '') === '') return [];
  const text = 'DATABASE_URL is set and goes first: commands use the server that it names.';
  return [{ level: 'warning', text }];
}

function hasEmbeddedData(home: string): boolean {
  return (
    existsSync(home) &&
    readdirSync(home).some(
      (name) => /^embedded-\d+$/.test(name) && existsSync(join(home, name, 'data')),
    )
  );
}
