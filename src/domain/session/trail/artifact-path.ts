/** One name for one artifact, however a tool wrote its path. */

export type ArtifactKind = 'file' | 'directory' | 'notebook' | 'url';

export interface PathBase {
  /** Absolute path of the project, or null where the session does not tell. */
  readonly projectRoot: string | null;
  /** Where relative paths start, absolute or relative to the root; null: at the root. */
  readonly directory: string | null;
}

const URL_FORM = /^[a-z][a-z\d+.-]*:\/\//i;
const DRIVE = /^[a-z]:(?=\/)/i;

/**
 * The path with the project root stripped, `.` and `..` resolved and `/` as separator; case is kept.
 * What lies outside the root stays absolute, the root itself is `.`, and a url stays as it is.
 */
export function normalizeArtifactPath(path: string, base: PathBase): string {
  const given = path.trim();
  if (/^file:\/\//i.test(given)) {
    return normalizeArtifactPath(given.slice('file://'.length), base);
  }
  if (URL_FORM.test(given)) return given;
  const root = base.projectRoot === null ? null : resolveDots(base.projectRoot);
  const slashed = given.replaceAll('\\', '/');
  const inside =
    isAbsolute(slashed) || base.directory === null
      ? slashed
      : `${base.directory.replaceAll('\\', '/')}/${slashed}`;
  const absolute = isAbsolute(inside) || root === null ? inside : `${root}/${inside}`;
  return stripRoot(resolveDots(absolute), root);
}

export function artifactKind(path: string): ArtifactKind {
  if (URL_FORM.test(path)) return 'url';
  return path.toLowerCase().endsWith('.ipynb') ? 'notebook' : 'file';
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || DRIVE.test(path);
}

/** True for a path below the directory; a directory is not below itself. */
export function isBelow(path: string, directory: string): boolean {
  if (directory === '.') return !isAbsolute(path) && path !== '.';
  return path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
}

function stripRoot(path: string, root: string | null): string {
  if (root === null) return path;
  if (path === root) return '.';
  return isBelow(path, root)
    ? path.slice(root.endsWith('/') ? root.length : root.length + 1)
    : path;
}

function resolveDots(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  const drive = DRIVE.exec(slashed)?.[0] ?? '';
  const rest = slashed.slice(drive.length);
  const start = rest.startsWith('/') ? '/' : '';
  const parts: string[] = [];
  for (const part of rest.split('/')) {
    if (part === '' || part === '.') continue;
    const last = parts.at(-1);
    if (part !== '..' || ((last === undefined || last === '..') && start === '')) parts.push(part);
    else parts.pop();
  }
  const joined = `${drive.toUpperCase()}${start}${parts.join('/')}`;
  return joined === '' ? '.' : joined;
}
