/** What an import of sessions says: what came in, what was known, what was not read and why. */
import type { SessionMaterialReceipt } from '../../../application/plan/session-material-receipt.js';
import type { IngestionReceipt } from '../../../application/session/ingestion-receipt.js';
import { type Block, countOf, formatCount, type Message } from '../view.js';
import { Verbatim } from '../wire-names.js';

export interface SessionReceipt {
  readonly file: string;
  readonly receipt: IngestionReceipt;
  /** Of the whole file; null where no plan was named. */
  readonly material: SessionMaterialReceipt | null;
}

/** Counts by names that are the source's keep those names. */
export function sessionFacts({ file, receipt, material }: SessionReceipt) {
  const { skipped, redactions, unmappedTools, due, ...rest } = receipt;
  return {
    file,
    ...rest,
    skipped: new Verbatim(skipped),
    redactions: new Verbatim(redactions),
    unmappedTools: new Verbatim(unmappedTools),
    decisions: material?.decisionsAdded ?? 0,
    fragments: material?.fragmentsAdded ?? 0,
    due,
  };
}

export function sessionView(receipts: readonly SessionReceipt[]): readonly Block[] {
  const problems = receipts.flatMap(({ file, receipt }) =>
    receipt.problems.first.map(({ line, reason, ids }) => [
      file,
      line === null ? '' : String(line),
      [reason, ...ids].join(' '),
    ]),
  );
  const skipped = receipts.flatMap(({ file, receipt }) =>
    Object.entries(receipt.skipped).map(([type, count]) => [file, type, formatCount(count)]),
  );
  return [
    {
      block: 'table',
      title: 'Imported',
      columns: [
        { title: 'session_id' },
        { title: 'file', isElastic: true },
        { title: 'format' },
        { title: 'added', align: 'right' },
        { title: 'known', align: 'right' },
        { title: 'artifacts', align: 'right' },
        { title: 'problems', align: 'right' },
      ],
      rows: receipts.map(({ file, receipt }) => [
        receipt.sessionId ?? '',
        file,
        receipt.sessionId === null ? 'empty' : receipt.format,
        formatCount(receipt.added),
        formatCount(receipt.ignored),
        formatCount(receipt.artifacts),
        formatCount(receipt.problems.total),
      ]),
      none: '',
    },
    ...part('no conversation', 'type', skipped, 'records'),
    ...part('problems', 'line', problems, 'problem'),
  ];
}

function part(
  title: string,
  second: string,
  rows: readonly (readonly string[])[],
  third: string,
): readonly Block[] {
  if (rows.length === 0) return [];
  const isCount = third === 'records';
  return [
    {
      block: 'table',
      title,
      isPart: true,
      columns: [
        { title: 'file', isElastic: true },
        isCount ? { title: second } : { title: second, align: 'right' },
        isCount ? { title: third, align: 'right' } : { title: third, isElastic: true },
      ],
      rows,
      none: '',
    },
  ];
}

export function sessionMessages({ file, receipt, material }: SessionReceipt): readonly Message[] {
  const { sessionId, notes, problems, redactions, children, unmappedTools, due } = receipt;
  const secrets = Object.values(redactions).reduce((sum, count) => sum + count, 0);
  const compactions = children.filter(({ kind }) => kind === 'vendor-compaction');
  const tools = Object.keys(unmappedTools);
  const info = (text: string): Message => ({ level: 'info', text: `${file}: ${text}` });
  const warning = (text: string): Message => ({ level: 'warning', text: `${file}: ${text}` });
  return [
    ...notes.map((text): Message => ({ level: 'warning', text })),
    ...(problems.total === 0
      ? []
      : [warning(`${countOf(problems.total, 'problem')}; what could not be read was left out.`)]),
    ...(compactions.length === 0
      ? []
      : [
          info(
            `runs by which the vendor shortened the session are no sessions, what they spent was kept: ${compactions.map(({ agentId }) => agentId).join(', ')}.`,
          ),
        ]),
    ...(secrets === 0 ? [] : [info(`${countOf(secrets, 'secret')} replaced by placeholders.`)]),
    ...(tools.length === 0
      ? []
      : [info(`the trail does not understand the tools ${tools.join(', ')}.`)]),
    ...(due === null
      ? []
      : [info(`a pass is due (${due}): run \`agents session compact ${sessionId}\`.`)]),
    ...(material === null
      ? []
      : [
          info(
            `the plan got ${countOf(material.fragmentsAdded, 'fragment')} and ${countOf(material.decisionsAdded, 'decision')}.`,
          ),
        ]),
  ];
}
