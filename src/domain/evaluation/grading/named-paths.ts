/** Paths as answers name them. */

export interface PathForms {
  /** With `/` and without a leading `./`. */
  readonly full: string;
  /** The file name alone; null where the path is one. */
  readonly name: string | null;
}

export function pathForms(path: string): PathForms {
  const full = path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  const name = full.slice(full.lastIndexOf('/') + 1);
  return { full, name: name === full || name === '' ? null : name };
}

const SLASHED = /(?<![\p{L}\p{N}_./@:-])(?:~|\.{1,2})?\/?(?:[\w@.+-]+\/)+[\w@.+-]*\w/gu;
const FILE_NAME =
  /(?<![\p{L}\p{N}_./@-])[\w@+-][\w@+-]*(?:\.[\w@+-]+)*\.[a-z][a-z0-9]{0,7}\b(?![\w/])/giu;

/** Sentences that ran together and abbreviations look like file names; only known ones are taken. */
export function namedPaths(answer: string, knownPaths: readonly string[]): readonly string[] {
  const text = answer.normalize('NFC').replaceAll('\\', '/');
  const known = new Set(
    knownPaths.flatMap((path) => {
      const { full, name } = pathForms(path);
      return name === null ? [full] : [full, name];
    }),
  );
  const slashed = [...text.matchAll(SLASHED)].map(([path]) => pathForms(path).full);
  const rest = text.replaceAll(SLASHED, ' ');
  const bare = [...rest.matchAll(FILE_NAME)]
    .map(([name]) => name)
    .filter((name) => known.has(name));
  return [...new Set([...slashed.filter((path) => isPath(path, known)), ...bare])];
}

/** "and/or" is none; what has an extension or is known is one. */
function isPath(path: string, known: ReadonlySet<string>): boolean {
  return known.has(path) || /\.[A-Za-z][\w]{0,9}$/.test(path) || path.split('/').length > 2;
}
