/** Which living artifacts stand below a directory. */
import { isBelow } from './artifact-path.js';

/** Questions that are answered by looking at every path; only a fold of many asks more. */
const SCANS = 8;

export class DirectoryIndex {
  #scans = 0;
  #below: Map<string, Set<string>> | null = null;

  /** @param living the paths of living artifacts, asked for only where it is needed. */
  constructor(private readonly living: () => Iterable<string>) {}

  add(path: string): void {
    if (this.#below === null) return;
    for (const directory of directoriesOf(path)) {
      const paths = this.#below.get(directory);
      if (paths === undefined) this.#below.set(directory, new Set([path]));
      else paths.add(path);
    }
  }

  remove(path: string): void {
    if (this.#below === null) return;
    for (const directory of directoriesOf(path)) this.#below.get(directory)?.delete(path);
  }

  /** Whether any living path stands below. */
  has(directory: string): boolean {
    if (this.#below !== null && isIndexed(directory)) {
      return (this.#below.get(directory)?.size ?? 0) > 0;
    }
    return this.below(directory).length > 0;
  }

  /** In order of code units, so that it does not matter when the index was made. */
  below(directory: string): readonly string[] {
    const isScanned = !isIndexed(directory) || (this.#below === null && this.#scans < SCANS);
    if (isScanned) {
      this.#scans += 1;
      return [...this.living()].filter((path) => isBelow(path, directory)).sort();
    }
    if (this.#below === null) {
      this.#below = new Map();
      for (const path of this.living()) this.add(path);
    }
    return [...(this.#below.get(directory) ?? [])].sort();
  }
}

/** The root stands above all and is asked for rarely. */
function isIndexed(directory: string): boolean {
  return directory !== '.' && directory !== '/';
}

function directoriesOf(path: string): readonly string[] {
  const directories: string[] = [];
  for (let at = path.indexOf('/', 1); at !== -1; at = path.indexOf('/', at + 1)) {
    directories.push(path.slice(0, at));
  }
  return directories;
}
