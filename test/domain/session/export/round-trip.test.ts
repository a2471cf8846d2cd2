/** Recorded sessions of Claude Code go out again as the messages they came from. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../../src/domain/redaction/json-value.js';
import { checkAnthropic } from '../../../../src/domain/session/export/check-anthropic.js';
import { selectOutgoing } from '../../../../src/domain/session/export/outgoing-context.js';
import { toAnthropic } from '../../../../src/domain/session/export/to-anthropic.js';
import { isHumanPrompt, type TranscriptEntry } from '../../../../src/domain/session/transcript.js';
import { claudeCodeReader } from '../../../../src/interfaces/transcripts/claude-code-transcript.js';
import { QUARTERS, stored } from '../random-transcript.js';

const FOLDER = path.join(
  process.env['OSSATURE_TRANSCRIPTS'] ?? path.join(process.cwd(), '..', 'shared', 'transcripts'),
  'claude-code',
);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A made sample whose ids were all trimmed to one: it has no order of messages to compare with. */
const WITHOUT_IDS = 'record-types-2.1.80.jsonl';

const FILES = existsSync(FOLDER)
  ? readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'))
  : [];

async function readEntries(file: string): Promise<readonly TranscriptEntry[]> {
  const bytes = readFileSync(path.join(FOLDER, file));
  const text = bytes.toString('utf8');
  const source = {
    name: file,
    head: async () => ({ text: text.slice(0, 65_536), isWhole: text.length <= 65_536 }),
    open: async function* () {
      yield bytes;
    },
  };
  const entries: TranscriptEntry[] = [];
  for await (const event of claudeCodeReader(sha256).read(source)) {
    if (event.event === 'entry') entries.push(event.entry);
  }
  return entries;
}

function exported(entries: readonly TranscriptEntry[]) {
  const { tail } = selectOutgoing(stored(entries), {
    cutSeq: 0,
    leftUnits: new Set(),
    promptAgainSeq: null,
  });
  return toAnthropic(
    { frame: null, summary: null, promptAgain: null, tail, previews: new Map(), stubs: [] },
    { counter: QUARTERS, mediaBytes: () => 'YQ==' },
  );
}

/** Blocks of the main chain as the file holds them, in the order in which their messages begin. */
function recordedBlocks(file: string, role: string): readonly JsonObject[] {
  const messages = new Map<string, JsonObject[]>();
  const seen = new Set<string>();
  const text = readFileSync(path.join(FOLDER, file), 'utf8');
  for (const line of text.split('\n').flatMap(unglued)) {
    if (line.trim() === '') continue;
    const record: unknown = JSON.parse(line);
    if (!isJsonObject(record) || record['type'] !== role || record['isSidechain'] === true)
      continue;
    const { uuid, message } = record;
    if (typeof uuid !== 'string' || !isJsonObject(message)) continue;
    const print = JSON.stringify([uuid, message['content']]);
    if (seen.has(print)) continue;
    seen.add(print);
    const { content, id } = message;
    const blocks = Array.isArray(content)
      ? content.filter(isJsonObject)
      : [{ type: 'text', text: content ?? '' }];
    const key = typeof id === 'string' ? id : uuid;
    messages.set(key, [...(messages.get(key) ?? []), ...blocks]);
  }
  return [...messages.values()].flat();
}

/** Two records on one line, which a parser refuses, as two. */
function unglued(line: string): readonly string[] {
  try {
    JSON.parse(line);
    return [line];
  } catch {
    return line.replaceAll('}{"', '}\n{"').split('\n');
  }
}

/** Two clients wrote one record twice, each with its own order of fields: it is read as two. */
const withoutRepeats = (values: readonly JsonValue[]) =>
  values.filter((value, index) => JSON.stringify(value) !== JSON.stringify(values[index - 1]));

const spoken = (blocks: readonly JsonObject[]) =>
  blocks.flatMap((block): readonly JsonValue[] => {
    if (block['type'] === 'tool_use')
      return [[block['id'] ?? '', block['name'] ?? '', block['input'] ?? {}]];
    const said = block['type'] === 'text' ? block['text'] : '';
    return typeof said === 'string' && said.trim() !== '' ? [said.trimEnd()] : [];
  });

const describeSamples = FILES.length === 0 ? describe.skip : describe;

describeSamples('a recorded session', () => {
  it.each(FILES)('%s goes out as what the assistant said and called, in order', async (file) => {
    const { messages, notes } = exported(await readEntries(file));
    expect(checkAnthropic(messages)).toEqual([]);
    if (file === WITHOUT_IDS) return;
    if (
      notes.some(({ reason }) => reason === 'call-id-rewritten' || reason === 'inactive-left-out')
    )
      return;
    const said = messages
      .filter(({ role }) => role === 'assistant')
      .flatMap(({ content }) => content);
    expect(withoutRepeats(spoken(said))).toEqual(
      withoutRepeats(spoken(recordedBlocks(file, 'assistant'))),
    );
  });

  it.each(FILES)('%s goes out with every result under its call, word for word', async (file) => {
    const { messages, notes } = exported(await readEntries(file));
    const sent = new Map(
      messages
        .flatMap(({ content }) => content)
        .filter(({ type }) => type === 'tool_result')
        .map((block) => [block['tool_use_id'], block]),
    );
    const unpaired = notes.filter(
      ({ reason }) =>
        reason === 'result-without-call' ||
        reason === 'results-joined' ||
        reason === 'inactive-left-out',
    );
    if (unpaired.length > 0) return;
    for (const block of recordedBlocks(file, 'user')) {
      const { type, tool_use_id: callId, content } = block;
      if (type !== 'tool_result' || typeof content !== 'string' || content.trim() === '') continue;
      const shown = sent.get(callId)?.['content'];
      // The client appends reminders to results; they go out as texts of their own.
      expect(typeof shown === 'string' && content.startsWith(shown)).toBe(true);
    }
  });

  it.each(FILES)('%s goes out with every human prompt word for word, in order', async (file) => {
    const entries = await readEntries(file);
    const { messages } = exported(entries);
    const texts = messages.flatMap(({ role, content }) => (role === 'user' ? content : []));
    const sent = texts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
    const prompts = entries.filter((entry) => entry.active && isHumanPrompt(entry));
    let from = 0;
    for (const { content } of prompts) {
      const at = sent.indexOf(content, from);
      expect(at).toBeGreaterThanOrEqual(from);
      from = at + 1;
    }
  });
});
