/** What the operating system refused, in words that name the folder and the way out. */
import { OssatureError } from '../../../domain/kernel/errors.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'the path does not exist and cannot be made',
  EMFILE: 'this process has too many files open',
};

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space',
  EDQUOT: 'Free some space',
  EMFILE: 'Raise the limit of open files',
};

/** STORE_FAILED for an operation that the file system refused, such as ("create the folder", path). */
export function storeFailure(action: string, folder: string, error: unknown): OssatureError {
  if (OssatureError.is(error)) return error;
  const code = errorCode(error);
  const reason = REASONS[code] ?? (error instanceof Error ? error.message : String(error));
  const remedy = REMEDIES[code] ?? 'Make the folder writable';
  return new OssatureError(
    'STORE_FAILED',
    `Cannot ${action} ${folder}: ${reason}. ${remedy}, set OSSATURE_HOME to another folder, or set DATABASE_URL.`,
    { details: { folder, ...(code === '' ? {} : { reason: code }) }, cause: error },
  );
}

function errorCode(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
