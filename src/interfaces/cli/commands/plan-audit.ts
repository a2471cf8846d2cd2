/** What a plan does not know, and giving a piece of it back. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type CommandResult, countOf, formatCount, type Message } from '../view.js';
import { relevanceText } from './plan-reading.js';

export function listDropped(terminal: Terminal, name: string): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { planId } = await core.plans.resolve(name);
    const { plan, dropped, spawn, withoutRecord } = await core.audit.dropped(planId);
    const hasSeveralPasses = new Set(dropped.map(({ droppedBy }) => droppedBy)).size > 1;
    return {
      data: {
        planId,
        skeleton:
          spawn === null
            ? null
            : {
                ratio: spawn.ratio,
                ratioOrigin: spawn.ratioOrigin,
                relevanceSource: spawn.relevanceSource,
                skeletonBudget: spawn.skeletonBudget,
                originalTokens: spawn.originalTokens,
                compressedTokens: spawn.compressedTokens,
              },
        dropped: dropped.map(({ fragmentId, ...fragment }) => ({ id: fragmentId, ...fragment })),
        ...(withoutRecord.length === 0 ? {} : { withoutRecord }),
      },
      view: [
        {
          block: 'table',
          title: 'Dropped',
          columns: [
            { title: 'fragment_id', isElastic: true, isId: true },
            { title: 'tokens', align: 'right' },
            { title: 'relevance', align: 'right' },
            { title: 'reason' },
            ...(hasSeveralPasses ? [{ title: 'dropped_by' }] : []),
          ],
          rows: dropped.map((fragment) => [
            fragment.fragmentId,
            formatCount(fragment.tokenCount),
            relevanceText(fragment.relevance),
            fragment.reason,
            ...(hasSeveralPasses ? [fragment.droppedBy] : []),
          ]),
          none: noneDropped(plan.parentPlanId === null, withoutRecord.length > 0),
        },
      ],
      messages: [
        ...withoutRecord.map((unknown) => recordMissing(unknown, planId)),
        ...(dropped.length === 0
          ? []
          : [
              {
                level: 'info',
                text: `${countOf(dropped.length, 'fragment')} dropped: \`agents plan recall ${planId} FRAGMENT\` gives one back.`,
              } satisfies Message,
            ]),
      ],
      ...(withoutRecord.length === 0 ? {} : { exitCode: 1 }),
    };
  });
}

function noneDropped(isRoot: boolean, isUnknown: boolean): string {
  if (isUnknown) return 'What was dropped on the way to this plan is not known.';
  return isRoot
    ? 'A root plan inherits nothing, so nothing was dropped on the way to it.'
    : 'Nothing was dropped on the way to this plan.';
}

function recordMissing(withoutRecord: string, planId: string): Message {
  const whose = withoutRecord === planId ? 'this plan' : `ancestor ${withoutRecord}`;
  return {
    level: 'error',
    code: 'STORE_FAILED',
    text: `The record of ${whose}'s spawn is missing, so this list lacks what was dropped there. Records go only when rows are destroyed from outside, or by \`database revert --force\`.`,
    details: { planId: withoutRecord },
  };
}

export function recallFragment(
  terminal: Terminal,
  name: string,
  word: string,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { planId } = await core.plans.resolve(name);
    const fragmentId = wholeId(word, (await core.audit.dropped(planId)).dropped);
    const { fragment, recalls, superseded } = await core.audit.recall(planId, fragmentId);
    return {
      data: {
        planId,
        fragment: {
          id: fragment.fragmentId,
          planId: fragment.planId,
          tokenCount: fragment.tokenCount,
          relevance: fragment.relevance,
        },
        superseded,
        recalls,
      },
      view: [
        {
          block: 'fields',
          title: 'Recalled',
          fields: [
            ['plan_id', planId],
            ['fragment_id', fragment.fragmentId],
            ['token_count', formatCount(fragment.tokenCount)],
            ['recalls', String(recalls)],
          ],
        },
      ],
      messages: superseded
        ? [
            {
              level: 'warning',
              text: 'This fragment follows from a decision that was superseded: no later skeleton will carry it.',
            },
          ]
        : [],
    };
  });
}

/** Characters from which the beginning of an id names it. */
const SHORTEST_BEGINNING = 4;

/** Candidates that an error names; all are in its details. */
const SHOWN_CANDIDATES = 5;

/**
 * The id that the word is, or begins, with or without what stands before its last colon: ids of
 * sessions are longer than a table is wide. A word that fits none is left to the audit to refuse.
 */
function wholeId(
  word: string,
  dropped: readonly { readonly planId: string; readonly fragmentId: string }[],
): string {
  const ids = [...new Set(dropped.map(({ fragmentId }) => fragmentId))];
  if (word === '' || ids.includes(word)) return word;
  const candidates = ids.filter(
    (id) => id.startsWith(word) || id.slice(id.lastIndexOf(':') + 1).startsWith(word),
  );
  const [only, another] = candidates;
  if (only === undefined) return word;
  const isTooShort = word.length < SHORTEST_BEGINNING;
  if (another === undefined && !isTooShort) return only;
  const rest = candidates.length > SHOWN_CANDIDATES ? ', …' : '';
  const shown = candidates.slice(0, SHOWN_CANDIDATES).join(', ') + rest;
  const fits = `${countOf(candidates.length, 'dropped fragment')} ${another === undefined ? 'begins' : 'begin'} so: ${shown}`;
  throw new OssatureError(
    'INVALID_INPUT',
    isTooShort
      ? `${JSON.stringify(word)} is too short a beginning of an id: give at least ${SHORTEST_BEGINNING} characters, or the whole id. ${fits}.`
      : `${JSON.stringify(word)} is ambiguous. ${fits}. Give more of the id.`,
    { details: { field: 'fragment', candidates } },
  );
}
