/**
 * Very many short texts, such as the keys of the records of a session: exact as a `Set` and a `Map`, but
 * in a few large arrays, where they take less than half the memory and the collector has nothing to visit.
 */

/** UTF-16 units from which a text is kept as it is. */
const MAX_PACKED = 256;

/** Slots at which a place is looked for; behind them, texts are kept as they are. */
const MAX_PROBES = 64;

const FIRST_SLOTS = 64;
const FIRST_CODES = 1_024;

/** Each text once, numbered from 0 in the order of its coming. */
export class TextSet {
  #size = 0;
  /** Number of a text + 1 where its hash says; 0: free. A power of two of them, at most half taken. */
  #slots = new Int32Array(FIRST_SLOTS);
  /** The furthest that a text stands from where its hash says. */
  #reach = 0;
  #hashes = new Int32Array(FIRST_SLOTS / 2);
  /** Where the codes of a text end; they begin where those of the text before end. */
  #ends = new Uint32Array(FIRST_SLOTS / 2);
  #codes = new Uint8Array(FIRST_CODES);
  /** What is not packed: long, beyond Latin-1, or of a crowded hash. */
  readonly #others = new Map<string, number>();
  readonly #otherTexts = new Map<number, string>();

  get size(): number {
    return this.#size;
  }

  has(text: string): boolean {
    return this.numberOf(text) !== -1;
  }

  /** @returns its number, or -1. */
  numberOf(text: string): number {
    if (text.length < MAX_PACKED) {
      const hash = hashOf(text);
      const mask = this.#slots.length - 1;
      for (let probe = 0; probe <= this.#reach; probe += 1) {
        const held = (this.#slots[(hash + probe) & mask] ?? 0) - 1;
        if (held === -1) break;
        if (this.#hashes[held] === hash && this.#isAt(held, text)) return held;
      }
    }
    return this.#others.size === 0 ? -1 : (this.#others.get(text) ?? -1);
  }

  /** @returns its number, which it may have had before. */
  add(text: string): number {
    const held = this.numberOf(text);
    if (held !== -1) return held;
    const number = this.#size;
    this.#size += 1;
    if (number === this.#ends.length) this.#grow();
    const hash = text.length < MAX_PACKED ? hashOf(text) : 0;
    this.#hashes[number] = hash;
    if (
      text.length >= MAX_PACKED ||
      !this.#pack(number, text) ||
      !this.#place(number, MAX_PROBES)
    ) {
      this.#ends[number] = this.#endBefore(number);
      this.#others.set(text, number);
      this.#otherTexts.set(number, text);
    }
    return number;
  }

  /** @param number as `add` returned it. */
  textAt(number: number): string {
    const codes = this.#codes.subarray(this.#endBefore(number), this.#ends[number]);
    return this.#otherTexts.get(number) ?? String.fromCharCode(...codes);
  }

  #endBefore(number: number): number {
    return number === 0 ? 0 : (this.#ends[number - 1] ?? 0);
  }

  #isAt(number: number, text: string): boolean {
    const from = this.#endBefore(number);
    if ((this.#ends[number] ?? 0) - from !== text.length) return false;
    for (let at = 0; at < text.length; at += 1) {
      if (this.#codes[from + at] !== text.charCodeAt(at)) return false;
    }
    return true;
  }

  /** @returns false where a code is too large for it. */
  #pack(number: number, text: string): boolean {
    const from = this.#endBefore(number);
    while (this.#codes.length < from + text.length) {
      const codes = new Uint8Array(this.#codes.length * 2);
      codes.set(this.#codes);
      this.#codes = codes;
    }
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > 0xff) return false;
      this.#codes[from + at] = code;
    }
    this.#ends[number] = from + text.length;
    return true;
  }

  #place(number: number, probes: number): boolean {
    const hash = this.#hashes[number] ?? 0;
    const mask = this.#slots.length - 1;
    for (let probe = 0; probe < probes; probe += 1) {
      const slot = (hash + probe) & mask;
      if (this.#slots[slot] !== 0) continue;
      this.#slots[slot] = number + 1;
      this.#reach = Math.max(this.#reach, probe);
      return true;
    }
    return false;
  }

  #grow(): void {
    const count = this.#ends.length;
    const [hashes, ends] = [new Int32Array(count * 2), new Uint32Array(count * 2)];
    hashes.set(this.#hashes);
    ends.set(this.#ends);
    [this.#hashes, this.#ends] = [hashes, ends];
    const slots = this.#slots.length * 2;
    this.#slots = new Int32Array(slots);
    this.#reach = 0;
    for (let number = 0; number < count; number += 1) {
      if (!this.#otherTexts.has(number)) this.#place(number, slots);
    }
  }
}

/** A number for each of very many texts. */
export class TextNumbers {
  readonly #texts = new TextSet();
  #numbers = new Float64Array(FIRST_SLOTS);

  get size(): number {
    return this.#texts.size;
  }

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  get(text: string): number | undefined {
    const at = this.#texts.numberOf(text);
    return at === -1 ? undefined : this.#numbers[at];
  }

  set(text: string, value: number): void {
    const at = this.#texts.add(text);
    if (at >= this.#numbers.length) {
      const numbers = new Float64Array(this.#numbers.length * 2);
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
    this.#numbers[at] = value;
  }
}

const SEED = 0x811c9dc5;

/** Odd, with bits all over (a constant of MurmurHash3's finalizer). */
const FACTOR = 0x85ebca6b;

function hashOf(text: string): number {
  let hash = SEED ^ text.length;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FACTOR);
    hash ^= hash >>> 15;
  }
  return hash;
}
