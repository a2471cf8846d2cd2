/** The way down: what may be tried next, in which order, and when nothing is left but the original. */
import { aboveOf, childrenOf, level0Of, subtreeOf } from './lesson-graph.js';
import type { DroppedClaim } from './claim.js';
import type {
  DescentOption,
  DescentPack,
  DescentStep,
  DescentStrategy,
  ScoredOption,
} from './descent.js';
import type { TrackRecord, TryTarget } from './evidence.js';
import type { LessonSettings } from './lesson-settings.js';
import { byCodeUnit } from './regression-sample.js';
import type { Lineage } from './repositories.js';

/** Options that are looked at in one step. */
const MOST_OPTIONS = 50;

/** Tokens at which an option costs the whole weight of cost. */
const COST_TOKENS = 1_200;

export interface DescentGround {
  readonly lineage: Lineage;
  /** Manifest of the lesson whose body the pack holds. */
  readonly dropped: readonly DroppedClaim[];
  readonly tracks: readonly TrackRecord[];
  readonly strategy: DescentStrategy;
  readonly pack: DescentPack;
  readonly steps: readonly DescentStep[];
}

/** Options of a step, best prior first, and the labels of those beyond the limit. */
export function optionsOf(ground: DescentGround): {
  readonly options: readonly DescentOption[];
  readonly notConsidered: readonly string[];
} {
  const { lineage, dropped, strategy, pack, steps } = ground;
  const [current] = pack.lessonIds;
  if (pack.lessonIds.length !== 1 || current === undefined) {
    return { options: [], notConsidered: [] };
  }
  const tried = new Set(
    steps.flatMap(({ chosen }) => (chosen === null ? [] : [chosen.option.label])),
  );
  const patched = new Set(pack.patches.map(({ fingerprint }) => fingerprint));
  const lessonOf = new Map(lineage.lessons.map((lesson) => [lesson.lessonId, lesson]));
  const claims = dropped.flatMap((entry): DescentOption[] => {
    const holder = lessonOf.get(entry.holderId);
    if (holder === undefined || holder.status === 'archived') return [];
    if (strategy === 'stepwise' || patched.has(entry.fingerprint)) return [];
    return [
      {
        kind: 'claim',
        label: `claim:${entry.fingerprint.slice(0, 16)}`,
        text: entry.claim,
        fingerprint: entry.fingerprint,
        holderId: entry.holderId,
        level: holder.level,
        tokens: strategy === 'delta-jump' ? holder.tokens : entry.tokens,
      },
    ];
  });
  const children = childrenOf(lineage, current).flatMap((lessonId): DescentOption[] => {
    const child = lessonOf.get(lessonId);
    if (child === undefined || child.status === 'archived') return [];
    const { level, tokens, gist } = child;
    return [{ kind: 'child', label: `lesson:${lessonId}`, text: gist, lessonId, level, tokens }];
  });
  const untried = [...claims, ...children].filter(({ label }) => !tried.has(label));
  const ranked = untried
    .map((option) => ({ option, prior: posteriorOf(trackOf(ground.tracks, option)) }))
    .sort((a, b) => b.prior - a.prior)
    .map(({ option }) => option);
  return {
    options: ranked.slice(0, MOST_OPTIONS),
    notConsidered: ranked.slice(MOST_OPTIONS).map(({ label }) => label),
  };
}

