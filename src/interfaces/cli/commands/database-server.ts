/** The local Postgres of the home folder. */
import { findEmbeddedData, MOVE_EMBEDDED_DATA } from '../embedded-data.js';
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
      ...(started && findEmbeddedData(home).length > 0 ? [EMBEDDED_DATA_STAY] : []),
    ],
  };
}

const EMBEDDED_DATA_STAY: Message = {
  level: 'info',
  text: `Commands now use this server; what the embedded database holds stays there. ${MOVE_EMBEDDED_DATA}`,
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
