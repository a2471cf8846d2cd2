/**
 * A project's settings for context, per view. Only what was set is stored; everything else falls
 * back: apply → execute → strategize → default → the built-in constant.
 */
import { OssatureError } from '../kernel/errors.js';
import type { ProjectId } from '../kernel/ids.js';
import {
  type CompressionRatio,
  DEFAULT_SKELETON_RATIO,
  parseCompressionRatio,
} from './compression-ratio.js';

export const POLICY_VIEWS = ['default', 'strategize', 'execute', 'apply'] as const;
export type PolicyView = (typeof POLICY_VIEWS)[number];

export interface ContextPolicy {
  readonly projectId: ProjectId;
  /** Share of tokens to remove, by view; a view that is absent was not set. */
  readonly skeletonRatios: Readonly<Partial<Record<PolicyView, CompressionRatio>>>;
}

/** A value and the view that it came from; null: the built-in default. */
export interface ResolvedRatio {
  readonly ratio: CompressionRatio;
  readonly setBy: PolicyView | null;
}

export function parsePolicyView(value: unknown): PolicyView {
  const view = POLICY_VIEWS.find((known) => known === value);
  if (view !== undefined) return view;
  throw new OssatureError(
    'INVALID_INPUT',
    `view must be one of ${POLICY_VIEWS.join(', ')}, got ${JSON.stringify(value)}.`,
    { details: { field: 'view' } },
  );
}

/** The ratio that the policy sets for a view, itself or by fallback; null where it sets none. */
export function policyRatio(
  policy: ContextPolicy,
  view: PolicyView,
): { readonly ratio: CompressionRatio; readonly setBy: PolicyView } | null {
  for (let index = POLICY_VIEWS.indexOf(view); index >= 0; index -= 1) {
    const candidate = POLICY_VIEWS[index];
    const ratio = candidate && policy.skeletonRatios[candidate];
    if (candidate !== undefined && ratio !== undefined) return { ratio, setBy: candidate };
  }
  return null;
}

/** Every view with the value that applies to it and where that came from. */
export function explainPolicy(policy: ContextPolicy): Readonly<Record<PolicyView, ResolvedRatio>> {
  const builtIn = { ratio: parseCompressionRatio(DEFAULT_SKELETON_RATIO), setBy: null };
  const explained = (view: PolicyView): ResolvedRatio => policyRatio(policy, view) ?? builtIn;
  return {
    default: explained('default'),
    strategize: explained('strategize'),
    execute: explained('execute'),
    apply: explained('apply'),
  };
}
