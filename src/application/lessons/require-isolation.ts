import { OssatureError } from '../../domain/kernel/errors.js';
import type { ResolvedLessonSettings } from '../../domain/lessons/lesson-settings.js';
import type { ReplayTask } from './ports.js';

/** @throws OssatureError INVALID_CONFIG for an agent inside of this process that nobody allowed. */
export function requireIsolation(agent: ReplayTask, { values }: ResolvedLessonSettings): void {
  if (agent.isolation === 'process' || values['replay.allow_in_process']) return;
  throw new OssatureError(
    'INVALID_CONFIG',
    'The replay agent runs inside of this process, where memory of the longer text may leak in. Use one that starts a process, or set lessons.replay.allow_in_process; what it accepts is provisional.',
    { details: { field: 'lessons.replay.allow_in_process' } },
  );
}
