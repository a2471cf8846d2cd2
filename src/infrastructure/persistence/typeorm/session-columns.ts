/** Sessions and their entries as the columns of rows. JSON is checked on the way out. */
import { z } from 'zod';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { JsonObject, JsonValue } from '../../../domain/redaction/json-value.js';
import type { Session, SessionEntry } from '../../../domain/session/session.js';
import type { EntryAuthor, TranscriptEntry } from '../../../domain/session/transcript.js';

export const SESSION_COLUMNS = `tenant_id, session_id, project_id, plan_id, parent_session_id,
  parent_entry_id, agent_name, vendor, vendor_session_id, model, project_root, counter_name,
  counter_version, settings, cycle, revision, last_seq, last_turn, created_at, updated_at`;

export const SESSION_FIELDS = `tenant_id as "tenantId", session_id as "sessionId",
  project_id as "projectId", plan_id as "planId", parent_session_id as "parentSessionId",
  parent_entry_id as "parentEntryId", agent_name as "agentName", vendor,
  vendor_session_id as "vendorSessionId", model, project_root as "projectRoot",
  counter_name as "counterName", counter_version as "counterVersion", settings, cycle, revision,
  last_seq as "lastSeq", last_turn as "lastTurn", created_at as "createdAt",
  updated_at as "updatedAt"`;

export function sessionValues(session: Session): readonly unknown[] {
  return [
    session.tenantId,
    session.sessionId,
    session.projectId,
    session.planId,
    session.parentSessionId,
    session.parentEntryId,
    session.agentName,
    session.vendor,
    session.vendorSessionId,
    session.model,
    session.projectRoot,
    session.counterName,
    session.counterVersion,
    JSON.stringify(session.settings),
    session.cycle,
    session.revision,
    session.lastSeq,
    session.lastTurn,
    session.createdAt,
    session.updatedAt,
  ];
}

/** Columns of an entry as `json_to_recordset` reads them, with their types. */
export const ENTRY_TYPES = {
  seq: 'integer',
  entry_id: 'text',
  kind: 'text',
  author: 'text',
  unit_id: 'text',
  turn: 'integer',
  content_hash: 'text',
  entry_print: 'text',
  token_count: 'bigint',
  source_key: 'text',
  message_key: 'text',
  call_id: 'text',
  active: 'boolean',
  occurred_at: 'text',
  media_hash: 'text',
  fields: 'text',
} as const;

export const ENTRY_FIELDS = `e.seq, e.entry_id as "entryId", e.kind, e.author, e.unit_id as "unitId",
  e.turn, e.content_hash as "contentHash", e.entry_print as "entryPrint",
  coalesce(k.token_count, e.token_count) as "tokenCount", e.source_key as "sourceKey", e.message_key as "messageKey",
  e.call_id as "callId", e.active, e.occurred_at as "occurredAt", e.media_hash as "mediaHash",
  e.fields, c.content`;

/** Fields of every entry; what a kind has beside them stands in `fields`. */
interface CommonRow {
  readonly seq: number;
  readonly entryId: string;
  readonly kind: TranscriptEntry['kind'];
  readonly author: EntryAuthor;
  readonly unitId: string;
  readonly turn: number;
  readonly contentHash: string;
  readonly entryPrint: string;
  readonly tokenCount: number;
  readonly sourceKey: string;
  readonly messageKey: string | null;
  readonly active: boolean;
  readonly occurredAt: string | null;
  readonly content: string;
}

export type StoredRow = CommonRow & {
  readonly callId: string | null;
  readonly mediaHash: string | null;
  readonly fields: string;
};

export function entryRow(entry: SessionEntry): Readonly<Record<keyof typeof ENTRY_TYPES, unknown>> {
  return {
    seq: entry.seq,
    entry_id: entry.entryId,
    kind: entry.kind,
    author: entry.author,
    unit_id: entry.unitId,
    turn: entry.turn,
    content_hash: entry.contentHash,
    entry_print: entry.entryPrint,
    token_count: entry.tokenCount,
    source_key: entry.sourceKey,
    message_key: entry.messageKey,
    call_id: 'callId' in entry ? entry.callId : null,
    active: entry.active,
    occurred_at: entry.occurredAt,
    media_hash: entry.kind === 'attachment' ? (entry.mediaHash ?? null) : null,
    fields: JSON.stringify(fieldsOf(entry)),
  };
}

function fieldsOf(entry: SessionEntry): JsonObject {
  const { model, vendor } = entry;
  return {
    ...ownFieldsOf(entry),
    ...(model !== undefined && { model }),
    ...(vendor !== undefined && { vendor }),
  };
}

