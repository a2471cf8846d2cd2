/** What a plan does not know, and giving a piece of it back. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type CommandResult, countOf, formatCount } from '../view.js';
import { relevanceText } from './plan-reading.js';

export function listDropped(terminal: Terminal, name: string): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { planId } = await core.plans.resolve(name);
    const { dropped, spawn } = await core.audit.dropped(planId);
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
          none:
            spawn === null
              ? 'A root plan inherits nothing, so nothing was dropped on the way to it.'
              : 'Nothing was dropped on the way to this plan.',
        },
      ],
      messages:
        dropped.length === 0
          ? []
          : [
              {
                level: 'info',
                text: `${countOf(dropped.length, 'fragment')} dropped: \`agents plan recall ${planId} FRAGMENT\` gives one back.`,
              },
            ],
    };
  });
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

/**
 * The id that the word is, or begins, with or without what stands before its last colon: ids of
 * sessions are longer than a table is wide. A word that fits none is left to the audit to refuse.
 */
function wholeId(
  word: string,
  dropped: readonly { readonly planId: string; readonly fragmentId: string }[],
): string {
  const isExact = dropped.some(({ fragmentId }) => fragmentId === word);
  if (isExact || word.length < SHORTEST_BEGINNING) return word;
  const candidates = dropped
    .map(({ fragmentId }) => fragmentId)
    .filter((id) => id.startsWith(word) || id.slice(id.lastIndexOf(':') + 1).startsWith(word));
  const [only, another] = candidates;
  if (another === undefined) return only ?? word;
  const shown = candidates.slice(0, 5).join(', ');
  throw new OssatureError(
    'NOT_FOUND',
    `${countOf(candidates.length, 'dropped fragment')} begin with ${JSON.stringify(word)}, such as ${shown}. Give more of the id.`,
    { details: { candidates } },
  );
}
