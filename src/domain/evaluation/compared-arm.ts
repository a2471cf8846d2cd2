/**
 * Ways to produce a context from one prefix: references that anybody can check, the strategies of passes,
 * each with the chooser of any trigger (`offline:importance`), and what a host brings. `full` is the control.
 */
import { TRIGGER_NAMES, type TriggerName } from '../session/pass/trigger-names.js';
import type { SummaryStrategy } from '../session/summary/gate-input.js';

export const PLAIN_ARMS = ['full', 'tail', 'head'] as const;
export type PlainArm = (typeof PLAIN_ARMS)[number];

export const PASS_ARMS = [
  'offline',
  'anchored',
  'regenerative',
  'opaque',
] as const satisfies readonly SummaryStrategy[];

export type ComparedArm =
  | { readonly name: PlainArm; readonly way: 'plain' }
  | {
      readonly name: string;
      readonly way: 'pass';
      readonly strategy: SummaryStrategy;
      /** Whose chooser picks the span; null: that of the settings. */
      readonly trigger: TriggerName | null;
    }
  | { readonly name: string; readonly way: 'host' };

/** Null for what is none. @param hosts names of the arms of the host. */
export function parseArm(name: string, hosts: readonly string[]): ComparedArm | null {
  const plain = PLAIN_ARMS.find((one) => one === name);
  if (plain !== undefined) return { name: plain, way: 'plain' };
  if (hosts.includes(name)) return { name, way: 'host' };
  const [first = '', chooser, ...more] = name.split(':');
  const strategy = PASS_ARMS.find((one) => one === first);
  const trigger = TRIGGER_NAMES.find((one) => one === chooser) ?? null;
  const isSound = more.length === 0 && (chooser === undefined || trigger !== null);
  return strategy !== undefined && isSound ? { name, way: 'pass', strategy, trigger } : null;
}

/** Each once, in the order given. */
export function parseArms(
  names: readonly string[],
  hosts: readonly string[],
):
  | { readonly arms: readonly ComparedArm[] }
  /** The first that is none, and what to write instead. */
  | { readonly unknown: string; readonly valid: string } {
  const arms: ComparedArm[] = [];
  for (const name of new Set(names)) {
    const arm = parseArm(name, hosts);
    if (arm === null) return { unknown: name, valid: validArms(hosts) };
    arms.push(arm);
  }
  return { arms };
}

function validArms(hosts: readonly string[]): string {
  const own = [...PLAIN_ARMS, ...PASS_ARMS, ...hosts].join(', ');
  return `${own}; a strategy of passes also with a chooser behind it, such as offline:${TRIGGER_NAMES.join(', offline:')}`;
}
