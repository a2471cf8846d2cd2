/** What a plan does not know, and giving a piece of it back. */
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type CommandResult, countOf, formatCount } from '../view.js';
import { relevanceText } from './plan-reading.js';

export function listDropped(terminal: Terminal, name: string): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { planId } = await core.plans.resolve(name);
    const { dropped, spawn } = await core.audit.dropped(planId);
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
            { title: 'fragment_id', isElastic: true },
            { title: 'tokens', align: 'right' },
            { title: 'relevance', align: 'right' },
            { title: 'reason' },
            { title: 'dropped_by' },
          ],
          rows: dropped.map((fragment) => [
            fragment.fragmentId,
            formatCount(fragment.tokenCount),
            relevanceText(fragment.relevance),
            fragment.reason,
            fragment.droppedBy,
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
  fragmentId: string,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { planId } = await core.plans.resolve(name);
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
