/** One record of a Claude Code session as entries. */
import type {
  ProblemReason,
  TranscriptEvent,
} from '../../application/session/transcript-reader.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import type {
  EntryAuthor,
  TextEntry,
  ToolCallEntry,
  ToolResultEntry,
  TranscriptEntry,
} from '../../domain/session/transcript.js';
import type { SourcePlace } from '../../domain/session/source-form.js';
import { isHarnessRecord, partResultText, partUserText } from './claude-code-text.js';
import { toolEffect, toolRuling, toolSpawn } from './claude-code-tools.js';
import { sealOf } from './anthropic-message.js';
import { trailDetail } from './claude-code-detail.js';
import { messageForm } from './message-form.js';
import { type Medium, mediumOf } from './message-media.js';
import { usageCounts, usageEvent } from './provider-usage.js';

export interface RecordPlace {
  /** The record's own key; its entries are numbered behind it. */
  readonly recordKey: string;
  readonly active: boolean;
  /** The file is a sub-agent's own: its prompts come from the agent that called it. */
  readonly isSubAgent: boolean;
}

export interface RecordEntries {
  readonly entries: readonly TranscriptEntry[];
  /** What the record is counted under where it is no conversation. */
  readonly skippedAs: string | null;
  readonly problem: Extract<ProblemReason, 'bad-shape'> | null;
}

/** Name and arguments of a call, kept until its result comes. */
export interface KnownCall {
  readonly toolName: string;
  readonly arguments: JsonValue;
  /** Where the client stood when it made the call; a command may leave it elsewhere. */
  readonly directory: string | null;
}

/** Tools whose results are a person's ruling; only their arguments are kept. */
const RULED = new Set(['ExitPlanMode', 'AskUserQuestion']);

/** An entry while it is made. */
type Open<Entry> = { -readonly [Field in keyof Entry]: Entry[Field] };

type Common = Pick<TranscriptEntry, 'occurredAt' | 'active' | 'messageKey' | 'model'>;

/** The model of notices that the client writes itself. */
const SYNTHETIC = '<synthetic>';

/** @param calls the calls so far by id; those of this record are added, answered ones removed. */
export function recordEntries(
  record: JsonObject,
  place: RecordPlace,
  calls: Map<string, KnownCall>,
): RecordEntries {
  const type = text(record['type']) ?? 'unknown';
  if (type === 'attachment') return harnessAttachment(record, place);
  if (type === 'system') return systemEntries(record, place);
  if (type !== 'user' && type !== 'assistant') return skipped(type);
  const message = record['message'];
  const content = isJsonObject(message) ? message['content'] : undefined;
  if (!isJsonObject(message) || (typeof content !== 'string' && !Array.isArray(content))) {
    return { entries: [], skippedAs: null, problem: 'bad-shape' };
  }
  const blocks: readonly JsonValue[] = Array.isArray(content)
    ? content
    : [{ type: 'text', text: content }];
  const entries =
    type === 'user'
      ? userEntries(record, blocks, place, calls)
      : assistantEntries(record, message, blocks, place, calls);
  return { entries, skippedAs: entries.length === 0 ? `${type}/empty` : null, problem: null };
}

function assistantEntries(
  record: JsonObject,
  message: JsonObject,
  blocks: readonly JsonValue[],
  place: RecordPlace,
  calls: Map<string, KnownCall>,
): readonly TranscriptEntry[] {
  const model = modelOf(message);
  const occurredAt = timeOf(record);
  const { active } = place;
  const messageKey = text(message['id']) ?? place.recordKey;
  // The client writes its own error notices as messages of a model named so.
  const isNotice = record['isApiErrorMessage'] === true || message['model'] === SYNTHETIC;
  const author: EntryAuthor = isNotice ? 'harness' : 'agent';
  const finishReason = text(message['stop_reason']);
  const key = keysOf(place.recordKey);
  // Fields one by one, no spreads: copying an object costs as much as parsing its line.
  return blocks.filter(isJsonObject).map((block): TranscriptEntry => {
    const type = text(block['type']) ?? '';
    const sourceKey = key();
    if (type === 'tool_use' || type === 'server_tool_use') {
      const callId = text(block['id']) ?? sourceKey;
      const toolName = text(block['name']) ?? 'unknown';
      const value = block['input'] ?? {};
      calls.set(callId, {
        toolName,
        arguments: RULED.has(toolName) ? value : null,
        directory: toolName === 'Bash' ? text(record['cwd']) : null,
      });
      const call: Open<ToolCallEntry> = {
        kind: 'tool_call',
        author,
        sourceKey,
        content: '',
        occurredAt,
        active,
        messageKey,
        callId,
        toolName,
        arguments: value,
        effect: toolEffect(toolName, value),
        spawn: toolSpawn(toolName, value),
      };
      if (model !== null) call.model = model;
      return call;
    }
    const isThinking = type === 'thinking' || type === 'redacted_thinking';
    const said: Open<TextEntry> = {
      kind: isThinking ? 'thinking' : 'assistant',
      author,
      sourceKey,
      content: contentOf(block, type),
      occurredAt,
      active,
      messageKey,
    };
    if (model !== null) said.model = model;
    if (type === 'text' && finishReason !== null) said.finishReason = finishReason;
    const seal = isThinking ? sealOf(block) : null;
    if (seal !== null) said.vendor = seal;
    return said;
  });
}