/** @param usefulness one an option, 0..1; null: no ranker answered, and the term is 0 for all. */
export function scoreOptions(
  options: readonly DescentOption[],
  usefulness: readonly number[] | null,
  tracks: readonly TrackRecord[],
  settings: LessonSettings,
): readonly ScoredOption[] {
  const totalTries = tracks.reduce((sum, { tries }) => sum + tries, 0);
  return options
    .map((option, at): ScoredOption => {
      const useful = usefulness?.[at] ?? null;
      const prior = priorOf(trackOf(tracks, option), totalTries, settings);
      const score =
        settings['selection.w_judge'] * (useful ?? 0) +
        settings['selection.w_prior'] * prior -
        settings['selection.w_cost'] * Math.min(1, option.tokens / COST_TOKENS);
      return { option, usefulness: useful, prior, score };
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        a.option.tokens - b.option.tokens ||
        a.option.level - b.option.level ||
        byCodeUnit(a.option.label, b.option.label),
    );
}

/** A ranking that can be used: one finite number in 0..1 for each option. */
export function readUsefulness(answer: unknown, options: number): readonly number[] | null {
  if (!Array.isArray(answer) || answer.length !== options) return null;
  const isShare = (value: unknown): boolean =>
    typeof value === 'number' && value >= 0 && value <= 1;
  return answer.every(isShare) ? (answer as readonly number[]) : null;
}

export interface NextStep {
  readonly chosen: ScoredOption | null;
  readonly pack: DescentPack;
  /** Labels of better options that did not fit. */
  readonly passedOver: readonly string[];
}

/** The best option that fits; with none left, the original; null: the original was tried already. */
export function nextStep(
  ground: DescentGround,
  scored: readonly ScoredOption[],
  apexId: string,
  limits: { readonly maxExpansions: number; readonly maxPackTokens: number },
): NextStep | null {
  const { lineage, pack, steps, strategy } = ground;
  const expansions = steps.filter(({ chosen }) => chosen !== null).length;
  const passedOver: string[] = [];
  if (expansions < limits.maxExpansions) {
    for (const chosen of scored) {
      const next = packWith(pack, chosen.option, strategy);
      if (next.tokens <= limits.maxPackTokens) return { chosen, pack: next, passedOver };
      passedOver.push(chosen.option.label);
    }
  }
  const originals = level0Of(lineage, apexId);
  const triedAsSuch = [pack, ...steps.map((step) => step.pack)].some(
    ({ lessonIds, patches }) =>
      patches.length === 0 && originals.every((id) => lessonIds.includes(id)),
  );
  if (triedAsSuch) return null;
  const tokens = lineage.lessons.reduce(
    (sum, lesson) => sum + (originals.includes(lesson.lessonId) ? lesson.tokens : 0),
    0,
  );
  return { chosen: null, pack: { lessonIds: originals, patches: [], tokens }, passedOver };
}

/** Lessons from the apex down to its originals: all that answer for what the originals know. */
export function pathToOriginals(lineage: Lineage, apexId: string): readonly string[] {
  const originals = level0Of(lineage, apexId);
  const above = new Set(originals.flatMap((id) => [id, ...aboveOf(lineage, id)]));
  return [...subtreeOf(lineage, apexId)].filter((id) => above.has(id)).sort();
}

export function targetOf(option: DescentOption): TryTarget {
  return option.kind === 'claim'
    ? { kind: 'claim', fingerprint: option.fingerprint, holderId: option.holderId }
    : { kind: 'lesson', lessonId: option.lessonId };
}

function packWith(
  pack: DescentPack,
  option: DescentOption,
  strategy: DescentStrategy,
): DescentPack {
  if (option.kind === 'child') {
    return { lessonIds: [option.lessonId], patches: [], tokens: option.tokens };
  }
  const { fingerprint, holderId, tokens } = option;
  if (strategy === 'delta-jump') return { lessonIds: [holderId], patches: [], tokens };
  return {
    lessonIds: pack.lessonIds,
    patches: [...pack.patches, { fingerprint, holderId }],
    tokens: pack.tokens + tokens,
  };
}

function trackOf(tracks: readonly TrackRecord[], option: DescentOption) {
  const wanted = targetOf(option);
  return tracks.find(({ target }) =>
    target.kind === 'claim'
      ? wanted.kind === 'claim' &&
        target.fingerprint === wanted.fingerprint &&
        target.holderId === wanted.holderId
      : wanted.kind === 'lesson' && target.lessonId === wanted.lessonId,
  );
}

function posteriorOf(track: TrackRecord | undefined): number {
  return ((track?.rescues ?? 0) + 1) / ((track?.tries ?? 0) + 2);
}

function priorOf(
  track: TrackRecord | undefined,
  totalTries: number,
  settings: LessonSettings,
): number {
  const posterior = posteriorOf(track);
  if (settings['selection.explore'] === 'posterior') return posterior;
  const tries = track?.tries ?? 0;
  if (tries === 0) return 1;
  const bonus = Math.sqrt(Math.log(Math.max(2, totalTries)) / tries);
  return Math.min(1, posterior + settings['selection.ucb_c'] * bonus);
}
