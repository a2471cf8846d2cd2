/**
 * Sessions of Claude Code: JSONL, one record a line. Records of the main chain become entries;
 * sub-agents inside the file are counted and named; everything else is skipped by type.
 */
import type {
  TranscriptEvent,
  TranscriptHead,
  TranscriptProblem,
  TranscriptReader,
  TranscriptSource,
} from '../../application/session/transcript-reader.js';
import type { Digest } from '../../domain/kernel/measures.js';
import { TextNumbers } from '../../domain/kernel/text-set.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { parentOf, surveyChain } from './claude-code-chain.js';
import { InlineChildren } from './claude-code-children.js';
import { type KnownCall, recordEntries, recordUsage } from './claude-code-record.js';
import { isNestedTooDeep } from './json-fields.js';
import { contentPrint } from './content-print.js';
import { jsonlParts, problemAt } from './jsonl-values.js';

export const CLAUDE_CODE = 'claude-code';

/** To be changed when a file gives other events than before. */
const VERSION = '2';

/** @param digest names records that have no id of their own. */
export function claudeCodeReader(digest: Digest): TranscriptReader {
  return { name: CLAUDE_CODE, version: VERSION, detect, read: (source) => read(source, digest) };
}

/** A line of the head that is cut, or the only one, is judged by the names of its fields. */
function detect({ text, isWhole }: TranscriptHead): boolean {
  const lines = text.split('\n');
  const whole = isWhole ? lines : lines.slice(0, -1);
  const records = whole.flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown];
    } catch {
      return [];
    }
  });
  if (records.some(isOwnRecord)) return true;
  const cut = isWhole ? '' : (lines.at(-1) ?? '');
  return (
    /^\s*\{/.test(cut) && cut.includes('"sessionId":') && /"(?:parentUuid|isSidechain)":/.test(cut)
  );
}

function isOwnRecord(record: unknown): boolean {
  if (!isJsonObject(record) || typeof record['type'] !== 'string') return false;
  if ('uuid' in record && 'parentUuid' in record && 'sessionId' in record) return true;
  return (
    (record['type'] === 'summary' && 'leafUuid' in record) ||
    (record['type'] === 'file-history-snapshot' && 'snapshot' in record)
  );
}

async function* read(source: TranscriptSource, digest: Digest): AsyncGenerator<TranscriptEvent> {
  const { vendorSessionId, isSubAgentFile, rewoundPrompts, ...survey } = await surveyChain(source);
  const { directory, parent } = survey;
  yield { event: 'session', vendorSessionId, directory, parent };
  const keys = new RecordKeys(digest);
  const children = new InlineChildren(vendorSessionId, directory);
  const calls = new Map<string, KnownCall>();
  const inactive = new Set<string>();

  for await (const parts of jsonlParts(source.open(), source.name)) {
    for (const part of parts) {
      if (part.part === 'problem') {
        yield { event: 'problem', problem: part.problem };
        continue;
      }
      if (part.part === 'end') {
        for (const child of children.finish()) {
          yield { event: 'child', child };
          if (child.callId === null && child.kind === 'sub-agent')
            yield { event: 'problem', problem: unlinked(child.agentId) };
        }
        yield { event: 'end', lines: part.lines, bytes: part.bytes };
        return;
      }
      const { value: record, line, raw } = part;
      if (!isJsonObject(record) || isNestedTooDeep(record)) {
        yield { event: 'problem', problem: problemAt(line, 'bad-shape') };
        continue;
      }
      const { recordKey, state } = keys.take(record, raw);
      if (state === 'repeated') {
        yield { event: 'repeated' };
        continue;
      }
      if (state === 'reused') {
        yield { event: 'problem', problem: problemAt(line, 'key-reused', [recordKey]) };
      }
      if (record['isSidechain'] === true && !isSubAgentFile) {
        for (const event of children.read(record, recordKey, line)) yield event;
        continue;
      }
      const isRewound = rewoundPrompts.has(recordKey) || inactive.has(parentOf(record) ?? '');
      if (isRewound) inactive.add(recordKey);
      const place = { recordKey, active: !isRewound, isSubAgent: isSubAgentFile };
      const { entries, skippedAs, problem } = recordEntries(record, place, calls);
      if (problem !== null) yield { event: 'problem', problem: problemAt(line, problem) };
      if (skippedAs !== null) yield { event: 'skipped', recordType: skippedAs };
      for (const entry of entries) {
        children.note(entry, record['toolUseResult']);
        yield { event: 'entry', entry };
      }
      const usage = recordUsage(record, recordKey);
      if (usage !== null) yield usage;
    }
  }
}

function unlinked(agentId: string): TranscriptProblem {
  return {
    reason: 'sub-agent-unlinked',
    line: null,
    byteOffset: null,
    length: null,
    ids: [agentId],
  };
}

/** Record types that may become entries; others need no key. */
const KEYED = new Set(['user', 'assistant', 'system', 'attachment']);

type KeyState = 'new' | 'repeated' | 'reused';

/** Keys of records: the vendor's, or a digest with its occurrence number where there is none. */
class RecordKeys {
  readonly #first = new TextNumbers();
  readonly #further = new Set<string>();
  readonly #counts = new TextNumbers();

  constructor(private readonly digest: Digest) {}

  take(record: JsonObject, raw: string): { readonly recordKey: string; readonly state: KeyState } {
    const { uuid, type } = record;
    if (typeof type !== 'string' || !KEYED.has(type)) return { recordKey: '', state: 'new' };
    if (typeof uuid !== 'string' || uuid === '') {
      return { recordKey: this.#numbered(this.digest(raw).slice(0, 32)), state: 'new' };
    }
    const print = contentPrint(saidBy(record));
    const first = this.#first.get(uuid);
    if (first === undefined) {
      this.#first.set(uuid, print);
      return { recordKey: uuid, state: 'new' };
    }
    if (first === print || this.#further.has(`${uuid} ${print}`)) {
      return { recordKey: uuid, state: 'repeated' };
    }
    this.#further.add(`${uuid} ${print}`);
    return { recordKey: this.#numbered(`${uuid}~`), state: 'reused' };
  }

  #numbered(name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${name}${count}`;
  }
}

/** What is measured about a message (usage, reason of its end) is not said by it. */
function saidBy({ type, message, attachment, content }: JsonObject): JsonValue {
  const said = isJsonObject(message)
    ? [message['id'] ?? null, message['content'] ?? null]
    : (message ?? null);
  return [type ?? null, said ?? attachment ?? content ?? null];
}
