/** Sub-agents whose records lie inside the main file: their entries, and the calls that started them. */
import type {
  ChildTranscript,
  TranscriptEvent,
} from '../../application/session/transcript-reader.js';
import { isJsonObject, type JsonObject } from '../../domain/redaction/json-value.js';
import type { TranscriptEntry } from '../../domain/session/transcript.js';
import { beginsWithBrief } from '../../domain/session/spawn-brief.js';
import { COMPACTION_AGENT, parentOf } from './claude-code-chain.js';
import { type KnownCall, recordEntries, recordUsage } from './claude-code-record.js';
import { problemAt } from './jsonl-values.js';
import type { ByteLine } from './byte-lines.js';

interface Child {
  records: number;
  brief: string | null;
  /** Its calls that wait for their results. */
  readonly calls: Map<string, KnownCall>;
}

export class InlineChildren {
  readonly #children = new Map<string, Child>();
  readonly #chains = new Map<string, string>();
  readonly #briefs: { readonly callId: string; readonly brief: string }[] = [];
  /** Calls by the agent that their results name. */
  readonly #named = new Map<string, string>();

  /** @param main the session that started them; null where the file does not name it. */
  constructor(
    private readonly main: string | null,
    private readonly directory: string | null,
  ) {}

  /** A record of a sub-agent. Without an agent id the chain of parents says whose it is. */
  *read(record: JsonObject, recordKey: string, line: ByteLine): Generator<TranscriptEvent> {
    const agentId = this.#ownerOf(record, recordKey);
    if (agentId.startsWith(COMPACTION_AGENT)) {
      this.#childOf(agentId).records += 1;
      const spent = recordUsage(record, recordKey, 'summarizer');
      if (spent !== null) yield spent;
      return;
    }
    const isFirst = !this.#children.has(agentId);
    const child = this.#childOf(agentId);
    child.records += 1;
    if (child.brief === null && record['type'] === 'user') child.brief = firstText(record);
    const tell = (of: TranscriptEvent): TranscriptEvent => ({ event: 'of-child', agentId, of });
    if (isFirst) yield tell(this.#sessionOf(agentId));
    const place = { recordKey, active: true, isSubAgent: true };
    const { entries, skippedAs, problem } = recordEntries(record, place, child.calls);
    if (problem !== null) yield tell({ event: 'problem', problem: problemAt(line, problem) });
    if (skippedAs !== null) yield tell({ event: 'skipped', recordType: skippedAs });
    for (const entry of entries) yield tell({ event: 'entry', entry });
    const usage = recordUsage(record, recordKey);
    if (usage !== null) yield tell(usage);
  }

  /** An entry of the main chain: a call that may have started a sub-agent, or a result that names one. */
  note(entry: TranscriptEntry, detail: unknown): void {
    if (entry.kind === 'tool_call' && entry.spawn !== null) {
      this.#briefs.push({ callId: entry.callId, brief: entry.spawn.brief });
    }
    if (entry.kind !== 'tool_result' || !isJsonObject(detail)) return;
    const agentId = detail['agentId'];
    if (typeof agentId === 'string') this.#named.set(agentId, entry.callId);
  }

  finish(): readonly ChildTranscript[] {
    const taken = new Set(this.#named.values());
    return [...this.#children].map(([agentId, { records, brief }]) => {
      const called = this.#briefs.filter((call) => beginsWithBrief(brief ?? '', call.brief));
      // Of calls with one brief, each starts one sub-agent.
      const started = called.find(({ callId }) => !taken.has(callId)) ?? called[0];
      const callId = this.#named.get(agentId) ?? started?.callId ?? null;
      if (callId !== null) taken.add(callId);
      return {
        agentId,
        records,
        callId,
        kind: agentId.startsWith(COMPACTION_AGENT) ? 'vendor-compaction' : 'sub-agent',
      };
    });
  }

  #ownerOf(record: JsonObject, recordKey: string): string {
    const parent = parentOf(record);
    const agentId = record['agentId'];
    const owner =
      typeof agentId === 'string' ? agentId : ((parent && this.#chains.get(parent)) ?? recordKey);
    this.#chains.set(recordKey, owner);
    return owner;
  }

  #childOf(agentId: string): Child {
    const known = this.#children.get(agentId);
    if (known !== undefined) return known;
    const child = { records: 0, brief: null, calls: new Map<string, KnownCall>() };
    this.#children.set(agentId, child);
    return child;
  }

  #sessionOf(agentId: string): TranscriptEvent {
    const { main, directory } = this;
    return {
      event: 'session',
      vendorSessionId: main === null ? null : childSessionName(main, agentId),
      directory,
      parent: main === null ? null : { vendorSessionId: main, agentName: agentId },
    };
  }
}

/** Equal for a sub-agent inside the file and for one in a file of its own. */
export function childSessionName(main: string, agentId: string): string {
  return `${main}/agent-${agentId}`;
}

function firstText(record: JsonObject): string | null {
  const message = record['message'];
  if (!isJsonObject(message)) return null;
  const { content } = message;
  if (typeof content === 'string') return content;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return isJsonObject(first) && typeof first['text'] === 'string' ? first['text'] : null;
}
