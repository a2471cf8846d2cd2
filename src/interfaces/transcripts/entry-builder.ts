/** Entries of one record: common fields once, a key for each entry. */
import type { JsonObject, JsonValue } from '../../domain/redaction/json-value.js';
import type {
  EntryAuthor,
  ToolCallEntry,
  ToolEffect,
  TranscriptEntry,
} from '../../domain/session/transcript.js';
import type { Medium } from './message-media.js';

export interface RecordCommon {
  readonly recordKey: string;
  readonly occurredAt: string | null;
  /** Entries of one message of the provider share it; null: a message by itself. */
  readonly messageKey: string | null;
  readonly active?: boolean;
  /** That wrote the message, or null. */
  readonly model?: string | null;
}

/** What stands beside a text; null: nothing. */
export interface BesideText {
  readonly vendor?: JsonObject | null;
  readonly finishReason?: string | null;
}

export interface BuiltCall {
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: JsonValue;
  readonly effect: ToolEffect;
  readonly spawn?: ToolCallEntry['spawn'];
  readonly vendor?: JsonObject | null;
}

export interface BuiltResult {
  readonly callId: string;
  readonly content: string;
  readonly isError: boolean;
  readonly exitCode: number | null;
  readonly detail?: JsonValue;
  readonly vendor?: JsonObject | null;
}

export class EntryBuilder {
  readonly entries: TranscriptEntry[] = [];

  constructor(private readonly common: RecordCommon) {}

  text(
    kind: 'user' | 'assistant' | 'thinking',
    author: EntryAuthor,
    content: string,
    { vendor = null, finishReason = null }: BesideText = {},
  ): this {
    this.entries.push({
      kind,
      author,
      content,
      ...this.#next(),
      ...(vendor !== null && { vendor }),
      ...(finishReason !== null && kind === 'assistant' && { finishReason }),
    });
    return this;
  }

  system(content: string, boundary = false, vendor: JsonObject | null = null): this {
    const said = { kind: 'system', author: 'system', content, boundary } as const;
    this.entries.push({ ...this.#next(), ...said, ...(vendor !== null && { vendor }) });
    return this;
  }

  summary(content: string): this {
    const summary = { kind: 'summary', author: 'harness', origin: 'vendor' } as const;
    this.entries.push({ ...this.#next(), ...summary, content });
    return this;
  }

  call({ spawn = null, vendor = null, ...call }: BuiltCall): this {
    const common = { ...this.#next(), author: 'agent', content: '' } as const;
    const beside = { spawn, ...(vendor !== null && { vendor }) };
    this.entries.push({ ...common, kind: 'tool_call', ...call, ...beside });
    return this;
  }

  result({ vendor = null, ...result }: BuiltResult): this {
    const common = { ...this.#next(), author: 'tool', messageKey: null, ruling: null } as const;
    const beside = vendor === null ? {} : { vendor };
    this.entries.push({ ...common, kind: 'tool_result', ...result, ...beside });
    return this;
  }

  /** @param callId the call whose result holds them, or null. */
  media(media: readonly Medium[], author: EntryAuthor, callId: string | null): this {
    for (const medium of media) {
      const common = this.#next();
      const messageKey = callId === null ? common.messageKey : null;
      this.entries.push({ ...common, ...medium, author, messageKey, callId });
    }
    return this;
  }

  /** Keeps the form of the message beside its first entry; null: nothing to keep. */
  keepForm(form: JsonObject | null): this {
    const [first] = this.entries;
    if (form !== null && first !== undefined) {
      this.entries[0] = { ...first, vendor: { ...first.vendor, ...form } };
    }
    return this;
  }

  #next() {
    const { occurredAt, messageKey, active = true, model = null } = this.common;
    const sourceKey = this.#nextKey();
    return { sourceKey, occurredAt, messageKey, active, ...(model !== null && { model }) };
  }

  /** The first entry has the record's key, further ones a number behind it. */
  #nextKey(): string {
    const number = this.entries.length + 1;
    return number === 1 ? this.common.recordKey : `${this.common.recordKey}#${number}`;
  }
}
