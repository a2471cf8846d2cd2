/** When a pass is due: four pure answers, and how a host combines them. */
import type { PassSettings } from './settings.js';
import type { TriggerName } from './trigger-names.js';

/** What triggers are asked about, in calibrated tokens. */
export interface TriggerSizes {
  readonly usedTokens: number;
  /** Turns that have entries in the tail. */
  readonly tailTurns: number;
  /** What leaves when all but the last `keepTurns` turns leave. */
  readonly slidingTokens: number;
  readonly minFreedTokens: number;
  readonly hasEndedTask: boolean;
}

export interface TriggerAnswer {
  readonly trigger: TriggerName;
  readonly due: boolean;
  readonly reason:
    | 'fill-line-reached'
    | 'below-fill-line'
    | 'enough-turns'
    | 'frees-too-little'
    | 'task-ended'
    | 'no-task-ended'
    | 'below-boundary-line';
  readonly numbers: Readonly<Record<string, number>>;
}

export function askTrigger(
  trigger: TriggerName,
  sizes: TriggerSizes,
  settings: PassSettings,
): TriggerAnswer {
  const { usedTokens, tailTurns, slidingTokens, minFreedTokens } = sizes;
  const { fillTokens, boundaryTokens } = settings;
  const isFull = usedTokens >= fillTokens;
  const full: TriggerAnswer = {
    trigger,
    due: isFull,
    reason: isFull ? 'fill-line-reached' : 'below-fill-line',
    numbers: { usedTokens, fillTokens },
  };
  switch (trigger) {
    case 'fixed_threshold':
    case 'importance':
      return full;
    case 'sliding_window': {
      const turns = settings.keepTurns + settings.slideTurns;
      if (isFull || tailTurns < turns) {
        return { ...full, numbers: { ...full.numbers, tailTurns, turns } };
      }
      const due = slidingTokens >= minFreedTokens;
      const numbers = { tailTurns, turns, slidingTokens, minFreedTokens };
      return { trigger, due, reason: due ? 'enough-turns' : 'frees-too-little', numbers };
    }
    case 'task_boundary': {
      const isOver = usedTokens >= boundaryTokens;
      const due = sizes.hasEndedTask && isOver;
      const missing = sizes.hasEndedTask ? 'below-boundary-line' : 'no-task-ended';
      const numbers = { usedTokens, boundaryTokens };
      return { trigger, due, reason: due ? 'task-ended' : missing, numbers };
    }
  }
}

/** The trigger that chooses the span: the first of the first list whose triggers are all due. */
export function firingTrigger(
  groups: readonly (readonly TriggerName[])[],
  sizes: TriggerSizes,
  settings: PassSettings,
): { readonly fired: TriggerName | null; readonly answers: readonly TriggerAnswer[] } {
  const names = [...new Set(groups.flat())];
  const answers = names.map((name) => askTrigger(name, sizes, settings));
  const due = new Set(answers.filter((answer) => answer.due).map(({ trigger }) => trigger));
  const group = groups.find((members) => members.every((name) => due.has(name)));
  return { fired: group?.[0] ?? null, answers };
}

/**
 * Whether a pass can be due at all, from sums alone: false spares reading the marks of a long tail.
 *
 * @param totals used tokens calibrated, previews counted as such.
 */
export function mayBeDue(
  totals: Pick<TriggerSizes, 'usedTokens' | 'tailTurns' | 'hasEndedTask'>,
  settings: PassSettings,
): boolean {
  const atMost = { ...totals, slidingTokens: totals.usedTokens, minFreedTokens: 0 };
  return firingTrigger(settings.triggers, atMost, settings).fired !== null;
}
