/** Writes transcripts entry by entry, as an agent of the vendor `claude-code` would leave them. */
import type { JsonObject } from '../redaction/json-value.js';
import type { Answer, ToolEffect, TranscriptEntry } from '../session/transcript.js';

export interface WrittenCall {
  readonly toolName: string;
  readonly arguments: JsonObject;
  readonly result: string;
  readonly effect?: ToolEffect;
  readonly exitCode?: number | null;
  readonly isError?: boolean;
  readonly answers?: readonly Answer[];
}

export class TranscriptWriter {
  readonly #entries: TranscriptEntry[] = [];
  #number = 0;

  /** @param prefix of every key, so that several transcripts can be one session. */
  constructor(private readonly prefix: string) {}

  /** Entries so far. */
  get written(): number {
    return this.#number;
  }

  /** What was written since the last time. */
  take(): readonly TranscriptEntry[] {
    return this.#entries.splice(0);
  }

  /** @returns the key of the entry. */
  user(content: string): string {
    return this.#add({ kind: 'user', author: 'human', content, ...this.#common(null) });
  }

  assistant(content: string): string {
    return this.#add({ kind: 'assistant', author: 'agent', content, ...this.#common(null) });
  }

  /** A call with its result. @returns the keys of both. */
  call(given: WrittenCall): { readonly call: string; readonly result: string } {
    const callId = `${this.prefix}-call-${this.#number + 1}`;
    const { toolName, effect = 'other', exitCode = null, isError = false, answers } = given;
    const call = this.#add({
      kind: 'tool_call',
      author: 'agent',
      content: '',
      callId,
      toolName,
      arguments: given.arguments,
      effect,
      spawn: null,
      ...this.#common(callId),
    });
    const result = this.#add({
      kind: 'tool_result',
      author: 'tool',
      content: given.result,
      callId,
      isError,
      exitCode,
      ruling: answers === undefined ? null : { ruling: 'answered', answers },
      ...this.#common(null),
    });
    return { call, result };
  }

  #common(
    messageKey: string | null,
  ): Pick<TranscriptEntry, 'sourceKey' | 'occurredAt' | 'active' | 'messageKey'> {
    this.#number += 1;
    return {
      sourceKey: `${this.prefix}-${this.#number}`,
      occurredAt: null,
      active: true,
      messageKey,
    };
  }

  #add(entry: TranscriptEntry): string {
    this.#entries.push(entry);
    return entry.sourceKey;
  }
}
