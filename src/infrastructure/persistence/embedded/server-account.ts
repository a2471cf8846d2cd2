/**
 * The account a Postgres server runs under. Postgres refuses to run as root, so root hands it to the
 * account `postgres`, else `nobody`; nobody is ever added to the machine. Everyone else runs it as
 * themselves, which is `undefined` here.
 */
import { chownSync, readFileSync, statSync } from 'node:fs';
import { dirname, parse, resolve } from 'node:path';
import { OssatureError } from '../../../domain/kernel/errors.js';

export interface ServerAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** @throws STORE_UNAVAILABLE for root on a machine that has neither account. */
export function serverAccount(accounts = '/etc/passwd'): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync(accounts, 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields !== undefined) return { name, uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new OssatureError(
    'STORE_UNAVAILABLE',
    'Postgres cannot run as root, and this machine has no account named postgres or nobody: run as an ordinary user, or set DATABASE_URL.',
  );
}

export function giveTo(account: ServerAccount | undefined, path: string): void {
  if (account !== undefined) chownSync(path, account.uid, account.gid);
}

/** Whether the account can enter every folder on the way to the path (its nearest existing part). */
export function canReach(account: ServerAccount | undefined, path: string): boolean {
  if (account === undefined) return true;
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found !== undefined && !mayEnter(account, found)) return false;
    if (folder === parse(folder).root) return true;
  }
}

function mayEnter(account: ServerAccount, folder: { mode: number; uid: number; gid: number }) {
  if (folder.uid === account.uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === account.gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}
