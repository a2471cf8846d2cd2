/** A map that is copied at its first change only: most entries leave most parts of a trail alone. */
export class CopyOnWriteMap<Key, Value> {
  #current: ReadonlyMap<Key, Value>;
  #copy: Map<Key, Value> | null = null;

  /** @param onMissing told of each key that was asked for and is not there. */
  constructor(
    original: ReadonlyMap<Key, Value>,
    private readonly onMissing: (key: Key) => void = () => {},
  ) {
    this.#current = original;
  }

  get map(): ReadonlyMap<Key, Value> {
    return this.#current;
  }

  get(key: Key): Value | undefined {
    const value = this.#current.get(key);
    if (value === undefined) this.onMissing(key);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#writable().set(key, value);
  }

  delete(key: Key): void {
    if (this.#current.has(key)) this.#writable().delete(key);
  }

  #writable(): Map<Key, Value> {
    this.#copy ??= new Map(this.#current);
    this.#current = this.#copy;
    return this.#copy;
  }
}
