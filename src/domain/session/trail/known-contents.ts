/**
 * Contents that the session shows for certain, so that the hash after an edit can be computed. What
 * is in doubt is forgotten: no hash is better than a wrong one.
 */

export interface KnownContent {
  /** Null: known, but not at hand. */
  readonly content: string | null;
  /** Grows with each touch: the lowest goes first. */
  readonly touched: number;
}

/** Contents held at once; the one touched longest ago goes first. */
const MAX_CONTENTS = 100;

/** UTF-16 units above which a content is not held. */
const MAX_LENGTH = 100_000;

export class KnownContents {
  readonly #contents: Map<string, KnownContent>;

  /**
   * @param contents in order of their touch.
   * @param onMissing told of the paths of contents that were asked for and are not at hand.
   */
  constructor(
    contents: ReadonlyMap<string, KnownContent>,
    private readonly onMissing: (path: string) => void = () => {},
  ) {
    this.#contents = new Map(contents);
  }

  get contents(): ReadonlyMap<string, KnownContent> {
    return this.#contents;
  }

  get(path: string): string | null {
    const known = this.#contents.get(path);
    if (known?.content === null) this.onMissing(path);
    return known?.content ?? null;
  }

  /** Null: what the path holds is not known any more. */
  set(path: string, content: string | null): void {
    this.#contents.delete(path);
    if (content === null || content.length > MAX_LENGTH) return;
    let last = 0;
    for (const { touched } of this.#contents.values()) last = touched;
    this.#contents.set(path, { content, touched: last + 1 });
    const [oldest] = this.#contents.keys();
    if (this.#contents.size > MAX_CONTENTS && oldest !== undefined) this.#contents.delete(oldest);
  }

  move(from: string, to: string): void {
    const content = this.get(from);
    this.set(from, null);
    this.set(to, content);
  }

  /** A command ran of which the words do not tell what it changes. */
  forgetAll(): void {
    this.#contents.clear();
  }
}