function contentOf(block: JsonObject, type: string): string {
  if (type === 'text') return text(block['text']) ?? '';
  const isThinking = type === 'thinking' || type === 'redacted_thinking';
  return isThinking ? (text(block['thinking']) ?? '') : unknownBlock(block);
}

function userEntries(
  record: JsonObject,
  blocks: readonly JsonValue[],
  place: RecordPlace,
  calls: Map<string, KnownCall>,
): readonly TranscriptEntry[] {
  const common = commonOf(record, place, place.recordKey);
  const key = keysOf(place.recordKey);
  const objects = blocks.filter(isJsonObject);
  const results = objects.filter((block) => block['type'] === 'tool_result');
  const texts = objects.flatMap((block) =>
    block['type'] === 'text' ? (text(block['text']) ?? []) : [],
  );
  const entries: TranscriptEntry[] = [];
  const reminders: string[] = [];

  for (const block of results) {
    const callId = text(block['tool_use_id']) ?? text(record['sourceToolUseID']) ?? '';
    const parts = Array.isArray(block['content']) ? block['content'].filter(isJsonObject) : [];
    const given = text(block['content']) ?? parts.flatMap(resultText).join('\n');
    const { result: content, harness } = partResultText(given);
    reminders.push(...harness);
    const isError = block['is_error'] === true;
    const detail = record['toolUseResult'];
    const call = calls.get(callId) ?? null;
    calls.delete(callId);
    // A record with several results has one detail, and nothing says whose it is.
    const taken = trailDetail(results.length === 1 ? detail : null, call?.directory ?? null);
    const result: Open<ToolResultEntry> = {
      kind: 'tool_result',
      author: 'tool',
      sourceKey: key(),
      content,
      occurredAt: common.occurredAt,
      active: common.active,
      messageKey: null,
      callId,
      isError,
      exitCode: exitCodeIn(content, isError),
      ruling: toolRuling(call, content, isError, detail),
    };
    if (taken !== null) result.detail = taken;
    entries.push(result);
    for (const part of parts) {
      const attachment = attachmentOf(part);
      if (attachment !== null) {
        entries.push({
          ...common,
          ...attachment,
          author: 'tool',
          sourceKey: key(),
          messageKey: null,
          callId,
        });
      }
    }
  }

  if (record['isCompactSummary'] === true) {
    const content = texts.join('\n\n');
    return [
      ...entries,
      {
        ...common,
        kind: 'summary',
        author: 'harness',
        origin: 'vendor',
        sourceKey: key(),
        content,
      },
    ];
  }
  const isHarness = place.isSubAgent || isHarnessRecord(record);
  const { human, harness, places } = partUserText(texts, isHarness);
  if (human !== '') {
    const said: Open<TextEntry> = {
      ...common,
      kind: 'user',
      author: 'human',
      sourceKey: key(),
      content: human,
    };
    const form = objects.length > 1 ? formOfPrompt(objects, places) : null;
    if (form !== null) said.vendor = form;
    entries.push(said);
  }
  for (const block of objects) {
    const attachment = attachmentOf(block);
    if (attachment !== null) {
      const author = isHarness ? 'harness' : 'human';
      entries.push({ ...common, ...attachment, author, sourceKey: key(), callId: null });
    }
  }
  for (const content of [...reminders, ...harness]) {
    entries.push({ ...common, kind: 'user', author: 'harness', sourceKey: key(), content });
  }
  return entries;
}

