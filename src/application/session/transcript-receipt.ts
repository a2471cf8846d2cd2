/** What an import says about a source: everything read, everything not read, and why. */
import { TextSet } from '../../domain/kernel/text-set.js';
import type { LeftOutReason } from '../../domain/session/plan-material.js';
import type { ChildTranscript, TranscriptEvent, TranscriptProblem } from './transcript-reader.js';

/** Problems listed one by one; all are counted. */
const LISTED_PROBLEMS = 100;

export interface TranscriptReceipt {
  readonly sessionId: string | null;
  readonly vendorSessionId: string | null;
  readonly format: string;
  readonly lines: number;
  readonly bytes: number;
  /** Entries that were read, sub-agents not included. */
  readonly entries: number;
  /** Records whose key and content were read before. */
  readonly ignored: number;
  /** Records that are no conversation, by type. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly problems: { readonly total: number; readonly first: readonly TranscriptProblem[] };
  readonly redactions: Readonly<Record<string, number>>;
  /** Characters replaced because they were ill-formed. */
  readonly repaired: number;
  /** Sub-agents; their records yield no fragments here. */
  readonly children: readonly ChildTranscript[];
  readonly decisions: number;
  readonly fragments: number;
  /** Entries without a fragment, by reason; `sub-agent` counts records. */
  readonly leftOut: Readonly<Partial<Record<LeftOutReason | 'sub-agent', number>>>;
  /** Source keys of last units whose calls have no result yet. */
  readonly incomplete: readonly string[];
  /** Fragments that are head, tail and handle of a larger unit. */
  readonly shortened: number;
  readonly notes: readonly string[];
}

/** Collects the events of a reader that are no entries. */
export class ReceiptTally {
  vendorSessionId: string | null = null;
  lines = 0;
  bytes = 0;
  entries = 0;
  ignored = 0;
  readonly children: ChildTranscript[] = [];
  /** Keys of the requests whose usage was reported. */
  readonly requests = new TextSet();
  readonly #skipped = new Map<string, number>();
  readonly #problems: TranscriptProblem[] = [];
  #problemCount = 0;

  get skipped(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#skipped].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  get problems(): TranscriptReceipt['problems'] {
    return { total: this.#problemCount, first: [...this.#problems] };
  }

  note(event: TranscriptEvent): void {
    switch (event.event) {
      case 'session':
        this.vendorSessionId = event.vendorSessionId;
        break;
      case 'entry':
        this.entries += 1;
        break;
      case 'skipped':
        this.#skipped.set(event.recordType, (this.#skipped.get(event.recordType) ?? 0) + 1);
        break;
      case 'usage':
        this.requests.add(event.usage.usageKey);
        break;
      case 'repeated':
        this.ignored += 1;
        break;
      case 'problem':
        this.report(event.problem);
        break;
      case 'child':
        this.children.push(event.child);
        break;
      case 'of-child':
        break;
      case 'end':
        this.lines = event.lines;
        this.bytes = event.bytes;
        break;
    }
  }

  report(problem: TranscriptProblem): void {
    this.#problemCount += 1;
    if (this.#problems.length < LISTED_PROBLEMS) this.#problems.push(problem);
  }
}
