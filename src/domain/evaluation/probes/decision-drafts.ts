/** Choices: what was decided on a question, what was rejected, and which of two answers holds. */
import { fact, type ProbeDraft } from './probe-draft.js';
import type { DecisionAt, ProbeMaterial, SpanIndex } from './probe-material.js';

/** How `SessionDecision.rationale` lists the options that were not taken. */
const NOT_TAKEN = /^Not taken: (.+)$/s;

/** UTF-16 units of a choice that can be told as one value. */
const LONGEST_CHOICE = 200;

export function decisionDrafts(material: ProbeMaterial, index: SpanIndex): readonly ProbeDraft[] {
  const { decisions } = material;
  const superseded = new Set(decisions.flatMap(({ decision }) => decision.supersedes ?? []));
  const inForce = decisions.filter(({ decision }) => !superseded.has(decision.decisionId));
  return inForce.flatMap((one) => [
    ...choiceDraft(one, decisions, index),
    ...rejectedDraft(one, index),
    ...planDraft(one, index),
    ...agentDraft(one, index),
  ]);
}

function choiceDraft(
  { decision, seq }: DecisionAt,
  decisions: readonly DecisionAt[],
  index: SpanIndex,
): readonly ProbeDraft[] {
  const { type, question, choice, supersedes } = decision;
  const sources = index.entryIds([seq]);
  if (type !== 'implementation_choice' || question === null || sources.length === 0) return [];
  if (choice.length > LONGEST_CHOICE) return [];
  const earlier = decisions.find((one) => one.decision.decisionId === supersedes)?.decision.choice;
  const options = [
    ...new Set([choice, ...rejectedOptions(decision), ...(earlier === undefined ? [] : [earlier])]),
  ].sort();
  const asks =
    earlier === undefined
      ? `Which answer was chosen to "${question}"?`
      : `"${question}" was answered more than once. Which answer holds now?`;
  return [
    {
      type: 'decision',
      question: `${asks} Answer with it alone.`,
      format: 'single-value',
      facts: [
        fact({
          kind: 'choice',
          topic: 'decision',
          value: choice,
          options,
          sourceEntryIds: sources,
        }),
      ],
    },
  ];
}

function rejectedDraft({ decision, seq }: DecisionAt, index: SpanIndex): readonly ProbeDraft[] {
  const rejected = rejectedOptions(decision);
  const sources = index.entryIds([seq]);
  if (rejected.length === 0 || sources.length === 0 || decision.question === null) return [];
  return [
    {
      type: 'decision',
      question: `Which options were offered for "${decision.question}" and not taken? Give one a line.`,
      format: 'one-per-line',
      facts: [
        fact({
          kind: 'set',
          topic: 'rejected',
          value: rejected,
          options: [decision.choice, ...rejected],
          sourceEntryIds: sources,
        }),
      ],
    },
  ];
}

function planDraft({ decision, seq }: DecisionAt, index: SpanIndex): readonly ProbeDraft[] {
  const sources = index.entryIds([seq]);
  if (decision.type !== 'strategy_choice' || sources.length === 0) return [];
  const line =
    decision.choice
      .split('\n')
      .find((one) => one.trim() !== '')
      ?.trim() ?? '';
  if (line === '' || line.length > LONGEST_CHOICE) return [];
  const reason = decision.rationale?.trim() ?? '';
  return [
    {
      type: 'decision',
      question:
        'What is the first line of the plan that was approved last, word for word, and which remark came with the approval?',
      format: null,
      facts: [
        fact({ kind: 'exact', topic: 'decision', value: line, sourceEntryIds: sources }),
        ...(reason === ''
          ? []
          : [
              fact({
                kind: 'free',
                topic: 'decision',
                value: reason,
                required: false,
                sourceEntryIds: sources,
              }),
            ]),
      ],
    },
  ];
}

function agentDraft({ decision, seq }: DecisionAt, index: SpanIndex): readonly ProbeDraft[] {
  const sources = index.entryIds([seq]);
  const brief = decision.question?.split('\n')[0]?.trim() ?? '';
  if (decision.type !== 'subplan_spawn' || sources.length === 0) return [];
  if (brief === '' || brief.length > LONGEST_CHOICE || decision.choice === '') return [];
  return [
    {
      type: 'decision',
      question: `Which agent was given the work "${brief}"? Answer with its name alone.`,
      format: 'single-value',
      facts: [
        fact({ kind: 'exact', topic: 'decision', value: decision.choice, sourceEntryIds: sources }),
      ],
    },
  ];
}

function rejectedOptions({ rationale }: DecisionAt['decision']): readonly string[] {
  const [, listed = ''] = NOT_TAKEN.exec(rationale ?? '') ?? [];
  return listed
    .split('; ')
    .map((option) => option.trim())
    .filter((option) => option !== '');
}
