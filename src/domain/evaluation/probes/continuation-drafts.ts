/** Work under way: open todos in order, failing tests, open errors, the open ask. */
import { commandKey } from '../../session/trail/session-commands.js';
import { openErrors } from '../../session/trail/trail-answers.js';
import { WORK_STATES } from '../grading/state-words.js';
import { fact, type ProbeDraft } from './probe-draft.js';
import type { ProbeMaterial, SpanIndex } from './probe-material.js';

/** UTF-16 units of a prompt that is asked for word for word. */
const LONGEST_ASK = 400;

export function continuationDrafts(
  material: ProbeMaterial,
  index: SpanIndex,
): readonly ProbeDraft[] {
  return [
    ...todoDrafts(material, index),
    ...testDrafts(material, index),
    ...openErrorDrafts(material, index),
    ...askDrafts(material, index),
  ];
}

function todoDrafts({ trail }: ProbeMaterial, index: SpanIndex): readonly ProbeDraft[] {
  const isOpen = (state: string): boolean => state === 'pending' || state === 'in-progress';
  const open = trail.todos.filter(({ state }) => isOpen(state));
  const cited = index.entryIds(open.flatMap(({ firstSeq, changedSeq }) => [firstSeq, changedSeq]));
  const finished = trail.todos.filter(({ state }) => state === 'completed');
  const list: readonly ProbeDraft[] =
    open.length === 0 || cited.length === 0
      ? []
      : [
          {
            type: 'continuation',
            question: 'Which todos are still open, in the order of the list? Give one a line.',
            format: 'one-per-line',
            facts: [
              fact({
                kind: 'ordered',
                topic: 'todos',
                value: open.map(({ text }) => text),
                options: trail.todos.map(({ text }) => text),
                sourceEntryIds: cited,
              }),
            ],
          },
        ];
  const states = [...open, ...finished].flatMap(
    ({ text, state, firstSeq, changedSeq }): readonly ProbeDraft[] => {
      const sources = index.entryIds([firstSeq, changedSeq]);
      if (sources.length === 0) return [];
      return [
        {
          type: 'continuation',
          question: `Is the todo "${text}" open or done?`,
          format: null,
          facts: [
            fact({
              kind: 'state',
              topic: 'todos',
              subject: text,
              value: isOpen(state) ? 'open' : 'done',
              options: WORK_STATES,
              sourceEntryIds: sources,
            }),
          ],
        },
      ];
    },
  );
  return [...list, ...states];
}

/** As the command ran last; an earlier outcome is no longer true. */
function testDrafts({ trail }: ProbeMaterial, index: SpanIndex): readonly ProbeDraft[] {
  const last = new Map([...trail.commands.values()].map((one) => [commandKey(one), one]));
  return [...last.values()].flatMap(({ seq, command, outcome }): readonly ProbeDraft[] => {
    const sources = index.entryIds([seq, index.resultOf(seq)?.seq ?? seq]);
    if (outcome === null || sources.length === 0 || command.includes('\n')) return [];
    const counted = (count: number, unit: string, aliases: readonly string[]) =>
      fact({
        kind: 'number',
        topic: 'tests',
        value: `${count} ${unit}`,
        aliases: aliases.map((alias) => `${count} ${alias}`),
        sourceEntryIds: sources,
      });
    return [
      {
        type: 'continuation',
        question: `How many tests passed and how many failed when \`${command.slice(0, 160)}\` ran last? Answer as "N passed, N failed".`,
        format: null,
        facts: [
          counted(outcome.passed, 'passed', ['pass', 'passing']),
          counted(outcome.failed, 'failed', ['fail', 'failing']),
        ],
      },
    ];
  });
}

function openErrorDrafts({ trail }: ProbeMaterial, index: SpanIndex): readonly ProbeDraft[] {
  const open = openErrors(trail);
  const cited = open.flatMap(({ seenAt }) =>
    seenAt.flatMap((seq) => index.resultOf(seq)?.entryId ?? []),
  );
  if (open.length === 0 || cited.length === 0) return [];
  return [
    {
      type: 'continuation',
      question:
        'Which errors are still open? Give the first line of each, word for word, one a line.',
      format: 'one-per-line',
      facts: [
        fact({
          kind: 'set',
          topic: 'errors',
          value: [...new Set(open.map(({ firstLine }) => firstLine.trim()))],
          options: [...trail.errors.values()].map(({ firstLine }) => firstLine.trim()),
          sourceEntryIds: [...new Set(cited)],
        }),
      ],
    },
  ];
}

function askDrafts({ latestPrompt }: ProbeMaterial, index: SpanIndex): readonly ProbeDraft[] {
  if (latestPrompt === null) return [];
  const text = latestPrompt.content.trim();
  if (!index.has(latestPrompt.seq) || text === '' || text.length > LONGEST_ASK) return [];
  return [
    {
      type: 'continuation',
      question: 'What did the user ask for last, word for word?',
      format: null,
      facts: [
        fact({
          kind: 'exact',
          topic: 'ask',
          value: text,
          sourceEntryIds: [latestPrompt.entryId],
        }),
      ],
    },
  ];
}
