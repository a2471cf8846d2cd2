/** The one way in for text: repaired, then redacted. Keeps the counts that a receipt reports. */
import type { JsonValue } from './json-value.js';
import type { Redact } from './redact.js';
import { isSecretName } from './redaction-rules.js';
import { makeWellFormed } from './well-formed.js';

/** Nesting of a JSON value that is followed; deeper parts are replaced by a sentence that says so. */
const MAX_DEPTH = 200;

export class TextCleaner {
  #repaired = 0;
  readonly #redactions = new Map<string, number>();

  constructor(private readonly redact: Redact) {}

  /** Characters replaced because the text was ill-formed, over all texts so far. */
  get repaired(): number {
    return this.#repaired;
  }

  /** Secrets replaced so far, by type, types in ascending order. */
  get redactions(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#redactions].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  clean(text: string): string {
    const { text: wellFormed, repaired } = makeWellFormed(text);
    this.#repaired += repaired;
    const { text: redacted, redactions } = this.redact(wellFormed);
    for (const type in redactions) {
      this.#redactions.set(type, (this.#redactions.get(type) ?? 0) + (redactions[type] ?? 0));
    }
    return redacted;
  }

  /** Cleans a text that also stands elsewhere in what is read: its finds are counted there. */
  cleanRepeated(text: string): string {
    return this.redact(makeWellFormed(text).text).text;
  }

  /** Cleans every string of a JSON value, names of fields included. */
  cleanJson(value: JsonValue, depth = 0): JsonValue {
    if (typeof value === 'string') return this.clean(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_DEPTH) return `[nested deeper than ${MAX_DEPTH} levels: left out]`;
    if (Array.isArray(value)) {
      return value.map((item: JsonValue) => this.cleanJson(item, depth + 1));
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        this.clean(name),
        this.#cleanField(name, field, depth + 1),
      ]),
    );
  }

  /** The name tells the rules that the value is a secret, so both are shown to them as one text. */
  #cleanField(name: string, field: JsonValue, depth: number): JsonValue {
    if (typeof field !== 'string' || field === '' || !isSecretName(name)) {
      return this.cleanJson(field, depth);
    }
    const before = 'password="';
    const cleaned = this.clean(`${before}${field}"`);
    return cleaned.slice(before.length, -1);
  }
}
