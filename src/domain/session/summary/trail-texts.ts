/** The lines of the trail as plain texts: where the gate looks for identifiers besides the span. */
import type { CommandLine, SectionLines } from './section-lines.js';

export function trailTexts(
  lines: SectionLines,
  commands: readonly CommandLine[],
): readonly string[] {
  return [
    ...lines.trail.map(({ path, note }) => joined(path, note)),
    ...lines.changes.map(({ path, note }) => joined(path, note)),
    ...lines.errors.map(({ text, path, line }) => joined(text, path, line)),
    ...lines.todos.map(({ text }) => text),
    ...lines.decisions.map(({ decision: { question, choice, rationale } }) =>
      joined(question, choice, rationale),
    ),
    ...commands.map(({ command, exitCode, outcome, commit }) =>
      joined(command, exitCode, outcome?.passed ?? null, outcome?.failed ?? null, commit),
    ),
  ];
}

function joined(...parts: readonly (string | number | null)[]): string {
  return parts.filter((part) => part !== null).join(' ');
}
