/** What an import says about each file: what came in, what was known, what was not read and why. */
import type { ImportReceipt } from '../../../application/plan/import-run.js';
import type { MaterialReceipt } from '../import-material.js';
import { type Block, formatCount } from '../view.js';
import { Verbatim } from '../wire-names.js';
import { sessionFacts, type SessionReceipt } from './session-receipt.js';

export interface FileReceipt {
  readonly file: string;
  readonly written: Omit<ImportReceipt, 'planId' | 'fragmentsKnown'> &
    Partial<Pick<ImportReceipt, 'fragmentsKnown'>>;
  /** Null for an empty file. */
  readonly read: MaterialReceipt | null;
  /** Of a transcript: the sessions that it is in the store. */
  readonly sessions?: readonly SessionReceipt[];
}

/** Counts by names that are the source's keep those names. */
export function receiptFacts({ file, written, read, sessions }: FileReceipt) {
  const { fragmentsAdded, fragmentsKnown = 0, tokensAdded, decisionsAdded } = written;
  const facts = { file, format: read?.format ?? null, fragmentsAdded, fragmentsKnown, tokensAdded };
  if (read === null) return { ...facts, decisionsAdded, lines: 0, bytes: 0 };
  const { format: _, fragments, redactions, ...rest } = read;
  return {
    ...facts,
    decisionsAdded,
    fragmentsRead: fragments,
    ...rest,
    redactions: new Verbatim(redactions),
    ...('skipped' in read ? { skipped: new Verbatim(read.skipped) } : {}),
    ...(sessions === undefined ? {} : { sessions: sessions.map(sessionFacts) }),
  };
}

export function importView(receipts: readonly FileReceipt[]): readonly Block[] {
  const problems = receipts.flatMap(({ file, read }) =>
    (read?.problems.first ?? []).map((problem) => [
      file,
      problem.line === null ? '' : String(problem.line),
      problemText(problem),
    ]),
  );
  const leftOut = receipts.flatMap(({ file, read }) =>
    read !== null && 'leftOut' in read
      ? Object.entries(read.leftOut).map(([reason, count]) => [file, reason, formatCount(count)])
      : [],
  );
  return [
    {
      block: 'table',
      title: 'Imported',
      columns: [
        { title: 'file', isElastic: true },
        { title: 'format' },
        { title: 'added', align: 'right' },
        { title: 'known', align: 'right' },
        { title: 'tokens', align: 'right' },
        { title: 'decisions', align: 'right' },
        { title: 'problems', align: 'right' },
      ],
      rows: receipts.map(({ file, written, read }) => [
        file,
        read?.format ?? 'empty',
        formatCount(written.fragmentsAdded),
        formatCount(written.fragmentsKnown ?? 0),
        formatCount(written.tokensAdded),
        formatCount(written.decisionsAdded),
        formatCount(read?.problems.total ?? 0),
      ]),
      none: '',
    },
    ...(leftOut.length === 0
      ? []
      : [
          {
            block: 'table',
            title: 'without a fragment of its own',
            isPart: true,
            columns: [
              { title: 'file', isElastic: true },
              { title: 'reason' },
              { title: 'entries', align: 'right' },
            ],
            rows: leftOut,
            none: '',
          } satisfies Block,
        ]),
    ...(problems.length === 0
      ? []
      : [
          {
            block: 'table',
            title: 'problems',
            isPart: true,
            columns: [
              { title: 'file', isElastic: true },
              { title: 'line', align: 'right' },
              { title: 'problem', isElastic: true },
            ],
            rows: problems,
            none: '',
          } satisfies Block,
        ]),
  ];
}

type Problem = MaterialReceipt['problems']['first'][number];

function problemText(problem: Problem): string {
  if (!('rule' in problem)) return problem.reason;
  const { reason, field, rule } = problem;
  return field === null || reason === 'refused' ? rule : `${field} ${rule}`;
}
