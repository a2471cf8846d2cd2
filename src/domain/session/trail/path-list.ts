/**
 * Many paths in few tokens: a line names a folder and what is below it, `src/a/: b.ts, sub/c.ts`, so that
 * a folder is written once. Every path can be read back in full.
 */

/** Says the form to a reader, in a heading above such lines. */
export const PATH_LIST_FORM = 'folder/: paths below it';

/** Whether a path on a line of its own passes neither for a heading, nor a numbered item, nor two lines. */
export function isPathAlone(path: string): boolean {
  return /^[^\s#([][^\r\n]*$/.test(path);
}

/** Lines in the order of their first path; each path is in one of them, once. */
export function listPaths(paths: readonly string[]): readonly string[] {
  const root = new Folder('', 0);
  const each = [...new Set(paths)];
  for (const path of each) if (canBeListed(path)) root.place(path);
  const lines = new Map<string, string[]>();
  for (const path of each) {
    const head = canBeListed(path) ? root.headOf(path) : '';
    const own = lines.get(head === '' ? path : head);
    const rest = path.slice(head.length);
    if (own === undefined) lines.set(head === '' ? path : head, [rest]);
    else own.push(rest);
  }
  return [...lines].map(([head, [first = '', ...more]]) => {
    if (first === head) return head;
    return more.length === 0 ? `${head}${first}` : `${head}: ${[first, ...more].join(', ')}`;
  });
}

const LISTED_LINE = /^(\S*\/): (\S+(?:, \S+)*)$/gm;

/** Such lines with every path written in full; all other text stays as it is. */
export function expandPathLists(text: string): string {
  return text.replaceAll(LISTED_LINE, (_line, folder: string, names: string) =>
    names
      .split(', ')
      .map((name) => `${folder}${name}`)
      .join(', '),
  );
}

/** Deeper paths stand alone: what reads a tree must not be led down without end. */
const MAX_DEPTH = 24;

/** White space and a comma at the end would be taken for the form. */
function canBeListed(path: string): boolean {
  return !/\s|[,/]$/.test(path) && path.split('/', MAX_DEPTH + 1).length <= MAX_DEPTH;
}

/** Pieces of a line of its own beside its folder: the colon. */
const LINE_WEIGHT = 1;

/** A folder with what it costs to write what is below it, in pieces that a tokenizer would see, roughly. */
class Folder {
  readonly #folders = new Map<string, Folder>();
  readonly #costs = new Map<number, number>();
  readonly #weight: number;
  #files = 0;

  /** @param above pieces of the path down to this folder's parent. */
  constructor(
    private readonly path: string,
    above: number,
    name = '',
  ) {
    this.#weight = above + piecesOf(name);
  }

  place(path: string): void {
    const end = path.indexOf('/', this.path.length);
    if (end < 0) {
      this.#files += 1;
      return;
    }
    const name = path.slice(this.path.length, end + 1);
    let folder = this.#folders.get(name);
    if (folder === undefined) {
      folder = new Folder(path.slice(0, end + 1), this.#weight, name);
      this.#folders.set(name, folder);
    }
    folder.place(path);
  }

  /** The folder on whose line the path stands; empty: on none. */
  headOf(path: string, head: Folder | null = null): string {
    const own = this.#hasOwnLine(head === null ? 0 : head.#weight) ? this : head;
    const end = path.indexOf('/', this.path.length);
    const below = end < 0 ? undefined : this.#folders.get(path.slice(this.path.length, end + 1));
    return below === undefined ? (own?.path ?? '') : below.headOf(path, own);
  }

  #hasOwnLine(headWeight: number): boolean {
    return this.#ownLine() < this.#onLineOf(headWeight);
  }

  #cost(headWeight: number): number {
    let cost = this.#costs.get(headWeight);
    if (cost === undefined) {
      cost = Math.min(this.#ownLine(), this.#onLineOf(headWeight));
      this.#costs.set(headWeight, cost);
    }
    return cost;
  }

  #ownLine(): number {
    return this.#weight + LINE_WEIGHT + this.#below(this.#weight);
  }

  #onLineOf(headWeight: number): number {
    return this.#files * (this.#weight - headWeight) + this.#below(headWeight);
  }

  #below(headWeight: number): number {
    let sum = 0;
    for (const folder of this.#folders.values()) sum += folder.#cost(headWeight);
    return sum;
  }
}

function piecesOf(name: string): number {
  return name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+|[^A-Za-z\d/]/g)?.length ?? 0;
}
