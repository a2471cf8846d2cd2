/** Content, lines and symbols of one change, from what the call carries and what was known before. */
import { applyHunks } from './apply-patch.js';
import { applyEdits, lineChange, linesOf } from './line-changes.js';
import type { ArtifactFact, ContentChange } from './tool-mapping.js';

/** The whole content after the change, or null where it does not follow for certain. */
export function contentAfter(
  change: ContentChange | undefined,
  before: string | null,
  copied: string | null,
): string | null {
  switch (change?.change) {
    case undefined:
      return null;
    case 'whole':
      return change.content;
    case 'copy':
      return copied;
    case 'edits':
      return before === null ? null : applyEdits(before, change.edits);
    case 'hunks':
      return before === null ? null : applyHunks(before, change.hunks);
    case 'append':
      return before === null ? null : before + change.content;
  }
}

export interface CountedLines {
  readonly linesAdded: number | null;
  readonly linesRemoved: number | null;
}

const NOT_KNOWN: CountedLines = { linesAdded: null, linesRemoved: null };

export function countLines(
  { content: change, linesAdded, linesRemoved }: ArtifactFact,
  isNew: boolean,
  before: string | null,
  after: string | null,
): CountedLines {
  if (linesAdded !== undefined || linesRemoved !== undefined) {
    return { linesAdded: linesAdded ?? null, linesRemoved: linesRemoved ?? null };
  }
  if (change?.change === 'append') {
    return { linesAdded: linesOf(change.content).length, linesRemoved: 0 };
  }
  if (before !== null && after !== null) return lineChange(before, after);
  if (isNew && after !== null) return lineChange('', after);
  if (change?.change !== 'edits' || change.edits.some(({ everywhere }) => everywhere)) {
    return NOT_KNOWN;
  }
  const changes = change.edits.map(({ oldText, newText }) => lineChange(oldText, newText));
  return {
    linesAdded: changes.reduce((sum, part) => sum + part.linesAdded, 0),
    linesRemoved: changes.reduce((sum, part) => sum + part.linesRemoved, 0),
  };
}

/** The lines in which symbols are looked for: those changed and those shown around them. */
export function changedLines(change: ContentChange | undefined): readonly string[] {
  switch (change?.change) {
    case undefined:
    case 'copy':
      return [];
    case 'whole':
    case 'append':
      return change.content.split('\n');
    case 'edits':
      return change.edits.flatMap(({ oldText, newText }) => `${newText}\n${oldText}`.split('\n'));
    case 'hunks':
      return change.hunks.flatMap(({ head, lines }) => [
        head,
        ...lines.map((line) => line.slice(1)),
      ]);
  }
}

/** Stretches of a file that a change touched, or null where the call does not tell. */
export function countHunks({ hunks, content }: ArtifactFact): number | null {
  if (hunks !== undefined) return hunks;
  return content?.change === 'edits' ? content.edits.length : null;
}
