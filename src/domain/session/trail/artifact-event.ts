/** What one tool call did to one artifact: an append-only record, never changed afterwards. */

export const ARTIFACT_ACTIONS = [
  'created',
  'modified',
  'read',
  'deleted',
  'renamed',
  'listed',
] as const;

export type ArtifactAction = (typeof ARTIFACT_ACTIONS)[number];

/** Lines of a read, from 1, both ends included; `to` null: up to the end. */
export interface LineRange {
  readonly from: number;
  readonly to: number | null;
}

export interface ArtifactEvent {
  /** Of the call. */
  readonly seq: number;
  /** Of the result that settled it. */
  readonly resultSeq: number;
  /** From 0; with `seq` the identity of the event in its session. */
  readonly ordinal: number;
  readonly action: ArtifactAction;
  readonly path: string;
  /** The path before a rename, else null. */
  readonly oldPath: string | null;
  /** False: the call failed and changed nothing. */
  readonly ok: boolean;
  /** Null where neither the call nor its result tells. */
  readonly linesAdded: number | null;
  readonly linesRemoved: number | null;
  readonly range: LineRange | null;
  /** SHA-256 of the whole content before and after; null where it is not known for certain. */
  readonly hashBefore: string | null;
  readonly hashAfter: string | null;
  /** Names declared in or around the changed lines, at most 20. */
  readonly symbols: readonly string[];
  /** Read off the words of a command or the lack of earlier knowledge, not stated by a tool. */
  readonly inferred: boolean;
  /** One line, such as `3 hunks, +12 −4, createReset`. */
  readonly note: string;
  /** False on a branch that was rewound: the files had been changed all the same. */
  readonly active: boolean;
  /** Time of the record, or null. Never used for order. */
  readonly occurredAt: string | null;
}

export function isChange(action: ArtifactAction): boolean {
  return action !== 'read' && action !== 'listed';
}

/** Symbols that a note names; the event holds them all. */
const NOTED_SYMBOLS = 3;

export function eventNote(
  event: Pick<
    ArtifactEvent,
    'action' | 'ok' | 'linesAdded' | 'linesRemoved' | 'range' | 'symbols' | 'oldPath'
  >,
  hunks: number | null,
): string {
  const { action, ok, linesAdded, linesRemoved, range, symbols, oldPath } = event;
  const parts: string[] = [];
  if (!ok) parts.push('failed');
  if (action === 'renamed' && oldPath !== null) parts.push(`from ${oldPath}`);
  if (hunks !== null && hunks > 0) parts.push(hunks === 1 ? '1 hunk' : `${hunks} hunks`);
  if (linesAdded !== null || linesRemoved !== null) {
    parts.push(`+${linesAdded ?? '?'} −${linesRemoved ?? '?'}`);
  }
  if (range !== null) parts.push(`lines ${range.from}–${range.to ?? 'end'}`);
  parts.push(...symbols.slice(0, NOTED_SYMBOLS).map((symbol) => `\`${symbol}\``));
  if (symbols.length > NOTED_SYMBOLS) parts.push(`${symbols.length - NOTED_SYMBOLS} more symbols`);
  return parts.length === 0 ? action : parts.join(', ');
}
