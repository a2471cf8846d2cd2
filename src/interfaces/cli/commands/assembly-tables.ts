/** The parts of an assembly as fields and tables. */
import type { ExcludedFragment } from '../../../domain/assembly/assembly-fragment.js';
import type { AssemblyPayload } from '../../../domain/assembly/assembly-payload.js';
import { type Block, countOf, type Field, formatCount } from '../view.js';
import { relevanceText } from './plan-reading.js';

/** Rows of a table for a person; JSON and YAML have all. */
const SHOWN_ROWS = 10;

export function budgetFields({
  budget,
  totalTokens,
  budgetUsed,
}: AssemblyPayload): readonly Field[] {
  return [
    ['max_tokens', formatCount(budget.maxTokens)],
    ['reserved_tokens', `− ${formatCount(budget.reservedTokens)}`],
    ['available_tokens', `= ${formatCount(budget.availableTokens)}`],
    [
      'skeleton',
      `${formatCount(budget.skeletonTokens)} of the ${formatCount(budget.skeletonBudget)} reserved`,
    ],
    ['preamble', formatCount(budget.preambleTokens)],
    ['fragments', `${formatCount(budget.fragmentTokens)} of ${formatCount(budget.roomTokens)}`],
    ['blank lines between', formatCount(budget.jointTokens)],
    ['used', `${formatCount(totalTokens)} (${percent(budgetUsed)})`],
  ];
}

export function strategyTable({ strategies }: AssemblyPayload): Block {
  return {
    block: 'table',
    title: 'strategies',
    isPart: true,
    columns: [
      { title: 'strategy', isElastic: true },
      { title: 'confidence', align: 'right' },
      { title: 'share', align: 'right' },
      { title: 'promised', align: 'right' },
      { title: 'offered', align: 'right' },
      { title: 'kept', align: 'right' },
      { title: 'failure' },
    ],
    rows: strategies.map(
      ({ name, confidence, share, budgetTokens, offered, fragments, failure }) => [
        name,
        confidence.toFixed(2),
        percent(share),
        formatCount(budgetTokens),
        formatCount(offered),
        formatCount(fragments),
        failure?.reason ?? '',
      ],
    ),
    none: 'No strategy is bound.',
  };
}

export function keptTable({ fragments }: AssemblyPayload): Block {
  return {
    block: 'table',
    title: titleOf('kept', fragments),
    isPart: true,
    columns: [
      { title: 'fragment_id', isElastic: true, isId: true },
      { title: 'strategy' },
      { title: 'tokens', align: 'right' },
      { title: 'score', align: 'right' },
      { title: 'relevance', align: 'right' },
    ],
    rows: fragments
      .slice(0, SHOWN_ROWS)
      .map(({ fragmentId, strategy, tokenCount, reduced, score }) => [
        fragmentId,
        strategy,
        reduced === undefined
          ? formatCount(tokenCount)
          : `${formatCount(tokenCount)} of ${formatCount(reduced.fullTokenCount)}`,
        relevanceText(score.total),
        relevanceText(score.relevance),
      ]),
    none: 'Nothing.',
  };
}

/** Duplicates last: what they repeat is shown. */
export function excludedTable(excluded: readonly ExcludedFragment[]): Block {
  return {
    block: 'table',
    title: titleOf('excluded', excluded),
    isPart: true,
    columns: [
      { title: 'fragment_id', isElastic: true, isId: true },
      { title: 'strategy' },
      { title: 'tokens', align: 'right' },
      { title: 'reason' },
    ],
    rows: [...excluded]
      .sort((a, b) => Number(a.reason === 'duplicate') - Number(b.reason === 'duplicate'))
      .slice(0, SHOWN_ROWS)
      .map(({ fragmentId, strategy, tokenCount, reason }) => [
        fragmentId,
        strategy ?? 'none',
        formatCount(tokenCount),
        reason,
      ]),
    none: 'Nothing.',
  };
}

export function reasonsOf(excluded: readonly ExcludedFragment[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of excluded) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (counts.size === 0) return 'nothing';
  return [...counts].map(([reason, count]) => `${formatCount(count)} ${reason}`).join(', ');
}

export function usedText({ totalTokens, budgetUsed, budget }: AssemblyPayload): string {
  return `${formatCount(totalTokens)} of ${countOf(budget.availableTokens, 'token')} (${percent(budgetUsed)})`;
}

/** Says so where a table has only some of the rows. */
function titleOf(title: string, { length }: readonly unknown[]): string {
  if (length <= SHOWN_ROWS) return title;
  return `${title}, the first ${SHOWN_ROWS} of ${formatCount(length)}`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
