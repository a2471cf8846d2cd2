/** Data of the embedded database in a home folder, and the way from there into the local server. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const MOVE_EMBEDDED_DATA =
  'To move it: `agents database stop`, `agents database export FILE`, `agents database start`, `agents database import FILE`.';

/** Data folders, of whatever version; none where the home does not exist or cannot be read. */
export function findEmbeddedData(home: string): readonly string[] {
  try {
    return readdirSync(home)
      .filter((name) => /^embedded-\d+$/.test(name))
      .map((name) => join(home, name, 'data'))
      .filter((folder) => existsSync(folder));
  } catch {
    return [];
  }
}
