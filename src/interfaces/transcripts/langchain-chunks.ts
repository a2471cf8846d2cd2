/** Pieces of streamed messages, put together by the id of their message. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { argumentsOf, nameOf, objectOf, objectsOf, textOf } from './json-fields.js';
import type { LangchainMessage } from './langchain-record.js';

/** Messages that may be streamed at the same time; bounds what is held in memory. */
const MAX_OPEN = 64;

export interface JoinedMessage {
  readonly recordKey: string;
  readonly message: LangchainMessage;
}

interface Pieces {
  readonly recordKey: string;
  readonly fields: JsonObject[];
}

export class ChunkJoiner {
  readonly #open = new Map<string, Pieces>();

  holds(id: string): boolean {
    return this.#open.has(id);
  }

  /** @returns messages that are taken as whole because too many are open. */
  add(id: string, recordKey: string, fields: JsonObject): readonly JoinedMessage[] {
    const known = this.#open.get(id);
    if (known !== undefined) {
      known.fields.push(fields);
      return [];
    }
    this.#open.set(id, { recordKey, fields: [fields] });
    if (this.#open.size <= MAX_OPEN) return [];
    const [[oldest, pieces] = [null, null]] = this.#open;
    if (oldest === null || pieces === null) return [];
    this.#open.delete(oldest);
    return [joined(pieces)];
  }

  /** Everything held, in the order in which the messages began. */
  flush(): readonly JoinedMessage[] {
    const all = [...this.#open.values()].map(joined);
    this.#open.clear();
    return all;
  }
}

function joined({ recordKey, fields }: Pieces): JoinedMessage {
  const chunks = fields.flatMap((piece) => objectsOf(piece['tool_call_chunks']));
  const calls =
    chunks.length > 0
      ? joinCalls(chunks)
      : fields.flatMap((piece) => objectsOf(piece['tool_calls']));
  const extras = fields.map((piece) => objectOf(piece['additional_kwargs']));
  const summary = joinTexts(
    extras.flatMap((extra) => objectsOf(objectOf(extra['reasoning'])['summary'])),
  );
  const written = extras.map((extra) => nameOf(extra['reasoning_content']) ?? '').join('');
  return {
    recordKey,
    message: {
      kind: 'ai',
      isChunk: false,
      fields: {
        content: joinContent(fields.map((piece) => piece['content'] ?? null)),
        tool_calls: calls,
        additional_kwargs: { reasoning: { summary }, reasoning_content: written },
        ...lastOf(fields, 'id'),
        ...lastOf(fields, 'usage_metadata'),
        ...lastOf(fields, 'response_metadata'),
      },
    },
  };
}

function joinContent(contents: readonly JsonValue[]): JsonValue {
  if (contents.every((content) => typeof content === 'string' || content === null)) {
    return contents.join('');
  }
  const blocks = contents.flatMap((content): readonly JsonObject[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content),
  );
  return joinTexts(blocks);
}

const TEXT_FIELDS = ['text', 'reasoning', 'thinking'] as const;

/** Blocks of one index and type become one, their texts joined; blocks without text stay as they are. */
function joinTexts(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const joinedBlocks = new Map<string, Record<string, JsonValue>>();
  blocks.forEach((block, position) => {
    const field = TEXT_FIELDS.find((name) => typeof block[name] === 'string');
    const index = JSON.stringify(block['index'] ?? 0);
    const place = field === undefined ? `#${position}` : `${field} ${index}`;
    const known = joinedBlocks.get(place);
    if (known === undefined || field === undefined) joinedBlocks.set(place, { ...block });
    else known[field] = `${textOf(known[field]) ?? ''}${textOf(block[field]) ?? ''}`;
  });
  return [...joinedBlocks.values()];
}

/** The first piece of a call names it, the others bring its arguments. */
function joinCalls(chunks: readonly JsonObject[]): readonly JsonObject[] {
  const calls = new Map<string, { id: string | null; name: string | null; args: string }>();
  let last = '';
  for (const chunk of chunks) {
    const id = nameOf(chunk['id']);
    const index = chunk['index'] ?? null;
    const place = index === null ? (id ?? last) : JSON.stringify(index);
    last = place;
    const call = calls.get(place) ?? { id: null, name: null, args: '' };
    calls.set(place, call);
    call.id ??= id;
    call.name ??= nameOf(chunk['name']);
    const { args } = chunk;
    call.args += typeof args === 'string' ? args : isJsonObject(args) ? JSON.stringify(args) : '';
  }
  return [...calls.values()].map(({ id, name, args }) => ({ id, name, args: argumentsOf(args) }));
}

/** What the last piece that has the field says there: usage comes with the end of a message. */
function lastOf(fields: readonly JsonObject[], name: string): JsonObject {
  const value = fields.map((piece) => piece[name]).findLast((one) => isTold(one));
  return value === undefined ? {} : { [name]: value };
}

function isTold(value: JsonValue | undefined): boolean {
  const isEmpty = isJsonObject(value) && Object.keys(value).length === 0;
  return value !== undefined && value !== null && !isEmpty;
}
