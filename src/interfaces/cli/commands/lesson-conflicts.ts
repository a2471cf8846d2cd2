/** The work of `agents lesson conflicts` and `resolve`: questions that a person settles. */
import type { LessonConflict } from '../../../domain/lessons/evidence.js';
import { isUlid } from '../../../domain/kernel/ids.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult } from '../view.js';
import { lessonOf, namedScope, type ScopeOptions } from './lesson-names.js';
import { moreMessage, type PageOptions, pageOf } from './lesson-pages.js';

export interface ConflictsOptions extends ScopeOptions, PageOptions {
  readonly all?: boolean;
}

export interface ResolveOptions {
  readonly keep?: string;
  readonly note?: string;
  readonly release?: string;
}

export function listConflicts(
  terminal: Terminal,
  options: ConflictsOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const projectId = await namedScope(core, options);
    const { items, next } = await core.lessons.ledger.listConflicts({
      ...(projectId === undefined ? {} : { projectId }),
      ...(options.all === true ? {} : { open: true }),
      ...pageOf(options),
    });
    return {
      data: { conflicts: items, next },
      messages: moreMessage(next),
      view: [
        {
          block: 'table',
          title: 'Conflicts',
          columns: [
            { title: 'conflict_id' },
            { title: 'lessons' },
            { title: 'question', isElastic: true },
            { title: 'status' },
            { title: 'opened_at' },
          ],
          rows: items.map(({ conflictId, lessonIds, question, status, openedAt }) => [
            conflictId,
            lessonIds.join(' '),
            question,
            status,
            openedAt.toISOString(),
          ]),
          none: 'No question is open.',
        },
      ],
    };
  });
}

export async function resolveConflict(
  terminal: Terminal,
  name: string,
  { keep, note, release }: ResolveOptions,
): Promise<CommandResult> {
  if ((keep === undefined) === (release === undefined)) {
    throw new UsageError('Give --keep LESSON, --keep both, or --release EPISODE.');
  }
  return withCore(terminal, async (core) => {
    if (release !== undefined) return releaseEpisode(core, name, release);
    const kept = keep === 'both' ? 'both' : await lessonOf(core, keep ?? '');
    const conflict = await core.lessons.ledger.resolve({
      conflictId: await conflictOf(core, name),
      keep: kept,
      ...(note === undefined ? {} : { note }),
    });
    return settled(conflict);
  });
}

async function releaseEpisode(
  core: Ossature,
  name: string,
  prefix: string,
): Promise<CommandResult> {
  const lessonId = await lessonOf(core, name);
  const episodeId = await core.lessons.ledger.findEpisodeByPrefix(prefix);
  await core.lessons.ledger.releaseEpisode(lessonId, episodeId);
  return {
    data: { lessonId, episodeId, outcome: 'released' },
    view: [
      {
        block: 'fields',
        title: 'Released from quarantine',
        fields: [
          ['lesson_id', lessonId],
          ['episode_id', episodeId],
        ],
      },
    ],
  };
}

/** A whole id as it is; the beginning of one among those that are open. */
async function conflictOf({ lessons }: Ossature, name: string): Promise<string> {
  const beginning = name.toUpperCase();
  if (isUlid(name)) return name;
  const { items } = await lessons.ledger.listConflicts({ open: true, limit: 500 });
  const found = items.filter(({ conflictId }) => conflictId.startsWith(beginning));
  const [only, another] = found;
  // What names none or several is refused by the core, in its words.
  return only !== undefined && another === undefined ? only.conflictId : name;
}

function settled(conflict: LessonConflict): CommandResult {
  const { conflictId, question, lessonIds, kept, note } = conflict;
  const gone = lessonIds.filter((id) => !kept.includes(id));
  return {
    data: { conflict, archived: gone },
    view: [
      {
        block: 'fields',
        title: 'Settled',
        fields: [
          ['conflict_id', conflictId],
          ['question', question],
          ['kept', kept.join(' ')],
          ['archived', gone.length === 0 ? 'none' : `the lineage of ${gone.join(' ')}`],
          ...(note === null ? [] : [['note', note] as const]),
        ],
      },
    ],
  };
}
