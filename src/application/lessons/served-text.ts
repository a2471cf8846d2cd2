import type { ServedLesson } from './recall-lessons.js';

/** What an agent is shown of a lesson: its text, what experience says belongs to it, an open question. */
export function servedText({
  text,
  patches,
  question,
}: Pick<ServedLesson, 'text' | 'patches' | 'question'>): string {
  return [
    text,
    ...patches.map(({ claim }) => claim),
    ...(question === null ? [] : [question]),
  ].join('\n\n');
}
