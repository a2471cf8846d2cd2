/** The one folder where everything of ours lives when no server is configured. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * `OSSATURE_HOME`, else the platform's folder for the data of this user:
 * Linux `$XDG_DATA_HOME` or `~/.local/share`, macOS `~/Library/Application Support`,
 * Windows `%LOCALAPPDATA%`, each with `ossature` below it.
 */
export function ossatureHome(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  const given = env['OSSATURE_HOME'];
  if (given !== undefined && given !== '') return resolve(given);
  return join(dataFolderOfUser(env, platform), 'ossature');
}

function dataFolderOfUser(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string {
  const user = (platform === 'win32' ? env['USERPROFILE'] : env['HOME']) || homedir();
  if (platform === 'win32') return env['LOCALAPPDATA'] || join(user, 'AppData', 'Local');
  if (platform === 'darwin') return join(user, 'Library', 'Application Support');
  const xdg = env['XDG_DATA_HOME'];
  // The XDG specification: a relative path is invalid and must be ignored.
  return xdg?.startsWith('/') === true ? xdg : join(user, '.local', 'share');
}
