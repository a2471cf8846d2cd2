/** What a summarizer returns: operations on items, read from JSON with every fault named. */
import type { ItemRef, RefKind } from './summary-item.js';

/** An item, or the place of an `add` in the list of operations, from 0. */
export type Successor = { readonly item: number } | { readonly add: number };

/** `sources` are the `seq` of entries in the span; `item` is the number of the handle `#17`. */
export type PatchOperation =
  | {
      readonly operation: 'add';
      readonly section: string;
      readonly text: string;
      readonly refs: readonly ItemRef[];
      readonly sources: readonly number[];
      readonly state: 'open' | 'resolved';
    }
  | {
      readonly operation: 'update';
      readonly item: number;
      readonly text: string;
      readonly refs: readonly ItemRef[];
      readonly sources: readonly number[];
    }
  | { readonly operation: 'resolve'; readonly item: number; readonly sources: readonly number[] }
  | {
      readonly operation: 'supersede';
      readonly item: number;
      readonly by: Successor;
      readonly sources: readonly number[];
    };

export interface SummaryPatch {
  readonly operations: readonly PatchOperation[];
}

export interface PatchFault {
  /** Place in the list of operations, from 0; null: the patch as a whole. */
  readonly operation: number | null;
  readonly code:
    | 'bad-shape'
    | 'missing-field'
    | 'unknown-item'
    | 'unknown-section'
    | 'section-closed'
    | 'pin-addressed'
    | 'ask-rewritten'
    | 'source-outside-span'
    | 'bad-successor'
    | 'conflict';
  /** For the summarizer's next try: what is wrong and what would be right. Never contents of entries. */
  readonly reason: string;
}

export type ParsedPatch =
  | { readonly outcome: 'parsed'; readonly patch: SummaryPatch }
  | { readonly outcome: 'invalid'; readonly faults: readonly PatchFault[] };

/** More than a window can give rise to; a longer list is a summarizer gone wild. */
const MAX_OPERATIONS = 1_000;

const REF_KINDS: readonly RefKind[] = [
  'path',
  'symbol',
  'hash',
  'code',
  'number',
  'command',
  'url',
];

type JsonFields = Readonly<Record<string, unknown>>;

/**
 * Reads `{ "operations": [{ "operation": "add", … }] }` or the bare list. Items may be given as 17,
 * "17" or "#17", sources as 412, "412" or "entry:412"; a successor as an item or `{ "add": 0 }`.
 */
export function parsePatch(value: unknown): ParsedPatch {
  const list = Array.isArray(value)
    ? (value as readonly unknown[])
    : fieldsOf(value)?.['operations'];
  if (!Array.isArray(list)) {
    return invalid([{ operation: null, code: 'bad-shape', reason: 'operations must be a list' }]);
  }
  if (list.length > MAX_OPERATIONS) {
    const reason = `operations must be at most ${MAX_OPERATIONS}`;
    return invalid([{ operation: null, code: 'bad-shape', reason }]);
  }
  const faults: PatchFault[] = [];
  const operations = (list as readonly unknown[]).flatMap((given, index) => {
    const reader = new OperationReader(fieldsOf(given), index, faults);
    return reader.read() ?? [];
  });
  return faults.length > 0 ? invalid(faults) : { outcome: 'parsed', patch: { operations } };
}

class OperationReader {
  readonly #faultsBefore: number;

  constructor(
    private readonly fields: JsonFields | null,
    private readonly index: number,
    private readonly faults: PatchFault[],
  ) {
    this.#faultsBefore = faults.length;
  }

  read(): PatchOperation | null {
    if (this.fields === null) return this.#fault('bad-shape', 'an operation must be an object');
    const operation = this.fields['operation'] ?? this.fields['op'];
    const made = this.#readAs(operation);
    return this.faults.length > this.#faultsBefore ? null : made;
  }

