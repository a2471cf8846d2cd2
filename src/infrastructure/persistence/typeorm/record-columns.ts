/**
 * A compression record as the columns of one row, its two lists as parallel arrays. Sizes and stored
 * relevances are not repeated: fragments are immutable, so the record's readers find them there.
 */
import { z } from 'zod';
import { OssatureError } from '../../../domain/kernel/errors.js';
import {
  CAPSULE_REASONS,
  type CapsuleLeftOut,
  type CompressionRecord,
  type RecordedFragment,
} from '../../../domain/skeleton/compression-record.js';
import { plainArray, textArray } from './array-text.js';

export const RECORD_COLUMNS = `record_id, pass, child_plan_id, parent_plan_id, ratio, ratio_origin,
  relevance_source, skeleton_budget, original_tokens, compressed_tokens, kept_fragment_ids,
  kept_relevances, skipped_fragment_ids, skipped_relevances, created_at, capsule_left_out,
  kept_plan_ids, skipped_plan_ids, skipped_reasons`;

const TYPES =
  'text,text,text,text,float8,text,text,int8,int8,int8,text[],float8[],text[],float8[],timestamptz,jsonb'.split(
    ',',
  );

/**
 * The expressions for {@link RECORD_COLUMNS}.
 *
 * @param first number of the parameter that stands for the first of {@link recordValues}.
 */
export function recordExpressions(first: number): string {
  const parameter = (index: number, type: string): string => `$${first + index}::${type}`;
  // Most lists name one plan and one reason; said once, they are repeated by the server.
  const repeated = (index: number, listIndex: number): string =>
    `case when ${parameter(index, 'text')} is null then ${parameter(index + 1, 'text[]')}
      else array_fill(${parameter(index, 'text')},
        array[cardinality(${parameter(listIndex, 'text[]')})]) end`;
  const lists = TYPES.length;
  return [
    ...TYPES.map((type, index) => parameter(index, type)),
    repeated(lists, TYPES.indexOf('text[]')),
    repeated(lists + 2, TYPES.lastIndexOf('text[]')),
    repeated(lists + 4, TYPES.lastIndexOf('text[]')),
  ].join(', ');
}

export function recordValues(record: CompressionRecord): readonly unknown[] {
  const { kept, skipped } = record;
  const isScored = record.relevanceSource === 'goal';
  return [
    record.recordId,
    record.pass,
    record.childPlanId,
    record.parentPlanId,
    record.ratio,
    record.ratioOrigin,
    record.relevanceSource,
    record.skeletonBudget,
    record.originalTokens,
    record.compressedTokens,
    textArray(kept, idOf),
    isScored ? plainArray(kept, relevanceOf) : null,
    textArray(skipped, idOf),
    isScored ? plainArray(skipped, relevanceOf) : null,
    record.createdAt,
    record.capsuleLeftOut === null ? null : JSON.stringify(record.capsuleLeftOut.map(leftOutRow)),
    ...onceOrEach(kept, holderOf),
    ...onceOrEach(skipped, holderOf),
    ...onceOrEach(skipped, ({ reason }) => reason),
  ];
}

const idOf = ({ fragmentId }: RecordedFragment): string => fragmentId;
const relevanceOf = ({ relevance }: RecordedFragment): number => relevance;
const holderOf = ({ planId }: RecordedFragment): string => planId;

const leftOutRow = ({ section, sourceId, tokens, reason }: CapsuleLeftOut) => ({
  section,
  source_id: sourceId,
  tokens,
  reason,
});

const leftOut = z
  .array(
    z.strictObject({
      section: z.enum(['decisions', 'errors', 'artifacts']),
      source_id: z.string(),
      tokens: z.int(),
      reason: z.enum(CAPSULE_REASONS),
    }),
  )
  .nullable();

/** @throws OssatureError STORE_FAILED where the column cannot be read. */
export function toLeftOut(column: unknown, recordId: string): readonly CapsuleLeftOut[] | null {
  const parsed = leftOut.safeParse(column);
  if (parsed.success) {
    return (
      parsed.data?.map(({ source_id: sourceId, ...others }) => ({ ...others, sourceId })) ?? null
    );
  }
  throw new OssatureError(
    'STORE_FAILED',
    `What the capsule of record ${recordId} left out cannot be read: ${z.prettifyError(parsed.error)}`,
    { details: { recordId }, cause: parsed.error },
  );
}

/** A word that all share, or the list of words. */
function onceOrEach<Item>(
  items: readonly Item[],
  wordOf: (item: Item) => string,
): readonly [string | null, string | null] {
  const [first] = items;
  if (first === undefined) return ['', null];
  const word = wordOf(first);
  return items.every((item) => wordOf(item) === word)
    ? [word, null]
    : [null, plainArray(items, wordOf)];
}
