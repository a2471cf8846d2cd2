/** Items, cycles and attempts as the columns of rows. JSON is checked on the way out. */
import { z } from 'zod';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { GATE_CODES } from '../../../domain/session/summary/gate-input.js';
import {
  type SessionAttempt,
  type SessionCycle,
  SUMMARIZER_FAULTS,
} from '../../../domain/session/summary/session-cycle.js';
import type { ExpansionRecord } from '../../../domain/session/summary/summary-repository.js';
import type { SummaryItem } from '../../../domain/session/summary/summary-item.js';
import type { Columns } from './recordset-columns.js';

export const ITEM_COLUMNS: Columns<SummaryItem> = {
  item_no: ['integer', 'itemNo'],
  item_id: ['text', 'itemId'],
  section: ['text', 'section'],
  text: ['text', 'text'],
  refs: ['jsonb', 'refs'],
  identity_key: ['text', 'identityKey'],
  state: ['text', 'state'],
  superseded_by: ['integer', 'supersededBy'],
  archived: ['boolean', 'archived'],
  pinned: ['boolean', 'pinned'],
  text_hash: ['text', 'textHash'],
  cycle_created: ['integer', 'cycleCreated'],
  cycle_changed: ['integer', 'cycleChanged'],
  version: ['integer', 'version'],
  source_entry_ids: ['text[]', 'sourceEntryIds'],
  last_source_seq: ['integer', 'lastSourceSeq'],
  span_hash: ['text', 'spanHash'],
  producer: ['text', 'producer'],
};

export const CYCLE_COLUMNS: Columns<SessionCycle> = {
  cycle: ['integer', 'cycle'],
  revision: ['integer', 'revision'],
  attempt_id: ['text', 'attemptId'],
  state: ['text', 'state'],
  last_seq: ['integer', 'lastSeq'],
  cut_seq: ['integer', 'cutSeq'],
  span: ['jsonb', 'span'],
  span_hash: ['text', 'spanHash'],
  previews: ['jsonb', 'previews'],
  strategy: ['text', 'strategy'],
  stubs: ['jsonb', 'stubs'],
  blob: ['jsonb', 'blob'],
  replaces: ['integer[]', 'replaces'],
  prompt_again_seq: ['integer', 'promptAgainSeq'],
  tokens_before: ['bigint', 'tokensBefore'],
  tokens_after: ['bigint', 'tokensAfter'],
  target_tokens: ['bigint', 'targetTokens'],
  floor_tokens: ['bigint', 'floorTokens'],
  created_at: ['timestamptz', 'createdAt'],
};

export const ATTEMPT_COLUMNS: Columns<SessionAttempt> = {
  attempt_id: ['text', 'attemptId'],
  fallback_of: ['text', 'fallbackOf'],
  from_revision: ['integer', 'fromRevision'],
  trigger: ['text', 'trigger'],
  strategy: ['text', 'strategy'],
  producer: ['text', 'producer'],
  last_seq: ['integer', 'lastSeq'],
  span: ['jsonb', 'span'],
  fingerprint: ['text', 'fingerprint'],
  tokens_before: ['bigint', 'tokensBefore'],
  tokens_after: ['bigint', 'tokensAfter'],
  target_tokens: ['bigint', 'targetTokens'],
  floor_tokens: ['bigint', 'floorTokens'],
  model_calls: ['jsonb', 'modelCalls'],
  lease_until: ['timestamptz', 'leaseUntil'],
  outcome: ['text', 'outcome'],
  reasons: ['jsonb', 'reasons'],
  checks: ['jsonb', 'checks'],
  started_at: ['timestamptz', 'startedAt'],
  finished_at: ['timestamptz', 'finishedAt'],
};

export const EXPANSION_COLUMNS: Columns<ExpansionRecord> = {
  expansion_id: ['text', 'expansionId'],
  handle: ['text', 'handle'],
  cycle: ['integer', 'cycle'],
  entries: ['integer', 'entries'],
  tokens: ['bigint', 'tokens'],
  expanded_at: ['timestamptz', 'expandedAt'],
};

const span = z.array(z.strictObject({ from: z.int(), to: z.int() }));
const outcome = z.enum(['passed', 'failed', 'not-applicable']);
const item = z.object({
  refs: z.array(
    z.strictObject({
      kind: z.enum(['path', 'symbol', 'hash', 'code', 'number', 'command', 'url']),
      text: z.string(),
    }),
  ),
});
const cycle = z.object({
  span,
  previews: z.array(z.strictObject({ seq: z.int(), characters: z.int() })),
  stubs: z.array(
    z.strictObject({
      seq: z.int(),
      lastSeq: z.int(),
      unitId: z.string(),
      turn: z.int(),
      kind: z.string(),
      text: z.string(),
    }),
  ),
  blob: z
    .strictObject({
      provider: z.string(),
      format: z.string(),
      payload: z.string(),
      tokens: z.int(),
      expiresAt: z.string().nullable(),
      inspectable: z.literal(false),
      probeableOffline: z.literal(false),
      portable: z.literal(false),
    })
    .nullable(),
});
const tokens = z.int().nonnegative();
const attempt = z.object({
  span,
  modelCalls: z.array(
    z.strictObject({
      window: z.int(),
      answer: z.enum(['taken', 'invalid', 'failed']),
      usage: z
        .strictObject({
          uncachedInputTokens: tokens,
          cachedInputTokens: tokens,
          outputTokens: tokens,
        })
        .nullable(),
      requestTokens: tokens,
      elapsedMs: z.number().nonnegative(),
    }),
  ),
  reasons: z.array(
    z.strictObject({
      code: z.enum([
        ...GATE_CODES,
        'review',
        ...SUMMARIZER_FAULTS,
        'floor-over-budget',
        'cancelled',
        'error',
      ]),
      itemNo: z.int().nullable(),
      reason: z.string(),
    }),
  ),
  checks: z.record(z.enum(GATE_CODES), outcome).nullable(),
});

export const toItem = (row: SummaryItem): SummaryItem => checked(row, item, `item #${row.itemNo}`);
export const toCycle = (row: SessionCycle): SessionCycle =>
  checked(row, cycle, `cycle ${row.cycle}`);
export const toAttempt = (row: SessionAttempt): SessionAttempt =>
  checked(row, attempt, `attempt ${row.attemptId}`);

function checked<Value extends object>(row: Value, shape: z.ZodType, what: string): Value {
  const parsed = shape.safeParse(row);
  if (parsed.success) return row;
  throw new OssatureError(
    'STORE_FAILED',
    `The row of ${what} cannot be read: ${z.prettifyError(parsed.error)}`,
    { details: { row: what }, cause: parsed.error },
  );
}
