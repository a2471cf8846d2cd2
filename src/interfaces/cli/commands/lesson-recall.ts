/** The work of `agents lesson recall`: what would be served for a prompt, and why. */
import type { Recall, ServedLesson } from '../../../application/lessons/recall-lessons.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type Block, type CommandResult, countOf, type Field, formatCount } from '../view.js';
import { shortPrint, textUnder } from './lesson-facts.js';
import { namedScope, type ScopeOptions } from './lesson-names.js';

export interface RecallOptions extends ScopeOptions {
  readonly session?: string;
  readonly turn?: number;
  readonly budget?: number;
  readonly compacted?: boolean;
}

export async function recallLessons(
  terminal: Terminal,
  prompt: string | undefined,
  options: RecallOptions,
): Promise<CommandResult> {
  const { session, turn, budget, compacted = false } = options;
  if (compacted) {
    if (session === undefined || prompt !== undefined) {
      throw new UsageError('--compacted takes --session, and no prompt.');
    }
    return forget(terminal, session);
  }
  if (prompt === undefined) throw new UsageError('Give a prompt, or --session S --compacted.');
  if (turn !== undefined && session === undefined) {
    throw new UsageError('--turn belongs to a session: give --session, too.');
  }
  return withCore(terminal, async (core) => {
    const named = await namedScope(core, options);
    const projects = named === undefined ? await core.projects.list() : [];
    const isOnly = projects.length === 1;
    const found = await core.lessons.recall.recall({
      prompt,
      projectId: named ?? (isOnly ? (projects[0]?.projectId ?? null) : null),
      signal: terminal.signal,
      ...(session === undefined ? {} : { sessionId: session }),
      ...(turn === undefined ? {} : { turn }),
      ...(budget === undefined ? {} : { maxPackTokens: budget }),
    });
    return served(found, projects.length > 1);
  });
}

function forget(terminal: Terminal, session: string): Promise<CommandResult> {
  return withCore(terminal, async ({ lessons }) => {
    const forgotten = await lessons.recall.contextCompacted(session);
    return {
      data: { sessionId: session, forgotten },
      view: [
        {
          block: 'fields',
          title: 'Cleared',
          fields: [
            ['session', session],
            ['forgotten', countOf(forgotten, 'serving')],
          ],
        },
      ],
    };
  });
}

function served(recall: Recall, isGlobalOnly: boolean): CommandResult {
  const leftOut: Block = {
    block: 'table',
    title: 'Left out',
    isPart: true,
    columns: [{ title: 'lesson_id' }, { title: 'reason' }],
    rows: recall.leftOut.map(({ lessonId, reason }) => [lessonId, reason]),
    none: 'nothing',
  };
  return {
    data: {
      ...recall,
      served: recall.served.map(({ patches, ...one }) => ({
        ...one,
        patches: patches.map(({ holderId, ...patch }) => ({ ...patch, holder: holderId })),
      })),
    },
    messages: [
      ...recall.warnings.map((text) => ({ level: 'warning' as const, text: `${text}.` })),
      ...(isGlobalOnly
        ? [
            {
              level: 'info' as const,
              text: 'Global lessons only: there are several projects, and --project names none.',
            },
          ]
        : []),
    ],
    view: [
      {
        block: 'fields',
        title: 'Recall',
        fields: [
          ['served', countOf(recall.served.length, 'lesson')],
          ['pack_tokens', formatCount(recall.packTokens)],
          ['relevance', recall.relevanceSource],
        ],
      },
      ...recall.served.flatMap(servedBlocks),
      leftOut,
    ],
  };
}

function servedBlocks(one: ServedLesson): readonly Block[] {
  const fields: readonly Field[] = [
    ['lesson', `${one.lessonId} level ${one.level} version ${one.version}`],
    ['form', `${one.form}, ${countOf(one.tokens, 'token')}`],
    ['relevance', `${one.relevance.toFixed(4)} (${one.relevanceSource}): ${one.why}`],
    ['no longer said', countOf(one.droppedCount, 'claim')],
    ...(one.provisional ? [['provisional', 'yes'] as const] : []),
    ...(one.question === null ? [] : [['open question', one.question] as const]),
    ...one.patches.map(({ fingerprint, claim }): Field => [
      'patch',
      `${shortPrint(fingerprint)} ${claim}`,
    ]),
  ];
  return [{ block: 'fields', title: one.title, fields }, textUnder(one.title, one.text)];
}
