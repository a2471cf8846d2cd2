/**
 * The plain text of a unit, as a later agent reads it: what was said, then each call with its result
 * right behind it. Expects cleaned entries.
 */
import { type JsonValue, isJsonObject } from '../redaction/json-value.js';
import type {
  AttachmentEntry,
  ToolCallEntry,
  ToolResultEntry,
  TranscriptEntry,
} from './transcript.js';

/** Longest argument that is written on the call line, in UTF-16 units; longer ones follow as blocks. */
const INLINE_LIMIT = 120;

export function renderUnit(entries: readonly TranscriptEntry[]): string {
  const results = entries.filter((entry) => entry.kind === 'tool_result');
  const attachments = entries.filter((entry) => entry.kind === 'attachment');
  const taken = new Set<TranscriptEntry>();
  const parts: string[] = [];

  const renderResults = (callId: string): void => {
    for (const result of results) {
      if (result.callId !== callId || taken.has(result)) continue;
      taken.add(result);
      parts.push(renderResult(result));
      for (const attachment of attachments) {
        if (attachment.callId !== callId || taken.has(attachment)) continue;
        taken.add(attachment);
        parts.push(renderAttachment(attachment));
      }
    }
  };

  for (const entry of entries) {
    if (entry.kind === 'tool_call') {
      parts.push(renderCall(entry));
      renderResults(entry.callId);
      if (!results.some(({ callId }) => callId === entry.callId)) parts.push('(no result)');
    } else if (entry.kind === 'tool_result') {
      if (!entries.some((other) => other.kind === 'tool_call' && other.callId === entry.callId)) {
        parts.push('(result of a call that is not in the transcript)', renderResult(entry));
      }
    } else if (entry.kind === 'attachment') {
      if (entry.callId === null) parts.push(renderAttachment(entry));
    } else if (entry.content.trim() !== '') {
      parts.push(entry.kind === 'thinking' ? `(thinking)\n${entry.content}` : entry.content);
    }
  }
  return parts.join('\n');
}

/** One entry by itself, as a summarizer reads it: a call without its result, a result without its call. */
export function renderEntry(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case 'tool_call':
      return renderCall(entry);
    case 'tool_result':
      return renderResult(entry);
    case 'attachment':
      return renderAttachment(entry);
    case 'user':
    case 'assistant':
    case 'thinking':
    case 'system':
    case 'summary':
      return entry.content;
  }
}

function renderCall({ toolName, arguments: value }: ToolCallEntry): string {
  if (!isJsonObject(value)) return `→ ${toolName} ${written(value)}`.trimEnd();
  const fields = Object.entries(value).map(([name, field]) => ({ name, text: written(field) }));
  const isShort = (text: string): boolean => text.length <= INLINE_LIMIT && !text.includes('\n');
  const line = fields
    .filter(({ text }) => isShort(text))
    .map(({ name, text }) => ` ${name}=${text}`);
  const blocks = fields
    .filter(({ text }) => !isShort(text))
    .map(({ name, text }) => `\n${name}:\n${text}`);
  return `→ ${toolName}${line.join('')}${blocks.join('')}`;
}

function written(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function renderResult({ content, isError, exitCode }: ToolResultEntry): string {
  const exit = exitCode === null ? '' : `, exit code ${exitCode}`;
  const head = isError ? `← failed${exit}` : `←${exit.slice(1)}`;
  return content.trim() === '' ? `${head} (empty)` : `${head}\n${content}`;
}

function renderAttachment({ mediaKind, mediaType, bytes }: AttachmentEntry): string {
  const details = [mediaType, bytes === null ? null : `${bytes} bytes`].filter(
    (text) => text !== null,
  );
  return `[${[mediaKind, ...details].join(', ')}]`;
}
