/** Which claim or lesson a descent tries next: ranked by a model where one is bound, and by what worked before. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Descent, DescentStep, ScoredOption } from '../../domain/lessons/descent.js';
import {
  type DescentGround,
  nextStep,
  optionsOf,
  readUsefulness,
  scoreOptions,
} from '../../domain/lessons/descend.js';
import type { LessonSettings } from '../../domain/lessons/lesson-settings.js';
import { Aborted, askModel } from './ask-model.js';
import type { LessonNeeds } from './lesson-needs.js';

interface Chosen {
  readonly step: DescentStep | null;
  readonly scored: readonly ScoredOption[];
  readonly notConsidered: readonly string[];
  readonly warning: string | null;
}

export async function chooseNextStep(
  needs: LessonNeeds,
  descent: Descent,
  settings: LessonSettings,
  signal: AbortSignal | undefined,
): Promise<Chosen> {
  const { lessons } = needs.repositories;
  const pack = descent.steps.at(-1)?.pack ?? descent.startPack;
  const lineage = await lessons.lineage(descent.lessonId);
  const [current = ''] = pack.lessonIds;
  const ground: DescentGround = {
    lineage,
    pack,
    dropped: (await lessons.ledgers([current])).get(current)?.dropped ?? [],
    tracks: await lessons.trackRecords(lineage.lessons.map((one) => one.lessonId)),
    strategy: descent.strategy,
    steps: descent.steps,
  };
  const { options, notConsidered } = optionsOf(ground);
  const expansions = descent.steps.filter(({ chosen }) => chosen !== null).length;
  const mayExpand = expansions < descent.maxExpansions && options.length > 0;
  const ranked = mayExpand
    ? await rank(needs, descent, options, settings, signal)
    : { usefulness: null, warning: null };
  const scored = scoreOptions(options, ranked.usefulness, ground.tracks, settings);
  const next = nextStep(ground, scored, descent.lessonId, descent);
  return {
    scored,
    warning: ranked.warning,
    notConsidered: [...notConsidered, ...(next?.passedOver ?? [])],
    step:
      next === null
        ? null
        : {
            descentId: descent.descentId,
            step: descent.steps.length + 1,
            chosen: next.chosen,
            pack: next.pack,
            outcome: 'open',
            reportedAt: null,
          },
  };
}

export function withStep(descent: Descent, chosen: Chosen | null): Descent {
  if (chosen === null) return descent;
  return {
    ...descent,
    steps: chosen.step === null ? descent.steps : [...descent.steps, chosen.step],
    notConsidered: [...new Set([...descent.notConsidered, ...chosen.notConsidered])],
    warnings:
      chosen.warning === null
        ? descent.warnings
        : [...new Set([...descent.warnings, chosen.warning])],
  };
}

async function rank(
  needs: LessonNeeds,
  { prompt, diagnosis }: Descent,
  options: ReturnType<typeof optionsOf>['options'],
  settings: LessonSettings,
  signal: AbortSignal | undefined,
) {
  const ranker = needs.models.rank;
  if (ranker === null) return { usefulness: null, warning: null };
  try {
    const answer = await askModel(
      (within) =>
        ranker.rank(
          { prompt, diagnosis, options: options.map(({ label, text }) => ({ label, text })) },
          within,
        ),
      settings['recall.timeout_s'] * 1_000,
      needs.startTimer,
      signal,
    );
    const usefulness = readUsefulness(answer, options.length);
    const warning =
      usefulness === null ? 'the ranking could not be read: what worked, cheapest first' : null;
    return { usefulness, warning };
  } catch (error) {
    if (error instanceof Aborted)
      throw new OssatureError('INVALID_INPUT', 'The caller ended the descent.', { cause: error });
    return { usefulness: null, warning: 'the ranker did not answer: what worked, cheapest first' };
  }
}
