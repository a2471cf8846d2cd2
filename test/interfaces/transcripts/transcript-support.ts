/** Small real parts for tests of transcripts: sources in memory, a digest, a counter. */
import { createHash } from 'node:crypto';
import {
  type PlanMaterialReading,
  readPlanMaterial,
} from '../../../src/application/session/read-plan-material.js';
import type {
  TranscriptReader,
  TranscriptSource,
} from '../../../src/application/session/transcript-reader.js';
import type { TranscriptReceipt } from '../../../src/application/session/transcript-receipt.js';
import type { Digest, TokenCounter } from '../../../src/domain/kernel/measures.js';
import { redactWith } from '../../../src/domain/redaction/redact.js';
import type {
  PlanMaterialItem,
  SessionFragment,
} from '../../../src/domain/session/plan-material.js';
import type { SessionDecision } from '../../../src/domain/session/session-decision.js';
import { claudeCodeReader } from '../../../src/interfaces/transcripts/claude-code-transcript.js';

export const sha256: Digest = (text) => createHash('sha256').update(text).digest('hex');

export const redact = redactWith((secret) => sha256(`test key ${secret}`));

/** Four UTF-16 units a token: enough to test sizes by. */
export const countQuarters: TokenCounter = {
  name: 'quarters',
  version: '1',
  count: (text) => Math.ceil(text.length / 4),
};

/** Of which the store takes no source for known: every import reads it entry by entry. */
export function withoutVersion(reader: TranscriptReader): TranscriptReader {
  return {
    name: reader.name,
    detect: (head) => reader.detect(head),
    read: (source) => reader.read(source),
  };
}

/** Given out in chunks of `chunkBytes`, so that lines and characters are cut at every place. */
export function memorySource(
  content: string | Uint8Array,
  chunkBytes = 64 * 1024,
  name = 'session.jsonl',
): TranscriptSource {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
  return {
    name,
    head: () =>
      Promise.resolve({
        text: new TextDecoder().decode(bytes.subarray(0, 64 * 1024)),
        isWhole: bytes.length <= 64 * 1024,
      }),
    // What a file does: the bytes of a chunk are gone when the next one is asked for.
    async *open() {
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        const chunk = Buffer.from(bytes.subarray(at, at + chunkBytes));
        yield await Promise.resolve(chunk);
        chunk.fill('#');
      }
    },
  };
}

export interface ReadSession {
  readonly items: readonly PlanMaterialItem[];
  readonly decisions: readonly SessionDecision[];
  readonly fragments: readonly SessionFragment[];
  readonly receipt: TranscriptReceipt;
}

export async function readSession(
  source: TranscriptSource,
  planHasPrompt = false,
): Promise<ReadSession> {
  return collect(
    readPlanMaterial({
      source,
      reader: claudeCodeReader(sha256),
      digest: sha256,
      counter: countQuarters,
      redact,
      planId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      planHasPrompt,
    }),
  );
}

async function collect(reading: PlanMaterialReading): Promise<ReadSession> {
  const items: PlanMaterialItem[] = [];
  for await (const item of reading.items) items.push(item);
  return {
    items,
    decisions: items.flatMap((item) => (item.item === 'decision' ? [item.decision] : [])),
    fragments: items.flatMap((item) => (item.item === 'fragment' ? [item.fragment] : [])),
    receipt: reading.receipt(),
  };
}

/** Records as JSONL, each following the one before it. */
export function jsonl(...records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

interface RecordParts {
  readonly uuid: string;
  readonly parentUuid?: string | null;
  readonly [field: string]: unknown;
}

/** A user record; `content` is a text or blocks. */
export function aUser(content: unknown, parts: RecordParts): object {
  return aRecord('user', { role: 'user', content }, parts);
}

/** An assistant record of message `messageId`. */
export function anAssistant(
  messageId: string,
  blocks: readonly object[],
  parts: RecordParts,
): object {
  return aRecord(
    'assistant',
    { id: messageId, role: 'assistant', model: 'm', content: blocks },
    parts,
  );
}

function aRecord(type: string, message: object, parts: RecordParts): object {
  return {
    parentUuid: null,
    isSidechain: false,
    sessionId: 'vendor-session',
    timestamp: '2026-01-31T12:00:00.000Z',
    type,
    message,
    ...parts,
  };
}

export const aCall = (id: string, name: string, input: object): object => ({
  type: 'tool_use',
  id,
  name,
  input,
});

export const aResult = (id: string, content: unknown, isError = false): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error: isError,
});
