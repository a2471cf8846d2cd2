/** The work of `agents lesson add`, `archive` and `resolve`: what a person puts in, takes out and settles. */
import { buffer } from 'node:stream/consumers';
import type { AddLessonReceipt } from '../../../application/lessons/add-lesson.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import { namedFile, textOf } from '../project-files.js';
import type { Terminal } from '../terminal.js';
import { type CommandResult, countOf, type Field, formatCount, type Message } from '../view.js';
import { Verbatim } from '../wire-names.js';
import { lessonFacts, statusOf } from './lesson-facts.js';
import {
  lessonOf,
  namedScope,
  projectName,
  scopeToWrite,
  type ScopeOptions,
} from './lesson-names.js';

export interface AddOptions extends ScopeOptions {
  readonly family?: string;
  readonly title?: string;
  readonly gist?: string;
  readonly file?: string;
  readonly text?: string;
  readonly tag?: readonly string[];
  readonly refines?: string;
  readonly specialises?: string;
  readonly contradicts?: string;
  readonly question?: string;
}

export async function addLesson(terminal: Terminal, options: AddOptions): Promise<CommandResult> {
  const body = await bodyOf(terminal, options);
  return withCore(terminal, async (core) => {
    const { family, tag = [], question } = options;
    const related = await relationOf(core, options);
    const other =
      related === null ? null : (await core.lessons.ledger.getLesson(related.id)).lesson;
    const named = await namedScope(core, options);
    const isRefining = related?.kind === 'refines';
    const receipt = await core.lessons.ledger.addLesson({
      projectId: named ?? (other === null ? await scopeToWrite(core, options) : other.projectId),
      title: options.title ?? (isRefining ? (other?.title ?? '') : ''),
      gist: options.gist ?? (isRefining ? (other?.gist ?? '') : ''),
      body,
      tags: tag,
      ...(family === undefined ? {} : { family }),
      ...(related === null ? {} : { [related.kind]: related.id }),
      ...(question === undefined ? {} : { question }),
    });
    return added(receipt, await projectName(core, receipt.lesson.projectId));
  });
}

const RELATIONS = ['refines', 'specialises', 'contradicts'] as const;

async function relationOf(core: Ossature, options: AddOptions) {
  const given = RELATIONS.flatMap((kind) => {
    const name = options[kind];
    return name === undefined ? [] : [{ kind, name }];
  });
  const [first, another] = given;
  if (another !== undefined) {
    throw new UsageError('Give one of --refines, --specialises and --contradicts.');
  }
  return first === undefined ? null : { kind: first.kind, id: await lessonOf(core, first.name) };
}

/** Line ends at the end are not part of it, as with `$(…)` of a shell. */
async function bodyOf({ stdin }: Terminal, { file, text }: AddOptions): Promise<string> {
  if (file !== undefined && text !== undefined) {
    throw new UsageError('Give --file or --text, not both.');
  }
  if (text !== undefined) return text;
  const isTyped = 'isTTY' in stdin && stdin.isTTY === true;
  if (file === undefined && isTyped) {
    throw new UsageError(
      'Give the text of the lesson: --file PATH, --text TEXT or standard input.',
    );
  }
  const read =
    file === undefined || file === '-'
      ? textOf(await buffer(stdin), 'Standard input', true)
      : await namedFile(file, true);
  return read.replace(/[\r\n]+$/, '');
}

const TITLES: Readonly<Record<AddLessonReceipt['outcome'], string>> = {
  added: 'Lesson added',
  known: 'Nothing stored: this text is known',
  refined: 'Lesson refined',
};

function added(receipt: AddLessonReceipt, project: string): CommandResult {
  const { lesson, outcome, claims, conflict, redactions, repaired } = receipt;
  const hidden = Object.entries(redactions).map(([type, count]) => `${formatCount(count)} ${type}`);
  const messages: Message[] = [];
  if (hidden.length > 0) {
    messages.push({ level: 'warning', text: `Secrets were replaced: ${hidden.join(', ')}.` });
  }
  if (repaired > 0) {
    const what = countOf(repaired, 'ill-formed character');
    messages.push({ level: 'warning', text: `Replaced by U+FFFD: ${what}.` });
  }
  if (claims === 0 && outcome === 'added') {
    messages.push({
      level: 'warning',
      text: 'It has no claims, so nothing tells what a shorter form would lose. To the offline model only what holds a fact such as @idem is one.',
    });
  }
  const fields: readonly Field[] = [
    ['lesson_id', lesson.lessonId],
    ['outcome', outcome],
    ['project', project],
    ['family', lesson.family],
    ['level', String(lesson.level)],
    ['version', String(lesson.version)],
    ['tokens', formatCount(lesson.tokens)],
    ['claims', formatCount(claims)],
    ...(conflict === null
      ? []
      : [
          ['conflict_id', conflict.conflictId] as const,
          ['contradicts', conflict.lessonIds[0]] as const,
          ['question', conflict.question] as const,
        ]),
    ['redacted', hidden.length === 0 ? 'nothing' : hidden.join(', ')],
  ];
  return {
    data: {
      outcome,
      lessonId: lesson.lessonId,
      projectId: lesson.projectId,
      family: lesson.family,
      level: lesson.level,
      version: lesson.version,
      tokens: lesson.tokens,
      claims,
      conflict,
      redactions: new Verbatim(redactions),
      repaired,
    },
    messages,
    view: [{ block: 'fields', title: TITLES[outcome], fields }],
  };
}

export function archiveLessons(
  terminal: Terminal,
  names: readonly string[],
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const ids = await Promise.all(names.map((name) => lessonOf(core, name)));
    const archived = await core.lessons.ledger.archive([...new Set(ids)]);
    return {
      data: { lessons: archived.map(lessonFacts) },
      view: [
        {
          block: 'table',
          title: 'Archived',
          columns: [
            { title: 'lesson_id' },
            { title: 'title', isElastic: true },
            { title: 'level', align: 'right' },
            { title: 'status' },
          ],
          rows: archived.map((lesson) => [
            lesson.lessonId,
            lesson.title,
            String(lesson.level),
            statusOf(lesson),
          ]),
          none: '',
        },
      ],
    };
  });
}
