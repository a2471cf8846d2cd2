/** What an export had to change or leave out, named: nothing disappears in silence. */
export type ExportNoteReason =
  /** Thinking that the provider takes back only with its own signature. */
  | 'thinking-left-out'
  /** A text without a visible character; providers refuse such blocks. */
  | 'empty-left-out'
  /** A vendor's compaction mark, or a summary whose entries are there themselves. */
  | 'vendor-compaction-left-out'
  /** On a branch that was rewound. */
  | 'inactive-left-out'
  /** A result whose call is not in the transcript, shown as text. */
  | 'result-without-call'
  /** A call without a result, answered by a notice. */
  | 'result-missing'
  /** Several results of one call, shown as one. */
  | 'results-joined'
  /** An id that was used before, or that the provider does not accept. */
  | 'call-id-rewritten'
  | 'tool-name-rewritten'
  /** Arguments that are no JSON object, where the provider wants one. */
  | 'arguments-wrapped'
  /** A medium that is shown as a line of text. */
  | 'media-described'
  /** A system text in the middle, shown as a user text. */
  | 'system-as-user'
  /** The conversation began with the assistant; a user's line was put before it. */
  | 'opening-added';

export interface ExportNote {
  readonly reason: ExportNoteReason;
  /** The entry it is about; null for the request as a whole. */
  readonly seq: number | null;
}

export type TakeNote = (reason: ExportNoteReason, seq: number | null) => void;
