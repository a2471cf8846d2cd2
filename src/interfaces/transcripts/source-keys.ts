/** Keys of records: the vendor's ids, or a digest with its occurrence number where there is none. */
import type { Digest } from '../../domain/kernel/measures.js';
import { TextNumbers } from '../../domain/kernel/text-set.js';

/** `repeated`: known with the same content. `reused`: known with other content, kept under a new key. */
export type KeyState = 'new' | 'repeated' | 'reused';

export interface TakenKey {
  readonly recordKey: string;
  readonly state: KeyState;
}

/** Hexadecimal digits of a digest that name a record. */
const NAMING_DIGITS = 32;

/** Hexadecimal digits of a digest that tell two contents of one id apart. */
const COMPARED_DIGITS = 12;

export class SourceKeys {
  readonly #prints = new TextNumbers();
  readonly #further = new Set<string>();
  readonly #counts = new TextNumbers();
  #copied: Map<string, number> | null = null;

  /** @param prefix stands before every key; distinguishes several sessions without names in one source. */
  constructor(
    private readonly digest: Digest,
    private readonly prefix = '',
  ) {}

  /** @param content what two records under one id are compared by, and what names one without an id. */
  take(vendorId: string | null, content: string): TakenKey {
    const digits = this.digest(content);
    if (vendorId === null) return this.#takeUnnamed(digits.slice(0, NAMING_DIGITS));
    const print = Number.parseInt(digits.slice(0, COMPARED_DIGITS), 16);
    const known = this.#prints.get(vendorId);
    const recordKey = `${this.prefix}${vendorId}`;
    if (known === undefined) {
      this.#prints.set(vendorId, print);
      return { recordKey, state: 'new' };
    }
    const other = `${vendorId} ${print}`;
    if (known === print || this.#further.has(other)) return { recordKey, state: 'repeated' };
    this.#further.add(other);
    return { recordKey: `${this.prefix}${this.#numbered(`${vendorId}~`)}`, state: 'reused' };
  }

  /** The id was taken before, whatever its content was. */
  knows(vendorId: string): boolean {
    return this.#prints.has(vendorId);
  }

  /**
   * What follows may copy the records so far, in their order, before anything new: records without
   * ids count as repeated until the first that is no copy.
   */
  expectCopies(): void {
    this.#copied = new Map();
  }

  #takeUnnamed(name: string): TakenKey {
    if (this.#copied !== null) {
      const copy = (this.#copied.get(name) ?? 0) + 1;
      if (copy <= (this.#counts.get(name) ?? 0)) {
        this.#copied.set(name, copy);
        return { recordKey: `${this.prefix}${name}${copy}`, state: 'repeated' };
      }
      this.#copied = null;
    }
    return { recordKey: `${this.prefix}${this.#numbered(name)}`, state: 'new' };
  }

  #numbered(name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${name}${count}`;
  }
}
