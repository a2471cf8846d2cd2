/** The four triggers by name, and lists of them: AND inside a list, OR across lists. */
import { OssatureError } from '../../kernel/errors.js';

export const TRIGGER_NAMES = [
  'fixed_threshold',
  'sliding_window',
  'importance',
  'task_boundary',
] as const;

export type TriggerName = (typeof TRIGGER_NAMES)[number];

/** @throws INVALID_CONFIG for an unknown name or an empty list, which would never or always fire. */
export function checkTriggers(
  groups: readonly (readonly TriggerName[])[],
): readonly (readonly TriggerName[])[] {
  const isSound =
    groups.length > 0 &&
    groups.every(
      (group) => group.length > 0 && group.every((name) => TRIGGER_NAMES.includes(name)),
    );
  if (isSound) return groups;
  throw new OssatureError(
    'INVALID_CONFIG',
    `triggers must be a list of non-empty lists of ${TRIGGER_NAMES.join(', ')}: set other ones, as by \`agents session set SESSION triggers=VALUE\`.`,
    { details: { field: 'triggers' } },
  );
}
