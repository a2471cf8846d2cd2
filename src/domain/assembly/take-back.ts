/**
 * Takes from a stage what it was given: each fragment at most once, as it was given, with the tokens
 * that were measured. What a stage itself says of texts and sizes is not looked at.
 */
import type { TokenCounter } from '../kernel/measures.js';
import {
  EXCLUSION_REASONS,
  type ExcludedFragment,
  excluded,
  type OfferedFragment,
  type PackedFragment,
  type ScoredFragment,
  type ShownFragment,
  shownWhole,
} from './assembly-fragment.js';
import type { Merge, Packing } from './assembly-stages.js';
import { depthOfRendering } from './fragment-renderings.js';
import { frozen } from './frozen.js';
import {
  requireList,
  requireRecord,
  requireText,
  type StageName,
  stageBreach,
} from './stage-breach.js';

type Answer = Readonly<Record<string, unknown>>;

const SCORE_PARTS = ['relevance', 'hierarchy', 'quality', 'recency', 'total'] as const;

/** The given of every fragment of the answer, in its order, beside the answer's own record. */
export function takeBack<Given extends OfferedFragment>(
  stage: StageName,
  given: readonly Given[],
  answer: unknown,
): readonly { readonly given: Given; readonly answered: Answer }[] {
  const take = takingFrom(stage, given);
  return requireList(stage, answer).map((entry) => {
    const answered = requireRecord(stage, entry);
    const fragment = requireRecord(stage, answered['fragment']);
    const isIt = (one: Given): boolean => one.fragment.content === fragment['content'];
    return { given: take(fragment, answered['strategy'], isIt), answered };
  });
}

/** @throws OssatureError STAGE_BREACH naming the stage. */
export function takeMerge(
  stage: 'fragmentDeduplicator' | 'detailDepthResolver',
  given: readonly OfferedFragment[],
  answer: unknown,
): Merge {
  const merge = requireRecord(stage, answer);
  const kept = takeBack(stage, given, merge['kept']).map((one) => one.given);
  return frozen({ kept, excluded: takeExcluded(stage, given, kept, merge['excluded']) });
}

/** @throws OssatureError STAGE_BREACH naming the stage. */
export function takeScored(
  given: readonly OfferedFragment[],
  answer: unknown,
): readonly ScoredFragment[] {
  const stage = 'fragmentScorer';
  const scored = takeBack(stage, given, answer).map((one): ScoredFragment => {
    const parts = requireRecord(stage, one.answered['score']);
    const [relevance = 0, hierarchy = 0, quality = 0, recency = 0, total = 0] = SCORE_PARTS.map(
      (name) => {
        const part = parts[name];
        if (typeof part === 'number' && part >= 0 && part <= 1) return part;
        throw stageBreach(stage, `gave a score whose ${name} is no number from 0 to 1`);
      },
    );
    return { ...one.given, score: { relevance, hierarchy, quality, recency, total } };
  });
  return frozen(scored);
}

/** @throws OssatureError STAGE_BREACH naming the stage. */
export function takePacking(
  given: readonly ScoredFragment[],
  answer: unknown,
  count: TokenCounter['count'],
): Packing {
  const stage = 'budgetPacker';
  const packing = requireRecord(stage, answer);
  const taken = takeBack(stage, given, packing['packed']);
  const packed = taken.map((one): PackedFragment => {
    const shown = takeShown(stage, one.given.fragment, one.answered['shown'], count);
    return { ...one.given, shown };
  });
  const kept = taken.map((one) => one.given);
  return frozen({ packed, excluded: takeExcluded(stage, given, kept, packing['excluded']) });
}

/** @throws OssatureError STAGE_BREACH where it does not give all of the given, each once. */
export function takeOrdered(
  given: readonly PackedFragment[],
  answer: unknown,
): readonly PackedFragment[] {
  const stage = 'fragmentOrderer';
  const ordered = takeBack(stage, given, answer).map((one) => one.given);
  if (ordered.length === given.length) return frozen(ordered);
  const broken = `gave ${ordered.length} of ${given.length} fragments back`;
  throw stageBreach(stage, broken, { given: given.length, gave: ordered.length });
}

/** What is shown of a fragment: its own text, or one of its renderings. */
export function takeShown(
  stage: StageName,
  fragment: OfferedFragment['fragment'],
  answer: unknown,
  count: TokenCounter['count'],
): ShownFragment {
  const { planId, fragmentId, content: text, reduced } = requireRecord(stage, answer);
  const content = requireText(stage, text);
  const isOther = planId !== fragment.planId || fragmentId !== fragment.fragmentId;
  if (!isOther && content === fragment.content) return shownWhole(fragment);
  const likely = (reduced as { depth?: unknown } | null | undefined)?.depth;
  const depth = isOther ? null : depthOfRendering(fragment, content, likely);
  if (depth === null) {
    const broken = 'shows a text that is neither a fragment nor a rendering of it';
    throw stageBreach(stage, broken, { fragmentId: fragment.fragmentId });
  }
  return {
    ...shownWhole(fragment),
    content,
    tokenCount: count(content),
    reduced: { depth, fullTokenCount: fragment.tokenCount },
  };
}

function takeExcluded<Given extends OfferedFragment>(
  stage: StageName,
  given: readonly Given[],
  kept: readonly Given[],
  answer: unknown,
): readonly ExcludedFragment[] {
  const isKept = new Set(kept);
  const take = takingFrom(
    stage,
    given.filter((one) => !isKept.has(one)),
  );
  return requireList(stage, answer).map((entry) => {
    const one = requireRecord(stage, entry);
    const reason = EXCLUSION_REASONS.find((known) => known === one['reason']);
    if (reason === undefined) throw stageBreach(stage, 'gave a reason that is none');
    return excluded(
      take(one, one['strategy'], () => true),
      reason,
    );
  });
}

/** Hands out each of the given once. */
function takingFrom<Given extends OfferedFragment>(stage: StageName, given: readonly Given[]) {
  const waiting = new Map<string, Given[]>();
  for (const one of given) {
    const { planId, fragmentId } = one.fragment;
    const key = offerKey(one.strategy, planId, fragmentId);
    const others = waiting.get(key);
    if (others === undefined) waiting.set(key, [one]);
    else others.push(one);
  }
  return (reference: Answer, strategy: unknown, isIt: (one: Given) => boolean): Given => {
    const { planId, fragmentId } = reference;
    const areTexts =
      typeof strategy === 'string' && typeof planId === 'string' && typeof fragmentId === 'string';
    const key = areTexts ? offerKey(strategy, planId, fragmentId) : '';
    const candidates = waiting.get(key) ?? [];
    const at = candidates.findIndex(isIt);
    const [found] = at < 0 ? [] : candidates.splice(at, 1);
    if (found !== undefined) return found;
    const broken = 'gave a fragment twice, or one that it was not given';
    throw stageBreach(stage, broken, areTexts ? { fragmentId } : {});
  };
}

/** No two given offers share one: the name's length says where it ends, and a plan's id has no slash. */
function offerKey(strategy: string, planId: string, fragmentId: string): string {
  return `${strategy.length}:${strategy}${planId}/${fragmentId}`;
}
