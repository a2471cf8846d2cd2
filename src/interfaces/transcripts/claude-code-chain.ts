/**
 * A first look over a Claude Code session: whose it is, and which branches were rewound. Of most lines
 * only the beginning is read; the chain of parents is read when a rewind was seen.
 */
import type { TranscriptSource } from '../../application/session/transcript-reader.js';
import { isJsonObject, type JsonObject } from '../../domain/redaction/json-value.js';
import { visitLines } from './byte-lines.js';
import { isHarnessRecord, partUserText } from './claude-code-text.js';
import { jsonlParts } from './jsonl-values.js';

export interface ChainSurvey {
  readonly vendorSessionId: string | null;
  /** Every record is a sub-agent's: the file is that agent's own session. */
  readonly isSubAgentFile: boolean;
  /** The session that started this sub-agent, and its name there; null for a session of its own. */
  readonly parent: { readonly vendorSessionId: string; readonly agentName: string } | null;
  /** Where the agent began to work: the root of its project. */
  readonly directory: string | null;
  /** Human prompts that begin a branch which does not lead to the last record. */
  readonly rewoundPrompts: ReadonlySet<string>;
}

/** How the vendor names the agents of its own compaction runs, which are no sessions. */
export const COMPACTION_AGENT = 'acompact';

const SIDECHAIN = /"isSidechain"\s?:\s?(true|false)/;
const TYPE = /"type"\s?:\s?"([^"]*)"/;
const MESSAGE = /"type"\s?:\s?"(?:user|assistant)"/;
const RESULT = '"tool_result"';
const IN_SIDECHAIN = /"isSidechain"\s?:\s?true/;

/** Bytes in which a line says what it is, as this vendor writes it. */
const BEGINNING_BYTES = 1_024;

interface Found {
  sessionId: string | null;
  agentId: string | null;
  directory: string | null;
  hasMain: boolean;
}

export async function surveyChain(source: TranscriptSource): Promise<ChainSurvey> {
  const found: Found = { sessionId: null, agentId: null, directory: null, hasMain: false };
  const promptsByParent = new Map<string, string[]>();
  await visitLines(source.open(), (line) => {
    if (found.sessionId === null && line.includes('"sessionId"')) {
      const record = parseRecord(line);
      found.sessionId = textOf(record?.['sessionId']);
      found.agentId = textOf(record?.['agentId']);
    }
    if (found.directory === null && line.includes('"cwd"')) {
      found.directory = textOf(parseRecord(line)?.['cwd']);
    }
    const { isMain, mayBePrompt } = lookAt(line);
    if (isMain) found.hasMain = true;
    if (!mayBePrompt) return;
    const prompt = parseRecord(line);
    const key = textOf(prompt?.['uuid']);
    const parent = prompt === null ? null : parentOf(prompt);
    if (prompt === null || key === null || parent === null || !isPrompt(prompt)) return;
    const siblings = promptsByParent.get(parent) ?? [];
    if (!siblings.includes(key)) promptsByParent.set(parent, [...siblings, key]);
  });
  const { sessionId, agentId, directory, hasMain } = found;
  const forks = [...promptsByParent.values()].filter(({ length }) => length > 1);
  const isSubAgentFile = !hasMain && agentId !== null && !agentId.startsWith(COMPACTION_AGENT);
  return {
    vendorSessionId:
      isSubAgentFile && sessionId !== null ? `${sessionId}/agent-${agentId}` : sessionId,
    isSubAgentFile,
    parent:
      isSubAgentFile && sessionId !== null && agentId !== null
        ? { vendorSessionId: sessionId, agentName: agentId }
        : null,
    directory,
    rewoundPrompts: forks.length === 0 ? new Set() : await findRewound(source, forks),
  };
}

/** Whether a line is a message of the main chain, and whether a person may have written it. */
function lookAt(line: Buffer): { readonly isMain: boolean; readonly mayBePrompt: boolean } {
  const beginning = line.toString('latin1', 0, BEGINNING_BYTES);
  // Before anything is nested, a field is the record's own.
  const nested = beginning.indexOf('{', beginning.indexOf('{') + 1);
  const own = beginning.slice(0, nested === -1 ? beginning.length : nested);
  const type = TYPE.exec(own)?.[1];
  const sidechain = SIDECHAIN.exec(own)?.[1];
  if (type === undefined || sidechain === undefined) return lookThrough(line);
  const isUser = type === 'user';
  const isMain = sidechain === 'false' && (isUser || type === 'assistant');
  const mayBePrompt =
    isMain && isUser && !beginning.includes(RESULT) && !line.includes(RESULT, BEGINNING_BYTES / 2);
  return { isMain, mayBePrompt };
}

function lookThrough(line: Buffer): ReturnType<typeof lookAt> {
  const text = line.toString('latin1');
  const isSidechain = IN_SIDECHAIN.test(text);
  return {
    isMain: !isSidechain && MESSAGE.test(text),
    mayBePrompt: !isSidechain && text.includes('"user"') && !text.includes(RESULT),
  };
}

/** Where the chain of the last record is broken and leads to no branch of a fork, all stay active. */
async function findRewound(
  source: TranscriptSource,
  forks: readonly (readonly string[])[],
): Promise<ReadonlySet<string>> {
  const parents = new Map<string, string | null>();
  let leaf: string | null = null;
  for await (const parts of jsonlParts(source.open(), source.name)) {
    for (const part of parts) {
      if (part.part !== 'value' || !isJsonObject(part.value)) continue;
      const record = part.value;
      const key = textOf(record['uuid']);
      if (key === null || record['isSidechain'] === true || parents.has(key)) continue;
      parents.set(key, parentOf(record));
      if (record['type'] === 'user' || record['type'] === 'assistant') leaf = key;
    }
  }
  const path = new Set<string>();
  for (let key = leaf; key !== null && !path.has(key); key = parents.get(key) ?? null)
    path.add(key);
  const rewound = forks.flatMap((prompts) =>
    prompts.some((key) => path.has(key)) ? prompts.filter((key) => !path.has(key)) : [],
  );
  return new Set(rewound);
}

export function parentOf(record: JsonObject): string | null {
  return textOf(record['parentUuid']) ?? textOf(record['logicalParentUuid']);
}

function isPrompt(record: JsonObject): boolean {
  const message = record['message'];
  if (record['type'] !== 'user' || record['isCompactSummary'] === true || !isJsonObject(message))
    return false;
  const { content } = message;
  const texts = Array.isArray(content)
    ? content.flatMap((block) => (isJsonObject(block) ? (textOf(block['text']) ?? []) : []))
    : [textOf(content) ?? ''];
  return partUserText(texts, isHarnessRecord(record)).human !== '';
}

function parseRecord(line: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
