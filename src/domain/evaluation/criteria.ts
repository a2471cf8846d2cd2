/** Six dimensions, fourteen criteria: what an answer is marked by (specification of evaluation, §3). */
import type { ProbeType } from './probe-type.js';

export const DIMENSIONS = [
  'accuracy',
  'context_awareness',
  'artifact_trail',
  'completeness',
  'continuity',
  'instruction_following',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const CRITERION_IDS = [
  'accuracy_factual',
  'accuracy_technical',
  'context_conversation_state',
  'context_artifact_state',
  'artifact_files_created',
  'artifact_files_modified',
  'artifact_key_details',
  'completeness_coverage',
  'completeness_depth',
  'continuity_work_state',
  'continuity_todo_state',
  'continuity_reasoning',
  'instruction_format',
  'instruction_constraints',
] as const;
export type CriterionId = (typeof CRITERION_IDS)[number];

export interface Criterion {
  readonly criterionId: CriterionId;
  readonly dimension: Dimension;
  /** In its dimension, whose weights sum to 1. */
  readonly weight: number;
  /** What a mark of 0, of 3 and of 5 means. */
  readonly anchors: readonly [zero: string, three: string, five: string];
}

const TABLE: Readonly<Record<CriterionId, Omit<Criterion, 'criterionId'>>> = {
  accuracy_factual: {
    dimension: 'accuracy',
    weight: 0.6,
    anchors: ['wrong or made up', 'small slips', 'every statement true'],
  },
  accuracy_technical: {
    dimension: 'accuracy',
    weight: 0.4,
    anchors: ['paths, names or codes are wrong', 'one is imprecise', 'all are exact'],
  },
  context_conversation_state: {
    dimension: 'context_awareness',
    weight: 0.5,
    anchors: ['as if nothing had gone before', 'knows it in part', 'knows where the talk stands'],
  },
  context_artifact_state: {
    dimension: 'context_awareness',
    weight: 0.5,
    anchors: ["knows no artifact's state", 'knows some', 'knows the state of all as of now'],
  },
  artifact_files_created: {
    dimension: 'artifact_trail',
    weight: 0.3,
    anchors: ['none is named', 'most are named', 'all are named, and no others'],
  },
  artifact_files_modified: {
    dimension: 'artifact_trail',
    weight: 0.4,
    anchors: ['none is named', 'most, or without what changed', 'all, with what changed'],
  },
  artifact_key_details: {
    dimension: 'artifact_trail',
    weight: 0.3,
    anchors: ['no symbol, variable or message', 'most of them', 'all that were asked for'],
  },
  completeness_coverage: {
    dimension: 'completeness',
    weight: 0.6,
    anchors: ['most parts are unanswered', 'most are answered', 'each part is answered'],
  },
  completeness_depth: {
    dimension: 'completeness',
    weight: 0.4,
    anchors: ['a bare claim', 'enough to follow', 'all that is needed to act'],
  },
  continuity_work_state: {
    dimension: 'continuity',
    weight: 0.4,
    anchors: ['everything must be fetched again', 'one thing must be', 'nothing must be'],
  },
  continuity_todo_state: {
    dimension: 'continuity',
    weight: 0.3,
    anchors: ['open work is lost', 'gaps, or a wrong order', 'all open work in the right order'],
  },
  continuity_reasoning: {
    dimension: 'continuity',
    weight: 0.3,
    anchors: ['no reason', 'a general one', 'the reason, and what was rejected'],
  },
  instruction_format: {
    dimension: 'instruction_following',
    weight: 0.5,
    anchors: ['the form asked for is ignored', 'mostly kept', 'kept'],
  },
  instruction_constraints: {
    dimension: 'instruction_following',
    weight: 0.5,
    anchors: ['a stated constraint is broken', 'kept in part', 'all are kept'],
  },
};

export const CRITERIA: readonly Criterion[] = CRITERION_IDS.map((criterionId) => ({
  criterionId,
  ...TABLE[criterionId],
}));

/** Dimensions of every probe. */
const ALWAYS: readonly Dimension[] = ['accuracy', 'completeness', 'instruction_following'];

const BESIDE: Readonly<Record<ProbeType, readonly Dimension[]>> = {
  recall: ['context_awareness'],
  artifact: ['artifact_trail'],
  continuation: ['continuity'],
  decision: ['context_awareness', 'continuity'],
};

/** In the order of `DIMENSIONS`. */
export function dimensionsOf(type: ProbeType): readonly Dimension[] {
  return DIMENSIONS.filter((one) => ALWAYS.includes(one) || BESIDE[type].includes(one));
}

/** 8 of recall, 9 of artifact and continuation, 11 of decision. */
export function criteriaOf(type: ProbeType): readonly Criterion[] {
  const dimensions = dimensionsOf(type);
  return CRITERIA.filter(({ dimension }) => dimensions.includes(dimension));
}

/** Told to judge and grader alike. */
export const MARKING_RULES: readonly string[] = [
  'One wrong path or code costs accuracy_technical at least 2.',
  'A missing artifact costs more than a superfluous one.',
  'A file named without its change is at most 3.',
  'A state that was true earlier and is no longer counts as wrong.',
  'Length earns nothing.',
];
