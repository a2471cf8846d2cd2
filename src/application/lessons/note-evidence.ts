/** What a use showed of the texts that were served: spans that worked, and the words of a correction. */
import type { CheckedUse } from '../../domain/lessons/check-use.js';
import type { UseReceipt } from '../../domain/lessons/episode.js';
import type { Lesson } from '../../domain/lessons/lesson.js';
import type { LessonChange } from '../../domain/lessons/lesson-event.js';
import type { LessonSettings } from '../../domain/lessons/lesson-settings.js';
import { addHint, addSpan, claimsPointedAt } from '../../domain/lessons/protect-claims.js';
import type { LessonRepositories } from './lesson-store.js';

export interface SeenEvidence {
  readonly locked: readonly Lesson[];
  readonly checked: CheckedUse;
  readonly texts: {
    readonly spans: CheckedUse['spans'];
    readonly correction: string | null;
  };
  readonly settings: LessonSettings;
  readonly now: Date;
}

export interface NotedEvidence {
  readonly changes: readonly LessonChange[];
  readonly stored: number;
  readonly unmatched: UseReceipt['spansUnmatched'];
  /** Lessons of which a span was stored. */
  readonly news: ReadonlySet<string>;
}

/** Spans that stand in what was served, and the words of a correction as hints. */
export async function noteEvidence(
  { lessons }: LessonRepositories,
  { locked, checked, texts, settings, now }: SeenEvidence,
  episodeId: string,
): Promise<NotedEvidence> {
  const speaking = locked.filter(
    ({ lessonId }) =>
      texts.spans.some((span) => span.lessonId === lessonId) ||
      (texts.correction !== null && checked.corrected.includes(lessonId)),
  );
  const ids = speaking.map(({ lessonId }) => lessonId);
  const unmatched: { lessonId: string; text: string }[] = [];
  const news = new Set<string>();
  const changes: LessonChange[] = [];
  let stored = 0;
  if (ids.length === 0) return { changes, stored, unmatched, news };
  const evidence = await lessons.evidence(ids);
  const extras = await lessons.servableExtras(ids, settings['recall.max_sticky_patches']);
  const ledgers = await lessons.ledgers(ids);
  for (const { lessonId, body } of speaking) {
    const patches = (extras.get(lessonId)?.sticky ?? []).map(({ claim }) => claim);
    let spans = evidence.get(lessonId)?.spans ?? [];
    for (const span of texts.spans.filter((one) => one.lessonId === lessonId)) {
      const most = settings['compression.max_spans'];
      const added = addSpan(spans, span.text, { body, patches }, now, most);
      if (added === null) unmatched.push(span);
      else {
        spans = added;
        stored += 1;
        news.add(lessonId);
      }
    }
    if (news.has(lessonId)) changes.push({ kind: 'spans-set', lessonId, spans });
    if (texts.correction === null || !checked.corrected.includes(lessonId)) continue;
    const claims = ledgers.get(lessonId)?.claims ?? [];
    changes.push({
      kind: 'hints-set',
      lessonId,
      hints: addHint(
        evidence.get(lessonId)?.hints ?? [],
        {
          text: texts.correction,
          source: 'complaint',
          claimIds: claimsPointedAt(texts.correction, claims),
          episodeId,
          addedAt: now,
        },
        {
          most: settings['compression.max_hints'],
          characters: settings['compression.hint_chars'],
        },
      ),
    });
  }
  return { changes, stored, unmatched, news };
}
