/** `agents eval evidence`: which share of marked evidence survives, by arm and budget. */
import {
  EVIDENCE_ARMS,
  type EvidenceArm,
} from '../../../domain/evaluation/evidence/evidence-task.js';
import type { EvidenceTask } from '../../../domain/evaluation/evidence/evidence-task.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import { openSources } from '../open-sources.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult } from '../view.js';
import { seedOf } from './evaluation-options.js';
import { type AssertOptions, requireAssertions } from './evaluation-assertions.js';
import { reportResult } from './evaluation-result.js';

export interface EvidenceOptions extends AssertOptions {
  readonly budgets: string;
  readonly task: EvidenceTask;
  readonly arms?: string;
  readonly seed: string;
  readonly tuned?: boolean;
  readonly tenant: string;
}

export async function measureEvidence(
  terminal: Terminal,
  file: string,
  options: EvidenceOptions,
): Promise<CommandResult> {
  const budgets = budgetsOf(options.budgets);
  const arms = armsOf(options.arms);
  const seed = seedOf(options.seed);
  requireAssertions(options);
  const [source] = await openSources(terminal, [file]);
  if (source === undefined) throw new UsageError('A file with marked evidence is missing.');
  const { evidenceLines } = await import('../../evaluation/evidence-lines.js');
  try {
    await source.head();
    return await withCore(terminal, async (core) => {
      const { task, tuned = false, tenant: tenantId } = options;
      const settings = { data: source.name, task, budgets, arms, seed, tuned };
      const recorded = await core.evaluations.runs.record(
        { tenantId, kind: 'evidence', settings },
        () =>
          core.evaluations.evidence.measure({
            lines: evidenceLines(source),
            source: source.name,
            task,
            arms,
            budgets,
            seed,
            isTuningData: tuned,
          }),
      );
      return reportResult(recorded, options);
    });
  } finally {
    await source.dispose();
  }
}

function budgetsOf(text: string): readonly number[] {
  const budgets = text.split(',').map((part) => Number(part.trim()));
  const isUsable = budgets.every((budget) => budget > 0 && budget <= 100);
  if (isUsable && budgets.length > 0) return [...new Set(budgets)].sort((a, b) => a - b);
  throw new UsageError(
    '--budgets takes percentages above 0 and at most 100, such as 5,10,15,30,50.',
  );
}

function armsOf(text: string | undefined): readonly EvidenceArm[] {
  if (text === undefined) return EVIDENCE_ARMS;
  const names = text.split(',').map((part) => part.trim());
  const unknown = names.find((name) => !EVIDENCE_ARMS.some((arm) => arm === name));
  if (unknown === undefined) return EVIDENCE_ARMS.filter((arm) => names.includes(arm));
  throw new UsageError(
    `There is no arm ${JSON.stringify(unknown.slice(0, 60))}. There are ${EVIDENCE_ARMS.join(', ')}.`,
  );
}
