/** Decisions of a plan: listing them, and putting one in the place of another. */
import { parseDecisionId } from '../../../domain/kernel/ids.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type CommandResult, countOf } from '../view.js';

export interface DecisionsOptions {
  readonly all?: boolean;
}

export interface SupersedeOptions {
  readonly choice: string;
  readonly rationale?: string;
}

export function listDecisions(
  terminal: Terminal,
  name: string,
  { all = false }: DecisionsOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { planId } = await core.plans.resolve(name);
    const known = await core.plans.listDecisions(planId);
    const shown = known.filter(({ supersededBy }) => all || supersededBy === null);
    const hidden = known.length - shown.length;
    return {
      data: { planId, decisions: shown, hiddenSuperseded: hidden },
      view: [
        {
          block: 'table',
          title: 'Decisions',
          columns: [
            { title: 'decision_id' },
            { title: 'type' },
            ...(all ? [{ title: 'superseded_by' }] : []),
            { title: 'choice', isElastic: true },
          ],
          rows: shown.map((decision) => [
            decision.decisionId,
            decision.type,
            ...(all ? [decision.supersededBy ?? ''] : []),
            decision.choice.slice(0, 500),
          ]),
          none: 'This plan has no decisions.',
        },
      ],
      messages:
        hidden === 0
          ? []
          : [
              {
                level: 'info',
                text: `${countOf(hidden, 'superseded decision')} hidden: --all shows them.`,
              },
            ],
    };
  });
}

export function supersedeDecision(
  terminal: Terminal,
  decision: string,
  { choice, rationale }: SupersedeOptions,
): Promise<CommandResult> {
  const decisionId = parseDecisionId(decision);
  return withCore(terminal, async (core) => {
    const { TOKENS } = await import('../../../index.js');
    const earlier = await core.resolve(TOKENS.decisionRepository).get(decisionId);
    const made = await core.plans.decide(earlier.planId, {
      type: earlier.type,
      choice,
      supersedes: decisionId,
      ...(earlier.question === null ? {} : { question: earlier.question }),
      ...(rationale === undefined ? {} : { rationale }),
    });
    return {
      data: { ...made, supersedes: decisionId },
      view: [
        {
          block: 'fields',
          title: 'Decision superseded',
          fields: [
            ['decision_id', made.decisionId],
            ['supersedes', decisionId],
            ['plan_id', made.planId],
            ['choice', made.choice],
          ],
        },
      ],
    };
  });
}
