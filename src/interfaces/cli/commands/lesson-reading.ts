/** The work of `agents lesson list`, `show` and `tree`. */
import type { EpisodeMark, RegressionEntry } from '../../../domain/lessons/episode.js';
import type { LessonStatus, LessonSummary, LessonText } from '../../../domain/lessons/lesson.js';
import { isCostly, netTokens, posterior, precision } from '../../../domain/lessons/lesson.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { LessonView } from '../../../application/lessons/lesson-ledger-service.js';
import type { LessonEligibility } from '../../../application/lessons/lesson-compression-service.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type Block, type CommandResult, countOf, type Field, formatCount } from '../view.js';
import {
  boundOf,
  lessonFacts,
  percent,
  savedShare,
  shortPrint,
  statusOf,
  textUnder,
} from './lesson-facts.js';
import { lessonOf, namedScope, projectName, type ScopeOptions } from './lesson-names.js';
import { moreMessage, type PageOptions, pageOf } from './lesson-pages.js';

export interface ListOptions extends ScopeOptions, PageOptions {
  readonly family?: string;
  readonly status?: string;
  readonly level?: number;
  readonly due?: boolean;
  readonly costly?: boolean;
  readonly apex?: boolean;
}

export interface ShowOptions {
  readonly version?: number;
  readonly episodes?: boolean;
}

export function listLessons(terminal: Terminal, options: ListOptions): Promise<CommandResult> {
  const { family, status, level, due = false, costly = false, apex = false } = options;
  const isNarrowed = [family, status, level].some((value) => value !== undefined);
  if (due && (isNarrowed || costly || apex)) {
    throw new UsageError('--due stands alone, or with --project or --global.');
  }
  return withCore(terminal, async (core) => {
    const projectId = await namedScope(core, options);
    const scope = projectId === undefined ? {} : { projectId };
    const { items, next } = due
      ? await core.lessons.compression.listDue({ ...scope, ...pageOf(options) })
      : await core.lessons.ledger.listLessons({
          ...scope,
          ...pageOf(options),
          ...(family === undefined ? {} : { family }),
          // What is no status is refused by the core, by its field.
          ...(status === undefined ? {} : { status: status as LessonStatus }),
          ...(level === undefined ? {} : { level }),
          ...(costly ? { costly } : {}),
          ...(apex ? { apex } : {}),
        });
    return {
      data: { lessons: items.map(lessonFacts), next },
      messages: moreMessage(next),
      view: [lessonTable(due ? 'Due' : 'Lessons', items, due ? NONE_DUE : NO_LESSONS)],
    };
  });
}

const NO_LESSONS = 'There are no such lessons. Add one with `agents lesson add`.';
const NONE_DUE = 'No lesson is due. `agents lesson show LESSON` tells what one still lacks.';

export function lessonTable(title: string, items: readonly LessonSummary[], none: string): Block {
  return {
    block: 'table',
    title,
    columns: [
      { title: 'lesson_id' },
      { title: 'title', isElastic: true },
      { title: 'level', align: 'right' },
      { title: 'tokens', align: 'right' },
      { title: 'saved', align: 'right' },
      { title: 'successes', align: 'right' },
      { title: 'status' },
      { title: 'bound' },
      { title: 'flags' },
    ],
    rows: items.map((lesson) => [
      lesson.lessonId,
      lesson.title,
      String(lesson.level),
      formatCount(lesson.tokens),
      percent(savedShare(lesson)),
      formatCount(lesson.stats.successes),
      statusOf(lesson),
      boundOf(lesson.passRateLowerBound),
      [
        ...(lesson.provisionalBecause.length > 0 ? ['provisional'] : []),
        ...(isCostly(lesson.stats) ? ['costly'] : []),
      ].join(' '),
    ]),
    none,
  };
}

export function showLesson(
  terminal: Terminal,
  name: string,
  { version, episodes = false }: ShowOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { ledger, compression } = core.lessons;
    const lessonId = await lessonOf(core, name);
    const view = await ledger.getLesson(lessonId);
    if (version !== undefined) return earlierText(view, version);
    const eligibility = await compression.eligibility(lessonId);
    const set = episodes ? await ledger.regressionSet(lessonId) : null;
    const project = await projectName(core, view.lesson.projectId);
    return {
      data: {
        ...lessonFacts(view.lesson),
        claims: view.ledger.claims,
        dropped: droppedFacts(view),
        preserve: view.evidence.hints,
        spans: view.evidence.spans,
        rescues: view.evidence.rescues,
        repairs: view.repairs,
        openConflicts: view.openConflicts,
        earlierVersions: view.earlierTexts.map(({ version: number, tokens, replacedAt }) => ({
          version: number,
          tokens,
          replacedAt,
        })),
        eligibility,
        ...(set === null
          ? {}
          : {
              episodes: set.entries.map((entry) => ({
                ...entry,
                marks: marksOf(entry, set.marks),
              })),
            }),
      },
      view: [
        {
          block: 'fields',
          title: view.lesson.title,
          fields: shownFields(view, eligibility, project),
        },
        textUnder('text', view.lesson.body),
        droppedTable(view),
        ...evidenceTables(view),
        ...(set === null ? [] : [episodeTable(set.entries, set.marks)]),
      ],
    };
  });
}