  #readAs(operation: unknown): PatchOperation | null {
    switch (operation) {
      case 'add':
        return {
          operation,
          section: this.#text('section'),
          text: this.#text('text'),
          refs: this.#refs(),
          sources: this.#sources(),
          state: this.#state(),
        };
      case 'update':
        return {
          operation,
          item: this.#item('item'),
          text: this.#text('text'),
          refs: this.#refs(),
          sources: this.#sources(),
        };
      case 'resolve':
        return { operation, item: this.#item('item'), sources: this.#sources() };
      case 'supersede':
        return {
          operation,
          item: this.#item('item'),
          by: this.#successor(),
          sources: this.#sources(),
        };
      default:
        return this.#fault('bad-shape', 'operation must be add, update, resolve or supersede');
    }
  }

  #field(name: string): unknown {
    const value = this.fields?.[name];
    if (value === undefined || value === null) this.#fault('missing-field', `${name} is missing`);
    return value ?? undefined;
  }

  #text(name: string): string {
    const value = this.#field(name);
    if (value === undefined) return '';
    if (typeof value === 'string' && value.trim() !== '') return value;
    this.#fault('missing-field', `${name} must be a text that is not empty`);
    return '';
  }

  #state(): 'open' | 'resolved' {
    const value = this.#field('state');
    if (value === 'resolved' || value === 'open') return value;
    if (value !== undefined) this.#fault('bad-shape', 'state must be open or resolved');
    return 'open';
  }

  #item(name: string): number {
    const value = this.#field(name);
    if (value === undefined) return 0;
    const number = numberIn(value, /^#?(\d{1,9})$/);
    if (number === null) this.#fault('bad-shape', `${name} must be the number of an item, "#17"`);
    return number ?? 0;
  }

  #successor(): Successor {
    const value = this.#field('by');
    const add = fieldsOf(value)?.['add'];
    if (typeof add === 'number' && Number.isSafeInteger(add) && add >= 0) return { add };
    if (value === undefined) return { item: 0 };
    const item = numberIn(fieldsOf(value)?.['item'] ?? value, /^#?(\d{1,9})$/);
    if (item === null) this.#fault('bad-shape', 'by must be an item, "#17", or {"add": index}');
    return { item: item ?? 0 };
  }

  #sources(): readonly number[] {
    const value = this.#field('sources');
    if (value === undefined) return [];
    const list = Array.isArray(value) ? (value as readonly unknown[]) : [];
    const numbers = list.flatMap((source) => numberIn(source, /^(?:entry:)?(\d{1,9})$/) ?? []);
    if (list.length === 0) this.#fault('missing-field', 'sources must name at least one entry');
    else if (numbers.length < list.length)
      this.#fault('bad-shape', 'sources must be entries such as "entry:412"');
    return [...new Set(numbers)];
  }

  #refs(): readonly ItemRef[] {
    const value = this.#field('refs');
    if (value === undefined) return [];
    const list = Array.isArray(value) ? (value as readonly unknown[]) : null;
    const refs = list?.flatMap((ref) => {
      const fields = fieldsOf(ref);
      const kind = REF_KINDS.find((known) => known === (fields?.['kind'] ?? fields?.['type']));
      const text = fields?.['text'];
      return kind !== undefined && typeof text === 'string' && text.trim() !== ''
        ? [{ kind, text }]
        : [];
    });
    if (list === null || refs?.length !== list.length)
      this.#fault(
        'bad-shape',
        `refs must be a list of {kind, text}, kind one of ${REF_KINDS.join(', ')}`,
      );
    return refs ?? [];
  }

  #fault(code: PatchFault['code'], reason: string): null {
    this.faults.push({ operation: this.index, code, reason });
    return null;
  }
}

function fieldsOf(value: unknown): JsonFields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonFields)
    : null;
}

function numberIn(value: unknown, form: RegExp): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? value : null;
  const digits = typeof value === 'string' ? form.exec(value)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}

function invalid(faults: readonly PatchFault[]): ParsedPatch {
  return { outcome: 'invalid', faults };
}
