/** Sub-agents whose records lie inside the main file, counted and linked to the calls that started them. */
import type { ChildTranscript } from '../../application/session/transcript-reader.js';
import { isJsonObject, type JsonObject } from '../../domain/redaction/json-value.js';
import type { TranscriptEntry } from '../../domain/session/transcript.js';
import { COMPACTION_AGENT, parentOf } from './claude-code-chain.js';

interface Child {
  records: number;
  brief: string | null;
  callId: string | null;
}

/** UTF-16 units of a brief that are compared. */
const COMPARED = 500;

export class ChildTally {
  readonly #children = new Map<string, Child>();
  readonly #chains = new Map<string, string>();
  readonly #briefs: { readonly callId: string; readonly start: string }[] = [];

  /** A record of a sub-agent. Without an agent id the chain of parents says whose it is. */
  add(record: JsonObject, recordKey: string): void {
    const parent = parentOf(record);
    const agentId = record['agentId'];
    const owner =
      typeof agentId === 'string' ? agentId : ((parent && this.#chains.get(parent)) ?? recordKey);
    this.#chains.set(recordKey, owner);
    const child = this.#children.get(owner) ?? { records: 0, brief: null, callId: null };
    this.#children.set(owner, child);
    child.records += 1;
    if (child.brief === null && record['type'] === 'user') child.brief = firstText(record);
  }

  /** An entry of the main chain: a call that may have started a sub-agent, or a result that names one. */
  note(entry: TranscriptEntry, detail: unknown): void {
    if (entry.kind === 'tool_call' && entry.spawn !== null) {
      this.#briefs.push({
        callId: entry.callId,
        start: entry.spawn.brief.slice(0, COMPARED).trim(),
      });
    }
    if (entry.kind !== 'tool_result' || !isJsonObject(detail)) return;
    const agentId = detail['agentId'];
    const child = typeof agentId === 'string' ? this.#children.get(agentId) : undefined;
    if (child !== undefined) child.callId = entry.callId;
  }

  finish(): readonly ChildTranscript[] {
    return [...this.#children].map(([agentId, { records, brief, callId }]) => {
      const start = brief?.slice(0, COMPARED).trim() ?? '';
      const started = this.#briefs.find((call) => start !== '' && call.start === start);
      return {
        agentId,
        records,
        callId: callId ?? started?.callId ?? null,
        kind: agentId.startsWith(COMPACTION_AGENT) ? 'vendor-compaction' : 'sub-agent',
      };
    });
  }
}

function firstText(record: JsonObject): string | null {
  const message = record['message'];
  if (!isJsonObject(message)) return null;
  const { content } = message;
  if (typeof content === 'string') return content;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return isJsonObject(first) && typeof first['text'] === 'string' ? first['text'] : null;
}
