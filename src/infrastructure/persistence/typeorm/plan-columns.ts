/** A plan as the columns of one row. JSON is checked on the way out. */
import { z } from 'zod';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { isUlid } from '../../../domain/kernel/ids.js';
import type { Plan } from '../../../domain/plan/plan.js';
import { freezeMetadata } from '../../../domain/skeleton/skeleton-metadata.js';

export const PLAN_COLUMNS = `plan_id, project_id, parent_plan_id, root_plan_id, depth, name, goal, phase, state,
  reversions, skeleton_ratio, skeleton_metadata, idempotency_key, version, created_at, updated_at`;

const TYPES =
  'text,text,text,text,int4,text,text,text,text,int4,float8,jsonb,text,int4,timestamptz,timestamptz'.split(
    ',',
  );

/** The expressions for {@link PLAN_COLUMNS}; parameter `first` stands for the first of {@link planValues}. */
export function planExpressions(first: number): readonly string[] {
  return TYPES.map((type, index) => `$${first + index}::${type}`);
}

/** The columns under the names of the domain's fields. */
export const planFields = (alias: string): string => `${alias}.plan_id as "planId",
  ${alias}.project_id as "projectId", ${alias}.parent_plan_id as "parentPlanId",
  ${alias}.root_plan_id as "rootPlanId", ${alias}.depth, ${alias}.name, ${alias}.goal,
  ${alias}.phase, ${alias}.state, ${alias}.reversions, ${alias}.skeleton_ratio as "skeletonRatio",
  ${alias}.skeleton_metadata as "skeletonMetadata", ${alias}.idempotency_key as "idempotencyKey",
  ${alias}.version, ${alias}.created_at as "createdAt", ${alias}.updated_at as "updatedAt"`;

const storedMetadata = z.strictObject({
  ratio: z.number().min(0).max(1),
  original_tokens: z.int().min(0),
  compressed_tokens: z.int().min(0),
  source_decision_ids: z.array(z.custom<string>(isUlid, 'must be ULIDs')),
});

export type StoredPlan = Omit<Plan, 'skeletonMetadata'> & { readonly skeletonMetadata: unknown };

export function planValues(plan: Plan): readonly unknown[] {
  const metadata = plan.skeletonMetadata;
  return [
    plan.planId,
    plan.projectId,
    plan.parentPlanId,
    plan.rootPlanId,
    plan.depth,
    plan.name,
    plan.goal,
    plan.phase,
    plan.state,
    plan.reversions,
    plan.skeletonRatio,
    metadata &&
      JSON.stringify({
        ratio: metadata.ratio,
        original_tokens: metadata.originalTokens,
        compressed_tokens: metadata.compressedTokens,
        source_decision_ids: metadata.sourceDecisionIds,
      }),
    plan.idempotencyKey,
    plan.version,
    plan.createdAt,
    plan.updatedAt,
  ];
}

export function toPlan(row: StoredPlan): Plan {
  if (row.skeletonMetadata === null) return { ...row, skeletonMetadata: null };
  const parsed = storedMetadata.safeParse(row.skeletonMetadata);
  if (!parsed.success) {
    throw new OssatureError(
      'STORE_FAILED',
      `The skeleton_metadata of plan ${row.planId} cannot be read: ${z.prettifyError(parsed.error)}`,
      { details: { planId: row.planId, column: 'skeleton_metadata' }, cause: parsed.error },
    );
  }
  const { ratio, original_tokens, compressed_tokens, source_decision_ids } = parsed.data;
  return {
    ...row,
    skeletonMetadata: freezeMetadata({
      ratio,
      originalTokens: original_tokens,
      compressedTokens: compressed_tokens,
      sourceDecisionIds: source_decision_ids,
    }),
  };
}

export function noPlan(planId: string): OssatureError {
  return new OssatureError('NOT_FOUND', `There is no plan ${planId}. List the plans to see them.`, {
    details: { planId },
  });
}
