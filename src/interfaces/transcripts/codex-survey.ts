/**
 * A first look over a rollout of Codex: whose it is, which texts a person typed, and how commands
 * ended. Most lines are only searched, not parsed.
 */
import type { TranscriptSource } from '../../application/session/transcript-reader.js';
import type { Digest } from '../../domain/kernel/measures.js';
import { isJsonObject, type JsonObject } from '../../domain/redaction/json-value.js';
import { rawLines, utf8Text } from './byte-lines.js';
import { nameOf, objectOf, parseJson, textOf } from './json-fields.js';

/** How a command ended, as the client says beside its output. */
export interface CommandEnding {
  readonly exitCode: number | null;
  readonly directory: string | null;
  /** Such as `completed`, `failed` or `declined`. */
  readonly status: string | null;
}

export interface RolloutSurvey {
  readonly vendorSessionId: string | null;
  /** Where the agent began to work. */
  readonly directory: string | null;
  /** The thread that started this one, and what it called it; null for one that a person started. */
  readonly parent: { readonly vendorSessionId: string; readonly agentName: string } | null;
  /** The rollout is a sub-agent's: its prompts come from the agent that called it. */
  readonly isSubAgent: boolean;
  readonly prompts: TypedPrompts;
  /** By call. */
  readonly endings: ReadonlyMap<string, CommandEnding>;
  /** The conversation itself says where a turn was aborted. */
  readonly tellsAborts: boolean;
}

const SEARCHED = /"(?:session_meta|user_message|exec_command_end|instructions)"/;

export async function surveyRollout(
  source: TranscriptSource,
  digest: Digest,
): Promise<RolloutSurvey> {
  let meta: JsonObject | null = null;
  const prompts = new TypedPrompts(digest);
  const endings = new Map<string, CommandEnding>();
  let directory: string | null = null;
  let tellsAborts = false;
  for await (const { text: raw, number } of rawLines(source.open())) {
    if (raw === null) continue;
    if (!tellsAborts && raw.includes('<turn_aborted>')) tellsAborts = true;
    const mayTellDirectory = directory === null && raw.includes('"cwd"');
    if (!mayTellDirectory && !SEARCHED.test(raw)) continue;
    const record = parseJson(utf8Text(raw));
    if (!isJsonObject(record)) continue;
    const payload = objectOf(record['payload']);
    meta ??= metaOf(record);
    if (SETTINGS.has(nameOf(record['type']) ?? '')) directory ??= nameOf(payload['cwd']);
    if (record['type'] !== 'event_msg') continue;
    if (payload['type'] === 'user_message') prompts.add(textOf(payload['message']) ?? '', number);
    const callId = nameOf(payload['call_id']);
    if (payload['type'] === 'exec_command_end' && callId !== null) {
      const { exit_code: exitCode, cwd, status } = payload;
      endings.set(callId, {
        exitCode: typeof exitCode === 'number' && Number.isInteger(exitCode) ? exitCode : null,
        directory: nameOf(cwd),
        status: nameOf(status),
      });
    }
  }
  const isSubAgent = 'subagent' in objectOf(meta?.['source']);
  return {
    vendorSessionId: nameOf(meta?.['id']) ?? nameOf(meta?.['session_id']),
    directory,
    parent: isSubAgent ? parentOf(meta) : null,
    isSubAgent,
    prompts,
    endings,
    tellsAborts,
  };
}

/** Records that say where the agent works. */
const SETTINGS = new Set(['session_meta', 'turn_context']);

function parentOf(meta: JsonObject | null): RolloutSurvey['parent'] {
  const spawned = objectOf(objectOf(objectOf(meta?.['source'])['subagent'])['thread_spawn']);
  const vendorSessionId = nameOf(spawned['parent_thread_id'] ?? meta?.['parent_thread_id']);
  if (vendorSessionId === null) return null;
  const named = nameOf(meta?.['agent_nickname']) ?? nameOf(spawned['agent_nickname']);
  return { vendorSessionId, agentName: named ?? nameOf(meta?.['id']) ?? 'sub-agent' };
}

/** What a rollout says of its session. Older files have it without an envelope, as their first line. */
export function metaOf(record: JsonObject): JsonObject | null {
  if (record['type'] === 'session_meta') return objectOf(record['payload']);
  const isBare = !('type' in record) && !('role' in record) && 'instructions' in record;
  return isBare && nameOf(record['id']) !== null ? record : null;
}

/** Hexadecimal digits of a digest by which texts are compared. */
const COMPARED_DIGITS = 12;

/** Texts of which the client says that a person typed them. */
export class TypedPrompts {
  readonly #prints = new Set<number>();
  #lastLine = 0;

  constructor(private readonly digest: Digest) {}

  add(text: string, line: number): void {
    this.#prints.add(this.#print(text));
    this.#lastLine = line;
  }

  /** Null: the file says nothing of texts in this line, for it is older, or ends before it could. */
  includes(texts: readonly string[], line: number): boolean | null {
    if (line > this.#lastLine) return null;
    return [...texts, texts.join('\n\n')].some((text) => this.#prints.has(this.#print(text)));
  }

  #print(text: string): number {
    return Number.parseInt(this.digest(text.trim()).slice(0, COMPARED_DIGITS), 16);
  }
}