/** What the blocks of a prompt became, in their order. */
function formOfPrompt(
  blocks: readonly JsonObject[],
  ofTexts: readonly (readonly SourcePlace[])[],
): JsonObject | null {
  let text = 0;
  const places = blocks.flatMap((block): readonly SourcePlace[] => {
    if (MEDIA_TYPES.has(block['type'])) return ['media'];
    if (block['type'] !== 'text' || typeof block['text'] !== 'string') return [];
    text += 1;
    return ofTexts[text - 1] ?? [];
  });
  return messageForm('anthropic', { isList: true, places });
}

function systemEntries(record: JsonObject, place: RecordPlace): RecordEntries {
  const subtype = text(record['subtype']) ?? 'unknown';
  if (subtype !== 'compact_boundary') return skipped(`system/${subtype}`);
  const common = commonOf(record, place, null);
  const content = text(record['content']) ?? '';
  return {
    entries: [
      {
        ...common,
        kind: 'system',
        author: 'system',
        sourceKey: place.recordKey,
        content,
        boundary: true,
      },
    ],
    skippedAs: null,
    problem: null,
  };
}

/** What the client adds beside the conversation: hook outputs, reminders, listings of files and tools. */
function harnessAttachment(record: JsonObject, place: RecordPlace): RecordEntries {
  const attachment = record['attachment'];
  if (!isJsonObject(attachment)) return { entries: [], skippedAs: null, problem: 'bad-shape' };
  const common = commonOf(record, place, null);
  const content = JSON.stringify(attachment);
  return {
    entries: [{ ...common, kind: 'user', author: 'harness', sourceKey: place.recordKey, content }],
    skippedAs: null,
    problem: null,
  };
}

function commonOf(record: JsonObject, { active }: RecordPlace, messageKey: string | null): Common {
  return { occurredAt: timeOf(record), active, messageKey };
}

function timeOf(record: JsonObject): string | null {
  const occurredAt = text(record['timestamp']);
  return occurredAt !== null && !Number.isNaN(Date.parse(occurredAt)) ? occurredAt : null;
}

/** The first entry has the record's key, further ones a number behind it. */
function keysOf(recordKey: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return count === 1 ? recordKey : `${recordKey}#${count}`;
  };
}

const MEDIA_TYPES = new Set<unknown>(['image', 'document']);

function attachmentOf(block: JsonObject): Medium | null {
  return MEDIA_TYPES.has(block['type']) ? mediumOf(block) : null;
}

function modelOf(message: JsonObject): string | null {
  const model = text(message['model']);
  return model === SYNTHETIC || model === '' ? null : model;
}

/** What the provider reports of the message that a record is a part of; null: nothing. */
export function recordUsage(
  record: JsonObject,
  recordKey: string,
  purpose: 'agent' | 'summarizer' = 'agent',
): Extract<TranscriptEvent, { event: 'usage' }> | null {
  const { message } = record;
  const counts = isJsonObject(message) ? usageCounts(message['usage']) : null;
  if (counts === null || !isJsonObject(message)) return null;
  const usageKey = text(message['id']) ?? text(record['requestId']) ?? recordKey;
  const occurredAt = timeOf(record);
  return usageEvent(counts, { usageKey, model: modelOf(message), occurredAt }, purpose);
}

function resultText(block: JsonObject): readonly string[] {
  if (block['type'] === 'text') return [text(block['text']) ?? ''];
  if (MEDIA_TYPES.has(block['type'])) return [];
  return [unknownBlock(block)];
}

function unknownBlock(block: JsonObject): string {
  return block['type'] === 'tool_reference'
    ? `[tool ${text(block['tool_name']) ?? 'unknown'}]`
    : JSON.stringify(block);
}

/** A failed command's result begins with the line `Exit code N`, or `Error: Exit code N`. */
function exitCodeIn(content: string, isError: boolean): number | null {
  if (!isError) return null;
  const digits = /^(?:Error: )?Exit code (\d{1,3})\b/.exec(content)?.[1];
  return digits === undefined ? null : Number(digits);
}

function skipped(type: string): RecordEntries {
  return { entries: [], skippedAs: type, problem: null };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
