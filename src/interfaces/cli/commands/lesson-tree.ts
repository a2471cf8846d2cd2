/** The work of `agents lesson tree`: a lineage from its apexes down, and where each claim left it. */
import type { LessonTree } from '../../../application/lessons/lesson-ledger-service.js';
import type { DroppedClaim } from '../../../domain/lessons/claim.js';
import type { LessonSummary } from '../../../domain/lessons/lesson.js';
import { childrenOf, parentsOf } from '../../../domain/lessons/lesson-graph.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type CommandResult, countOf } from '../view.js';
import { boundOf, lessonFacts, percent, savedShare, shortPrint, statusOf } from './lesson-facts.js';
import { lessonOf } from './lesson-names.js';

export function showTree(terminal: Terminal, name: string): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const tree = await core.lessons.ledger.tree(await lessonOf(core, name));
    return {
      data: {
        lessons: tree.lessons.map((lesson) => ({
          ...lessonFacts(lesson),
          leftHere: leftAt(tree, lesson).map(({ holderId, ...claim }) => ({
            ...claim,
            holder: holderId,
          })),
        })),
        edges: tree.edges,
        covers: tree.covers,
      },
      view: [{ block: 'text', text: linesOf(tree).join('\n') }],
    };
  });
}

/** Claims that a lesson does not say and that every lesson right below it still knew how to reach, or said. */
function leftAt(tree: LessonTree, { lessonId }: LessonSummary): readonly DroppedClaim[] {
  const below = childrenOf(tree, lessonId).flatMap(
    (id) => tree.ledgers.get(id)?.dropped.map(({ fingerprint }) => fingerprint) ?? [],
  );
  const earlier = new Set(below);
  const dropped = tree.ledgers.get(lessonId)?.dropped ?? [];
  return dropped.filter(({ fingerprint }) => !earlier.has(fingerprint));
}

function linesOf(tree: LessonTree): readonly string[] {
  const roots = tree.lessons.filter(({ lessonId }) => parentsOf(tree, lessonId).length === 0);
  const told = new Set<string>();
  return [...roots].reverse().flatMap((root) => branch(tree, root, 0, told));
}

function branch(
  tree: LessonTree,
  lesson: LessonSummary,
  depth: number,
  told: Set<string>,
): readonly string[] {
  const indent = '  '.repeat(depth);
  const head = `${indent}${lesson.lessonId}  level ${lesson.level}  ${countOf(lesson.tokens, 'token')}`;
  if (told.has(lesson.lessonId)) return [`${head}  (see above)`];
  told.add(lesson.lessonId);
  const facts = [
    `${percent(savedShare(lesson))} saved`,
    `${statusOf(lesson)}${lesson.isApex ? ', apex' : ''}`,
    boundOf(lesson.passRateLowerBound),
    lesson.provisionalBecause.length > 0
      ? `provisional: ${lesson.provisionalBecause.join(' ')}`
      : '',
  ].filter((fact) => fact !== '');
  const left = leftAt(tree, lesson).map(
    ({ fingerprint, kind, claim, holderId }) =>
      `${indent}    left here: ${shortPrint(fingerprint)} ${kind}, held by ${holderId}: ${claim.replaceAll('\n', ' ')}`,
  );
  const children = childrenOf(tree, lesson.lessonId).flatMap(
    (id) => tree.lessons.find(({ lessonId }) => lessonId === id) ?? [],
  );
  return [
    [head, ...facts].join('  '),
    ...left,
    ...children.flatMap((child) => branch(tree, child, depth + 1, told)),
  ];
}
