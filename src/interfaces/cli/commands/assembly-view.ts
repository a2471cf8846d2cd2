/** Assemblies as a person reads them. */
import type { ExclusionReason } from '../../../domain/assembly/assembly-fragment.js';
import type { AssemblyPayload } from '../../../domain/assembly/assembly-payload.js';
import { renderPayload } from '../../../domain/assembly/render-payload.js';
import type {
  Inspection,
  Simulation,
} from '../../../application/assembly/context-inspection-service.js';
import { type Block, countOf, type Message } from '../view.js';
import {
  budgetFields,
  excludedTable,
  keptTable,
  reasonsOf,
  strategyTable,
  usedText,
} from './assembly-tables.js';

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
  const isEmpty = fragments.length + skeletonFragments.length === 0;
  const failures = strategies.flatMap(({ name, failure }): readonly Message[] =>
    // That nothing fits is said below, once.
    failure === null || (failure.reason === 'no-room' && isEmpty)
      ? []
      : [
          {
            level: 'warning',
            text: `The strategy ${name} gave nothing (${failure.reason}): ${failure.message}`,
          },
        ],
  );
  if (!isEmpty) {
    const left =
      excluded.length === 0
        ? ''
        : ` Left out: ${reasonsOf(excluded)}; \`--format json\` lists them.`;
    return [...failures, { level: 'info', text: `${usedText(payload)} used.${left}` }];
  }
  return [...failures, { level: 'warning', text: adviceOn(payload) }];
}

function adviceOn({ excluded, strategies }: AssemblyPayload): string {
  if (excluded.length === 0) return 'The plan knows nothing yet, so there is nothing to show.';
  const reasons = reasonsOf(excluded);
  const has = (reason: ExclusionReason): boolean => excluded.some((one) => one.reason === reason);
  if (has('over-budget')) return `Nothing fits: ${reasons}. Give a larger --budget.`;
  if (!has('not-offered')) return `Nothing is shown: ${reasons}.`;
  const isFailed = strategies.some(
    ({ failure }) => failure !== null && failure.reason !== 'no-room',
  );
  const cause = isFailed ? 'Mend the strategies that failed.' : 'No strategy offered anything.';
  return `Nothing is shown: ${reasons}. ${cause} A larger --budget does not help.`;
}

function clip(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
