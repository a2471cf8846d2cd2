/** What a tried step changes: counters, rescues, coverage, and the demotion of an apex whose cut hid what its original knew. */
import type { Descent, DescentStep } from '../../domain/lessons/descent.js';
import { pathToOriginals, targetOf } from '../../domain/lessons/descend.js';
import { isReplayable } from '../../domain/lessons/episode.js';
import type { LessonChange } from '../../domain/lessons/lesson-event.js';
import { demote } from '../../domain/lessons/lesson-graph.js';
import type { LessonSettings } from '../../domain/lessons/lesson-settings.js';
import type { LessonNeeds } from './lesson-needs.js';
import type { LessonRepositories } from './lesson-store.js';
import { coverBy, writeRescue } from './record-rescue.js';

export async function writeDescentStep(
  needs: LessonNeeds,
  repositories: LessonRepositories,
  descent: Descent,
  step: DescentStep,
  summary: string | null,
  settings: LessonSettings,
): Promise<{ readonly demoted: boolean; readonly rescued: boolean }> {
  const { lessons } = repositories;
  const { lessonId, descentId, end } = descent;
  const now = needs.clock();
  const apex = await lessons.get(lessonId);
  const addedTokens = Math.max(0, step.pack.tokens - apex.tokens);
  const changes: LessonChange[] = [];
  const option = step.chosen?.option ?? null;
  if (step.outcome === 'failed') {
    if (option !== null) {
      changes.push({ kind: 'target-tried', lessonId, target: targetOf(option), rescued: false });
    }
    changes.push({ kind: 'stats-added', lessonId, delta: { addedTokens } });
    if (end === 'knowledge-gap') changes.push(knowledgeGap(descent));
    await lessons.append(changes, now);
    return { demoted: false, rescued: false };
  }

  const episodeId = await taskEpisode(needs, repositories, descent, summary);
  if (end === 'rescued-by-claim' && option?.kind === 'claim') {
    const dropped = (await lessons.ledgers([lessonId])).get(lessonId)?.dropped ?? [];
    const entry = dropped.find(({ fingerprint }) => fingerprint === option.fingerprint);
    await lessons.append(coverBy(lessonId, episodeId, now), now);
    const delta = { expansions: 1, rescues: 1, addedTokens };
    if (entry === undefined) {
      // Repaired meanwhile: the body says it, and nothing is left to rescue.
      await lessons.append(
        [{ kind: 'stats-added', lessonId, delta: { expansions: 1, addedTokens } }],
        now,
      );
      return { demoted: false, rescued: false };
    }
    const from = { source: 'descent' as const, descentId, step: step.step, episodeId };
    await writeRescue(needs, repositories, lessonId, entry, from, delta);
    return { demoted: false, rescued: true };
  }
  if (option !== null) {
    changes.push({ kind: 'target-tried', lessonId, target: targetOf(option), rescued: true });
  }
  changes.push({ kind: 'stats-added', lessonId, delta: { expansions: 1, addedTokens } });
  if (end === 'rescued-by-child') {
    await lessons.append([...changes, ...coverBy(lessonId, episodeId, now)], now);
    return { demoted: false, rescued: false };
  }

  const lineage = await lessons.lineage(lessonId);
  for (const id of pathToOriginals(lineage, lessonId)) changes.push(...coverBy(id, episodeId, now));
  changes.push({
    kind: 'compression-bug',
    lessonId,
    version: apex.version,
    descentId,
    episodeId,
  });
  await lessons.append(changes, now);
  const bugs = await lessons.countCompressionBugs(lessonId, apex.version);
  if (bugs < settings['regression.demote_after'] || !apex.isApex || apex.level === 0) {
    return { demoted: false, rescued: false };
  }
  await lessons.append(demote(await lessons.lineage(lessonId), lessonId, 'regressed'), now);
  return { demoted: true, rescued: false };
}

/** The task as an episode: the one it came from where that can be replayed, else a new one. */
async function taskEpisode(
  needs: LessonNeeds,
  { episodes }: LessonRepositories,
  descent: Descent,
  summary: string | null,
): Promise<string> {
  if (descent.episodeId !== null) {
    const known = await episodes.get(descent.episodeId);
    if (isReplayable(known)) return known.episodeId;
  }
  const episodeId = needs.newId();
  await episodes.insert({
    episodeId,
    projectId: descent.projectId,
    axis: null,
    prompt: descent.prompt,
    promptCutCharacters: 0,
    outcome: 'success',
    confidence: descent.diagnosis.confidence,
    acceptedSummary: summary,
    check: null,
    sessionId: null,
    createdAt: needs.clock(),
  });
  return episodeId;
}

/** The original itself, tried as such: nothing stands below it. */
export function isOriginal({ chosen }: DescentStep): boolean {
  return chosen === null || (chosen.option.kind === 'child' && chosen.option.level === 0);
}

export function knowledgeGap({
  lessonId,
  lessonVersion,
  descentId,
  episodeId,
}: Descent): LessonChange {
  return { kind: 'knowledge-gap', lessonId, version: lessonVersion, descentId, episodeId };
}
