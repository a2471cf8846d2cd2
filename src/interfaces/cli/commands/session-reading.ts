/** Sessions of the store: listed, shown, removed. */
import type { SeqRange } from '../../../domain/session/repositories.js';
import type { Session, SessionEntry } from '../../../domain/session/session.js';
import { renderSummary } from '../../../domain/session/summary/render-summary.js';
import { liveCycles } from '../../../domain/session/summary/session-cycle.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type Block, type CommandResult, countOf, type Field, formatCount } from '../view.js';
import { Verbatim } from '../wire-names.js';
import { sectionsOf } from './session-show-summary.js';

export interface ShowOptions {
  readonly entries?: string;
  readonly section?: string;
  readonly item?: string;
  readonly cycle?: string;
  readonly provenance?: boolean;
  readonly tenant: string;
}

export interface DeleteOptions {
  readonly yes?: boolean;
  readonly tenant: string;
}

export function listSessions(terminal: Terminal, tenant: string): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const sessions = await core.sessions.stored.list(tenant);
    return {
      data: { sessions: sessions.map(storedFacts) },
      view: [
        {
          block: 'table',
          title: 'Sessions',
          columns: [
            { title: 'session_id' },
            { title: 'vendor' },
            { title: 'name', isElastic: true },
            { title: 'entries', align: 'right' },
            { title: 'turns', align: 'right' },
            { title: 'updated_at' },
          ],
          rows: sessions.map((session) => [
            session.sessionId,
            session.vendor,
            session.agentName ?? session.vendorSessionId ?? '',
            formatCount(session.lastSeq),
            formatCount(session.lastTurn),
            session.updatedAt.toISOString(),
          ]),
          none: 'There are no sessions. Store one with `agents session import FILE`.',
        },
      ],
    };
  });
}

/** Settings and what belongs to the tenant stay out: a caller knows whom it asked for. */
function storedFacts({ tenantId: _tenantId, settings, ...session }: Session) {
  return { ...session, settings: new Verbatim(settings) };
}

/** Entries shown where none are asked for: the last ones. */
const SHOWN = 10;

export function showSession(
  terminal: Terminal,
  name: string,
  { entries, provenance = false, tenant }: ShowOptions,
): Promise<CommandResult> {
  const wanted = entries === undefined ? null : parseRange(entries);
  return withCore(terminal, async (core) => {
    const session = await core.sessions.stored.resolve(tenant, name);
    const view = await core.sessions.summaries.read(session);
    const cutSeq = liveCycles(view.cycles).at(-1)?.cutSeq ?? 0;
    const from = Math.max(cutSeq + 1, session.lastSeq - SHOWN + 1);
    const tail =
      from > session.lastSeq ? [] : await core.sessions.stored.entries(session, { from, to: null });
    const shown = wanted === null ? tail : await core.sessions.stored.entries(session, wanted);
    const { summary } = view;
    const tailEntries = session.lastSeq - cutSeq;
    const children = await core.sessions.stored.children(session);
    return {
      data: {
        ...storedFacts(session),
        children: children.map(({ sessionId, agentName }) => ({ sessionId, agentName })),
        sections: sectionsOf(summary, summary.items),
        tail: tail.map(entryFacts),
        tailEntries,
        entries: shown.map(entryFacts),
      },
      messages:
        wanted === null && tailEntries > tail.length
          ? [
              {
                level: 'info',
                text: `The last ${tail.length} of ${formatCount(tailEntries)} entries behind the summary are shown. See others with --entries ${cutSeq + 1}..${session.lastSeq}.`,
              },
            ]
          : [],
      view: [
        {
          block: 'fields',
          title: session.vendorSessionId ?? session.sessionId,
          fields: fieldsOf(session),
        },
        ...(summary.items.length === 0 || wanted !== null
          ? []
          : [{ block: 'text' as const, text: renderSummary(summary, { provenance }) }]),
        ...shown.map(entryBlock),
      ],
    };
  });
}

const RANGE = /^(\d+)(?:\.\.(\d*))?$/;

function parseRange(text: string): SeqRange {
  const [, from, to] = RANGE.exec(text) ?? [];
  if (from === undefined) {
    throw new UsageError('--entries takes a range such as 5..20, 5.. or 5.');
  }
  if (to === undefined) return { from: Number(from), to: Number(from) };
  return { from: Number(from), to: to === '' ? null : Number(to) };
}

function fieldsOf(session: Session): readonly Field[] {
  const optional: readonly (readonly [string, string | null])[] = [
    ['vendor_session_id', session.vendorSessionId],
    ['agent_name', session.agentName],
    ['parent_session_id', session.parentSessionId],
    ['plan_id', session.planId],
    ['project_root', session.projectRoot],
  ];
  return [
    ['session_id', session.sessionId],
    ['vendor', session.vendor],
    ...optional.flatMap(([label, value]): readonly Field[] =>
      value === null ? [] : [[label, value]],
    ),
    ['entries', formatCount(session.lastSeq)],
    ['turns', formatCount(session.lastTurn)],
    ['cycle', String(session.cycle)],
    ['counted by', `${session.counterName}@${session.counterVersion}`],
    ['created_at', session.createdAt.toISOString()],
    ['updated_at', session.updatedAt.toISOString()],
  ];
}

/** What a tool was given is its own data and keeps its names. */
export function entryFacts({ entryPrint: _entryPrint, ...entry }: SessionEntry) {
  if (entry.kind === 'tool_call') return { ...entry, arguments: new Verbatim(entry.arguments) };
  if (entry.kind !== 'tool_result') return entry;
  const { detail, ...rest } = entry;
  return detail === undefined ? rest : { ...rest, detail: new Verbatim(detail) };
}

export function entryBlock(entry: SessionEntry): Block {
  const marks = [
    `entry:${entry.seq}`,
    entry.kind,
    entry.author,
    countOf(entry.tokenCount, 'token'),
    ...(entry.active ? [] : ['rewound']),
    ...(entry.kind === 'tool_call' ? [entry.toolName] : []),
    ...(entry.kind === 'tool_result' && entry.isError ? ['failed'] : []),
  ];
  const text = entry.kind === 'tool_call' ? written(entry.arguments) : entry.content;
  return { block: 'text', text: `── ${marks.join(' · ')}\n${text}` };
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

export async function deleteSession(
  terminal: Terminal,
  name: string,
  { yes = false, tenant }: DeleteOptions,
): Promise<CommandResult> {
  if (!yes) {
    throw new UsageError('What is removed is gone: say --yes to remove the session.');
  }
  return withCore(terminal, async (core) => {
    const session = await core.sessions.stored.resolve(tenant, name);
    await core.sessions.stored.delete(session);
    return {
      data: { sessionId: session.sessionId, entries: session.lastSeq },
      view: [
        {
          block: 'fields',
          title: 'Session removed',
          fields: [
            ['session_id', session.sessionId],
            ['entries', formatCount(session.lastSeq)],
          ],
        },
      ],
    };
  });
}
