/**
 * A first look over a Claude Code session: whose it is, and which branches were rewound. Most lines
 * are only searched, not parsed; the chain of parents is read when a rewind was seen.
 */
import type { TranscriptSource } from '../../application/session/transcript-reader.js';
import { isJsonObject, type JsonObject } from '../../domain/redaction/json-value.js';
import { rawLines, utf8Text } from './byte-lines.js';
import { isHarnessRecord, partUserText } from './claude-code-text.js';
import { jsonlValues } from './jsonl-values.js';

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

const SIDECHAIN = /"isSidechain"\s?:\s?true/;
const MESSAGE = /"type"\s?:\s?"(?:user|assistant)"/;

export async function surveyChain(source: TranscriptSource): Promise<ChainSurvey> {
  let sessionId: string | null = null;
  let agentId: string | null = null;
  let directory: string | null = null;
  let hasMain = false;
  const promptsByParent = new Map<string, string[]>();
  for await (const { text } of rawLines(source.open())) {
    if (text === null) continue;
    if (sessionId === null && text.includes('"sessionId"')) {
      const record = parseRecord(utf8Text(text));
      sessionId = textOf(record?.['sessionId']);
      agentId = textOf(record?.['agentId']);
    }
    if (directory === null && text.includes('"cwd"')) {
      directory = textOf(parseRecord(utf8Text(text))?.['cwd']);
    }
    if (!hasMain && MESSAGE.test(text) && !SIDECHAIN.test(text)) hasMain = true;
    if (!text.includes('"user"') || text.includes('"tool_result"') || SIDECHAIN.test(text))
      continue;
    const prompt = parseRecord(utf8Text(text));
    const key = textOf(prompt?.['uuid']);
    const parent = prompt === null ? null : parentOf(prompt);
    if (prompt === null || key === null || parent === null || !isPrompt(prompt)) continue;
    const siblings = promptsByParent.get(parent) ?? [];
    if (!siblings.includes(key)) promptsByParent.set(parent, [...siblings, key]);
  }
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

/** Where the chain of the last record is broken and leads to no branch of a fork, all stay active. */
async function findRewound(
  source: TranscriptSource,
  forks: readonly (readonly string[])[],
): Promise<ReadonlySet<string>> {
  const parents = new Map<string, string | null>();
  let leaf: string | null = null;
  for await (const part of jsonlValues(source.open(), source.name)) {
    if (part.part !== 'value' || !isJsonObject(part.value)) continue;
    const record = part.value;
    const key = textOf(record['uuid']);
    if (key === null || record['isSidechain'] === true || parents.has(key)) continue;
    parents.set(key, parentOf(record));
    if (record['type'] === 'user' || record['type'] === 'assistant') leaf = key;
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

function parseRecord(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
