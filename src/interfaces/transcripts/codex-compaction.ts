/** A compaction of Codex: its mark, and the summary among the messages that it repeats. */
import type { Digest } from '../../domain/kernel/measures.js';
import type { JsonObject } from '../../domain/redaction/json-value.js';
import { isInjected } from './codex-text.js';
import { EntryBuilder } from './entry-builder.js';
import { nameOf, objectsOf } from './json-fields.js';
import { messageParts } from './message-parts.js';

/** Hexadecimal digits of a digest by which texts are compared. */
const COMPARED_DIGITS = 12;

/** Says of each text whether the conversation has had it. */
export class KnownTexts {
  readonly #prints = new Set<number>();

  constructor(private readonly digest: Digest) {}

  add(text: string): void {
    this.#prints.add(this.#print(text));
  }

  has(text: string): boolean {
    return this.#prints.has(this.#print(text));
  }

  #print(text: string): number {
    return Number.parseInt(this.digest(text.trim()).slice(0, COMPARED_DIGITS), 16);
  }
}

export interface Compaction {
  readonly builder: EntryBuilder;
  /** Messages of the new history that are no entry: known already, or context of the client. */
  readonly repeated: number;
}

export function readCompaction(
  payload: JsonObject,
  place: { readonly recordKey: string; readonly occurredAt: string | null },
  known: KnownTexts,
): Compaction {
  const history = objectsOf(payload['replacement_history']);
  const said = nameOf(payload['message']);
  const unknown = history.flatMap((item) => {
    if (item['role'] !== 'user') return [];
    const text = messageParts(item['content'])?.texts.join('\n\n') ?? '';
    const isContext = isInjected(text) && !text.startsWith(SUMMARY_START);
    return text === '' || known.has(text) || isContext ? [] : [text];
  });
  const summary = said ?? unknown.at(-1) ?? null;
  const builder = new EntryBuilder({ ...place, messageKey: null }).system('', true);
  if (summary !== null) {
    builder.summary(summary);
    known.add(summary);
  }
  const isInHistory = said === null && summary !== null;
  return { builder, repeated: history.length - (isInHistory ? 1 : 0) };
}

/** How the client begins a summary that it hands on as a message of the user. */
const SUMMARY_START = 'Another language model started to';
