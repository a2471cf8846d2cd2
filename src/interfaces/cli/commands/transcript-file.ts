/** What an import of a plan says of a transcript: one line a file, whatever sessions are in it or beside it. */
import {
  type IngestionReceipt,
  mainReceipts,
} from '../../../application/session/ingestion-receipt.js';
import type { TranscriptReceipt } from '../../../application/session/transcript-receipt.js';
import type { FileReceipt } from './import-receipt.js';
import type { SessionReceipt } from './session-receipt.js';

/** @param found receipts of the sessions in the file, then of those beside it. */
export function transcriptFile(
  file: string,
  found: readonly SessionReceipt[],
  dryRun: boolean,
): FileReceipt {
  const own = found.filter((one) => one.file === file);
  const material = own[0]?.material ?? null;
  const written = {
    fragmentsAdded: material?.fragmentsAdded ?? 0,
    tokensAdded: material?.tokensAdded ?? 0,
    decisionsAdded: material?.decisionsAdded ?? 0,
    ...(dryRun ? {} : { fragmentsKnown: material?.fragmentsKnown ?? 0 }),
  };
  return { file, written, read: joined(file, own), sessions: found };
}

/** The sessions of one file as one receipt. */
function joined(file: string, own: readonly SessionReceipt[]): TranscriptReceipt | null {
  const receipts = mainReceipts(own.map(({ receipt }) => receipt));
  const [first] = receipts;
  if (first === undefined) return null;
  const material = own[0]?.material ?? null;
  const children = receipts.flatMap((receipt) => receipt.children);
  const subAgents = children
    .filter(({ kind }) => kind === 'sub-agent')
    .reduce((sum, { records }) => sum + records, 0);
  const regrown = material?.regrown ?? 0;
  return {
    sessionId: first.sessionId,
    vendorSessionId: first.vendorSessionId,
    format: first.format,
    lines: first.lines,
    bytes: first.bytes,
    entries: sumOf(receipts, ({ entries }) => entries),
    ignored: sumOf(receipts, ({ ignored }) => ignored),
    skipped: countsOf(receipts, ({ skipped }) => skipped),
    problems: {
      total: sumOf(receipts, ({ problems }) => problems.total),
      first: receipts.flatMap(({ problems }) => problems.first),
    },
    redactions: countsOf(receipts, ({ redactions }) => redactions),
    repaired: sumOf(receipts, ({ repaired }) => repaired),
    children,
    decisions: material?.decisionsRead ?? 0,
    fragments: material?.fragmentsRead ?? 0,
    leftOut: { ...material?.leftOut, ...(subAgents > 0 && { 'sub-agent': subAgents }) },
    incomplete: material?.incomplete ?? [],
    shortened: material?.shortened ?? 0,
    notes: [
      ...new Set(receipts.flatMap(({ notes }) => notes)),
      ...(receipts.length > 1
        ? [`${file} holds ${receipts.length} sessions; the first is named.`]
        : []),
      ...(regrown > 0
        ? [
            `${file}: ${regrown} of the fragments were made while their unit still grew; the whole units are there too, under ids of their own.`,
          ]
        : []),
    ],
  };
}

function sumOf(
  receipts: readonly IngestionReceipt[],
  countIn: (receipt: IngestionReceipt) => number,
): number {
  return receipts.reduce((sum, receipt) => sum + countIn(receipt), 0);
}

function countsOf(
  receipts: readonly IngestionReceipt[],
  countsIn: (receipt: IngestionReceipt) => Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const receipt of receipts) {
    for (const [name, count] of Object.entries(countsIn(receipt))) {
      counts.set(name, (counts.get(name) ?? 0) + count);
    }
  }
  return Object.fromEntries(counts);
}
