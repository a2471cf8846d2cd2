/** Assemblies as a person reads them. */
import type { ExcludedFragment } from '../../../domain/assembly/assembly-fragment.js';
import type { AssemblyPayload } from '../../../domain/assembly/assembly-payload.js';
import { renderPayload } from '../../../domain/assembly/render-payload.js';
import type {
  Inspection,
  Simulation,
} from '../../../application/assembly/context-inspection-service.js';
import { type Block, countOf, type Field, formatCount, type Message } from '../view.js';
import { relevanceText } from './plan-reading.js';

/** Rows of a table for a person; JSON and YAML have all. */
const SHOWN_ROWS = 10;

export function inspectionView(inspection: Inspection): readonly Block[] {
  const { payload, project, planId, view, spawnRatio } = inspection;
  const origin = spawnRatio.setBy === null ? 'built in' : `set by ${spawnRatio.setBy}`;
  return [
    {
      block: 'fields',
      title: 'Assembly',
      fields: [
        ['project', project.name],
        ['plan_id', planId],
        ['query', clip(payload.query)],
        ['view', view],
        ['spawns remove', `${spawnRatio.ratio} (${origin})`],
      ],
    },
    { block: 'fields', title: 'Budget', fields: budgetFields(payload) },
    strategyTable(payload),
  ];
}

export function simulationView({ payload, fused, project, planId }: Simulation): readonly Block[] {
  return [
    {
      block: 'fields',
      title: 'Simulation',
      fields: [
        ['project', project.name],
        ['plan_id', planId],
        ['query', clip(payload.query)],
        ['offered', countOf(fused.offered, 'fragment')],
        ['fused', `${countOf(fused.duplicates, 'duplicate')}, ${fused.shallower} shallower`],
        ['kept', countOf(fused.kept, 'fragment')],
        ['skeleton', countOf(payload.skeletonFragments.length, 'fragment')],
        ['excluded', reasonsOf(payload.excluded)],
        ['used', usedText(payload)],
      ],
    },
    strategyTable(payload),
    keptTable(payload),
    excludedTable(payload.excluded),
  ];
}

/** The text for the model is the result; everything about it goes to stderr. */
export function payloadView(payload: AssemblyPayload): readonly Block[] {
  const text = renderPayload(payload);
  return text === '' ? [] : [{ block: 'text', text }];
}

export function summaryView(payload: AssemblyPayload, file: string): readonly Block[] {
  return [
    {
      block: 'fields',
      title: 'Assembled',
      fields: [
        ['plan_id', payload.planId],
        ['file', file],
        ['fragments', countOf(payload.fragments.length, 'fragment')],
        ['skeleton', countOf(payload.skeletonFragments.length, 'fragment')],
        ['excluded', reasonsOf(payload.excluded)],
        ['used', usedText(payload)],
      ],
    },
  ];
}

export function messagesOn(payload: AssemblyPayload): readonly Message[] {
  const { strategies, excluded, fragments, skeletonFragments } = payload;
  const failures = strategies.flatMap(({ name, failure }): readonly Message[] =>
    failure === null
      ? []
      : [
          {
            level: 'warning',
            text: `The strategy ${name} gave nothing (${failure.reason}): ${failure.message}`,
          },
        ],
  );
  if (fragments.length + skeletonFragments.length > 0) {
    const left =
      excluded.length === 0
        ? ''
        : ` Left out: ${reasonsOf(excluded)}; \`--format json\` lists them.`;
    return [...failures, { level: 'info', text: `${usedText(payload)} used.${left}` }];
  }
  const text =
    excluded.length === 0
      ? 'The plan knows nothing yet, so there is nothing to show.'
      : `Nothing fits: ${reasonsOf(excluded)}. Give a larger --budget.`;
  return [...failures, { level: 'warning', text }];
}

function budgetFields({ budget, totalTokens, budgetUsed }: AssemblyPayload): readonly Field[] {
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
    ['used', `${formatCount(totalTokens)} (${percent(budgetUsed)})`],
  ];
}

function strategyTable({ strategies }: AssemblyPayload): Block {
  return {
    block: 'table',
    title: 'strategies',
    isPart: true,
    columns: [
      { title: 'strategy', isElastic: true },
      { title: 'confidence', align: 'right' },
      { title: 'share', align: 'right' },
      { title: 'tokens', align: 'right' },
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

function keptTable({ fragments }: AssemblyPayload): Block {
  return {
    block: 'table',
    title: 'kept',
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
function excludedTable(excluded: readonly ExcludedFragment[]): Block {
  return {
    block: 'table',
    title: 'excluded',
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

function reasonsOf(excluded: readonly ExcludedFragment[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of excluded) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (counts.size === 0) return 'nothing';
  return [...counts].map(([reason, count]) => `${formatCount(count)} ${reason}`).join(', ');
}

function usedText({ totalTokens, budgetUsed, budget }: AssemblyPayload): string {
  return `${formatCount(totalTokens)} of ${countOf(budget.availableTokens, 'token')} (${percent(budgetUsed)})`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

function clip(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