function earlierText({ lesson, earlierTexts }: LessonView, version: number): CommandResult {
  const texts: readonly Pick<LessonText, 'version' | 'body' | 'tokens'>[] = [
    ...earlierTexts,
    lesson,
  ];
  const found = texts.find((text) => text.version >= version);
  if (found === undefined || version < 1) {
    throw new OssatureError(
      'NOT_FOUND',
      `Lesson ${lesson.lessonId} has versions 1 to ${lesson.version}, and no version ${version}.`,
      { details: { version, newest: lesson.version } },
    );
  }
  const { body, tokens } = found;
  return {
    data: { lessonId: lesson.lessonId, version, current: lesson.version, tokens, body },
    view: [{ block: 'text', text: body }],
  };
}

function shownFields(
  { lesson, openConflicts, repairs }: LessonView,
  { eligible, failing, eligibleAt, replayable }: LessonEligibility,
  project: string,
): readonly Field[] {
  const { stats } = lesson;
  const used = precision(stats);
  return [
    ['lesson_id', lesson.lessonId],
    ['title', lesson.title],
    ['gist', lesson.gist],
    ['family', lesson.family],
    ['project', project],
    ['level', String(lesson.level)],
    ['version', String(lesson.version)],
    ['status', `${statusOf(lesson)}${lesson.isApex ? ', apex' : ''}`],
    ['origin', lesson.origin],
    ['tags', lesson.tags.join(' ')],
    [
      'tokens',
      `${formatCount(lesson.tokens)} of ${formatCount(lesson.level0Tokens)} (${percent(savedShare(lesson))} saved)`,
    ],
    ['counter', `${lesson.counterName} ${lesson.counterVersion}`],
    ['bound', boundOf(lesson.passRateLowerBound)],
    ['provisional', lesson.provisionalBecause.join(', ')],
    [
      'used',
      `${formatCount(stats.attempts)} of ${formatCount(stats.shown)} served${used === null ? '' : ` (${percent(used)})`}`,
    ],
    ['successes', `${formatCount(stats.successes)}, failures ${formatCount(stats.failures)}`],
    ['posterior', posterior(stats).toFixed(3)],
    ['rescues', `${formatCount(stats.rescues)} in ${countOf(stats.expansions, 'descent')}`],
    ['net_tokens', `${formatCount(netTokens(stats))}${isCostly(stats) ? ' (costly)' : ''}`],
    ['regression set', countOf(replayable, 'episode')],
    ['eligible', eligible ? 'yes' : `no: ${failing.join(', ')}`],
    ['eligible_at', eligibleAt?.toISOString() ?? ''],
    ['repairs', repairs.length === 0 ? '' : formatCount(repairs.length)],
    ...openConflicts.map(({ conflictId, question }): Field => [
      'open',
      `${question} (${conflictId})`,
    ]),
  ].filter(([, value]) => value !== '') as readonly Field[];
}

function droppedFacts({ ledger, tracks, evidence }: LessonView) {
  return ledger.dropped.map(({ holderId, ...entry }) => {
    const track = tracks.find(
      ({ target }) =>
        target.kind === 'claim' &&
        target.fingerprint === entry.fingerprint &&
        target.holderId === holderId,
    );
    return {
      ...entry,
      holder: holderId,
      tries: track?.tries ?? 0,
      rescues: track?.rescues ?? 0,
      unconsumedRescues: evidence.rescues.filter(
        ({ fingerprint, repairId }) => fingerprint === entry.fingerprint && repairId === null,
      ).length,
    };
  });
}

function droppedTable(view: LessonView): Block {
  return {
    block: 'table',
    title: 'No longer said',
    isPart: true,
    columns: [
      { title: 'claim' },
      { title: 'kind' },
      { title: 'text', isElastic: true },
      { title: 'holder' },
      { title: 'rescues', align: 'right' },
    ],
    rows: droppedFacts(view).map(({ fingerprint, kind, claim, holder, rescues, tries }) => [
      shortPrint(fingerprint),
      kind,
      claim,
      holder,
      `${rescues} of ${tries}`,
    ]),
    none: 'nothing',
  };
}

function evidenceTables({ evidence: { hints, spans } }: LessonView): readonly Block[] {
  const hintTable: Block = {
    block: 'table',
    title: 'To be kept',
    isPart: true,
    columns: [{ title: 'hint', isElastic: true }, { title: 'source' }],
    rows: hints.map(({ text, source }) => [text, source]),
    none: '',
  };
  const spanTable: Block = {
    block: 'table',
    title: 'Seen working',
    isPart: true,
    columns: [
      { title: 'span', isElastic: true },
      { title: 'times', align: 'right' },
    ],
    rows: spans.map(({ text, count }) => [text, formatCount(count)]),
    none: '',
  };
  return [...(hints.length > 0 ? [hintTable] : []), ...(spans.length > 0 ? [spanTable] : [])];
}

function marksOf({ episodeId }: RegressionEntry, marks: readonly EpisodeMark[]): readonly string[] {
  return [
    ...new Set(marks.flatMap((mark) => (mark.episodeId === episodeId ? [mark.kind] : []))),
  ].sort();
}

function episodeTable(entries: readonly RegressionEntry[], marks: readonly EpisodeMark[]): Block {
  return {
    block: 'table',
    title: 'Regression set',
    isPart: true,
    columns: [
      { title: 'episode_id' },
      { title: 'axis', isElastic: true },
      { title: 'tied to' },
      { title: 'marks' },
      { title: 'created_at' },
    ],
    rows: [...entries]
      .sort((a, b) => (a.episodeId < b.episodeId ? -1 : 1))
      .map((entry) => [
        entry.episodeId,
        entry.axis ?? '',
        entry.tiedTo,
        marksOf(entry, marks).join(' '),
        entry.createdAt.toISOString(),
      ]),
    none: 'empty',
  };
}
