/** The trail as lines for the summary. Artifacts that were only listed stay in the trail alone. */
import { type ArtifactEvent, isChange } from '../trail/artifact-event.js';
import type { SessionCommand } from '../trail/session-commands.js';
import type { Trail } from '../trail/trail.js';
import { mayCommit, readCommit } from './read-commit.js';
import type { CommandLine, SectionLines } from './section-lines.js';

/**
 * @param events of the artifacts that changed or were read after `afterSeq`; notes and fixes come from them.
 * @param afterSeq last entry of the pass before; lines that are older are items already. 0: all.
 */
export function trailLines(
  trail: Pick<Trail, 'artifacts' | 'errors' | 'todos'>,
  events: readonly ArtifactEvent[],
  afterSeq: number,
): Pick<SectionLines, 'trail' | 'changes' | 'errors' | 'todos'> {
  const changes = events.filter(({ ok, active, action }) => ok && active && isChange(action));
  const notes = new Map(changes.map(({ path, note }) => [path, note === '' ? null : note]));
  return {
    trail: [...trail.artifacts.values()]
      .filter(({ state, lastSeq }) => state !== 'listed' && lastSeq > afterSeq)
      .map(({ path, state, lastSeq }) => ({
        path,
        state,
        note: notes.get(path) ?? null,
        lastSeq,
      })),
    changes: changes.map(({ seq, path, note }) => ({ seq, path, note: note === '' ? null : note })),
    errors: [...trail.errors.values()].flatMap((error) => {
      const lastSeq = error.seenAt.at(-1) ?? 0;
      if (Math.max(lastSeq, error.resolvedBy ?? 0) <= afterSeq) return [];
      const { firstLine: text, signature, file: path, line, count, state } = error;
      return [
        { text, signature, path, line, count, state, lastSeq, resolvedBySeq: error.resolvedBy },
      ];
    }),
    todos: trail.todos
      .filter(({ changedSeq }) => changedSeq > afterSeq)
      .map(({ text, state, changedSeq }) => ({ text, state, lastSeq: changedSeq })),
  };
}

/** @param outputOf the result of the command as text, asked for commands that may have committed. */
export function commandLines(
  commands: readonly SessionCommand[],
  outputOf: (command: SessionCommand) => string,
): readonly CommandLine[] {
  return commands
    .filter(({ active }) => active)
    .map((command) => {
      const { seq, command: words, exitCode, state, outcome } = command;
      const commit = mayCommit(words) ? readCommit(outputOf(command)) : null;
      return { seq, command: words, exitCode, state, outcome, commit };
    });
}
