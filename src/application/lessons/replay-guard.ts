/** What keeps a replayed agent from recording itself. */

/** Set in the environment of every process that a replay starts. */
export const GUARD_FLAG = 'OSSATURE_REPLAY';

/** Whether a replay started this process: what it would record or compress is none of anybody's work. */
export function isReplay(env: Readonly<Record<string, string | undefined>>): boolean {
  const flag = env[GUARD_FLAG] ?? '';
  return flag !== '' && flag !== '0';
}