function ownFieldsOf(entry: SessionEntry): JsonObject {
  switch (entry.kind) {
    case 'user':
    case 'assistant':
    case 'thinking': {
      const { finishReason } = entry;
      return finishReason === undefined ? {} : { finishReason };
    }
    case 'tool_call':
      return {
        toolName: entry.toolName,
        arguments: entry.arguments,
        effect: entry.effect,
        spawn: entry.spawn,
      };
    case 'tool_result':
      return {
        isError: entry.isError,
        exitCode: entry.exitCode,
        ruling: entry.ruling as JsonValue,
        ...(entry.detail !== undefined && { detail: entry.detail }),
      };
    case 'system':
      return { boundary: entry.boundary };
    case 'summary':
      return { origin: entry.origin };
    case 'attachment':
      return {
        mediaKind: entry.mediaKind,
        mediaType: entry.mediaType,
        bytes: entry.bytes,
        ...(entry.width !== undefined && { width: entry.width }),
        ...(entry.height !== undefined && { height: entry.height }),
        ...(entry.pages !== undefined && { pages: entry.pages }),
        ...(entry.durationMs !== undefined && { durationMs: entry.durationMs }),
      };
  }
}

/** What `JSON.parse` has read is JSON; to look through it again costs more than all else. */
const json = z.custom<JsonValue>((value) => value !== undefined);
const ruling = z.discriminatedUnion('ruling', [
  z.strictObject({
    ruling: z.literal('plan-approved'),
    plan: z.string(),
    remark: z.string().nullable(),
  }),
  z.strictObject({ ruling: z.literal('plan-sent-back'), remark: z.string().nullable() }),
  z.strictObject({
    ruling: z.literal('answered'),
    answers: z.array(
      z.strictObject({
        question: z.string(),
        answer: z.string(),
        notTaken: z.array(z.string()),
      }),
    ),
  }),
]);

const common = {
  model: z.string().exactOptional(),
  vendor: z.record(z.string(), json).exactOptional(),
};
const said = z.strictObject({ ...common, finishReason: z.string().exactOptional() });
const measure = z.number().exactOptional();
const FIELDS = {
  user: said,
  assistant: said,
  thinking: said,
  tool_call: z.strictObject({
    ...common,
    toolName: z.string(),
    arguments: json,
    effect: z.enum(['changes', 'reads', 'other']),
    spawn: z.strictObject({ brief: z.string(), agentName: z.string() }).nullable(),
  }),
  tool_result: z.strictObject({
    ...common,
    isError: z.boolean(),
    exitCode: z.number().nullable(),
    ruling: ruling.nullable(),
    detail: json.exactOptional(),
  }),
  system: z.strictObject({ ...common, boundary: z.boolean() }),
  summary: z.strictObject({ ...common, origin: z.literal('vendor') }),
  attachment: z.strictObject({
    ...common,
    width: measure,
    height: measure,
    pages: measure,
    durationMs: measure,
    mediaKind: z.enum(['image', 'pdf', 'audio', 'video', 'file']),
    mediaType: z.string().nullable(),
    bytes: z.number().nullable(),
  }),
};

/** Common fields one by one, and no spreads: sessions are read by the hundred thousand entries. */
export function toEntry(row: StoredRow): SessionEntry {
  const parsed = FIELDS[row.kind].safeParse(parseJson(row.fields));
  if (!parsed.success) {
    throw new OssatureError(
      'STORE_FAILED',
      `The fields of entry ${row.entryId} cannot be read: ${z.prettifyError(parsed.error)}`,
      { details: { entryId: row.entryId, column: 'fields' }, cause: parsed.error },
    );
  }
  const common: CommonRow = {
    seq: row.seq,
    entryId: row.entryId,
    kind: row.kind,
    author: row.author,
    unitId: row.unitId,
    turn: row.turn,
    contentHash: row.contentHash,
    entryPrint: row.entryPrint,
    tokenCount: row.tokenCount,
    sourceKey: row.sourceKey,
    messageKey: row.messageKey,
    active: row.active,
    occurredAt: row.occurredAt,
    content: row.content,
  };
  const hasCallId = ['tool_call', 'tool_result', 'attachment'].includes(row.kind);
  const callId = hasCallId ? { callId: row.callId } : null;
  const media = row.mediaHash === null ? null : { mediaHash: row.mediaHash };
  return Object.assign(common, callId, media, parsed.data) as SessionEntry;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
