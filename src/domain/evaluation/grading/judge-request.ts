/**
 * What a judge gets: question, answer, context, facts and the criteria with their anchors. Not what would
 * tell it whose answer it is: no arm, strategy, model, cycle, size, id, or other answer. Two arms with equal
 * answer and context give equal bytes.
 */
import { criteriaOf, type CriterionId, MARKING_RULES } from '../criteria.js';
import { valuesOf } from '../fact.js';
import type { Probe } from '../probe.js';

export interface JudgeRequest {
  readonly question: string;
  readonly answer: string;
  readonly context: string;
  readonly facts: readonly { readonly kind: string; readonly values: readonly string[] }[];
  readonly criteria: readonly {
    readonly criterionId: CriterionId;
    readonly anchors: { readonly 0: string; readonly 3: string; readonly 5: string };
  }[];
  readonly markingRules: readonly string[];
}

/** Stands in place of what nobody but its provider can read. */
export const BLOB_LINE = '[Earlier work is held in a form that cannot be shown here.]';

export function buildJudgeRequest(
  probe: Pick<Probe, 'question' | 'type' | 'facts'>,
  answer: string,
  context: string,
): JudgeRequest {
  return {
    question: probe.question,
    answer,
    context: blindContext(context),
    facts: probe.facts.map((fact) => ({ kind: fact.kind, values: valuesOf(fact) })),
    criteria: criteriaOf(probe.type).map(({ criterionId, anchors: [zero, three, five] }) => ({
      criterionId,
      anchors: { 0: zero, 3: three, 5: five },
    })),
    markingRules: MARKING_RULES,
  };
}

const ITEM_MARK = /^#\d+ (?:\[[a-z]+\] )?/gm;
const ARCHIVED = /^\(\d+ archived: section:[\w-]+\)$/gm;
const PROVENANCE = / \{cycle \d+–\d+, version \d+, by [^}]*\}$/gm;
const HANDLE = / ?\[?\b(?:entry|section|cycle|trail|path):[\w./*-]+\]?/g;
const ULID = /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;
const SIZE = /\[\d+ of \d+ characters left out here, \d+ tokens in all;[^\]]*\]/g;

/** Without handles, marks of items and cycles, sizes and ids; empty lines that this leaves are closed up. */
export function blindContext(context: string): string {
  return context
    .replaceAll(SIZE, '[…]')
    .replaceAll(ARCHIVED, '')
    .replaceAll(PROVENANCE, '')
    .replaceAll(ITEM_MARK, '- ')
    .replaceAll(HANDLE, '')
    .replaceAll(ULID, '[id]')
    .replaceAll(/\n{3,}/g, '\n\n');
}
