/** Reads what code fills the sections of a summary with: trail, asks, decisions, commands of a span. */
import type { Digest } from '../../domain/kernel/measures.js';
import { DecisionLog } from '../../domain/session/session-decision.js';
import type { SessionEntry } from '../../domain/session/session.js';
import { readAsks } from '../../domain/session/summary/asks.js';
import type {
  CommandLine,
  DecisionLine,
  SectionLines,
} from '../../domain/session/summary/section-lines.js';
import { liveCycles } from '../../domain/session/summary/session-cycle.js';
import { asksOf } from '../../domain/session/summary/summary-item.js';
import { commandLines, trailLines } from '../../domain/session/summary/trail-lines.js';
import { isHumanPrompt } from '../../domain/session/transcript.js';
import type { RequestInput } from '../../domain/session/pass/request-state.js';
import type { PassMaterial, SummaryPorts } from './read-pass-material.js';

export interface ReadLines {
  readonly lines: SectionLines;
  /** Of the span. */
  readonly commands: readonly CommandLine[];
  /** ULIDs of every entry that may be cited, by `seq`. */
  readonly entryIds: Map<number, string>;
}

export async function readSectionLines(
  ports: SummaryPorts,
  {
    session,
    request,
    cycles,
  }: Pick<PassMaterial, 'session' | 'cycles'> & {
    readonly request: RequestInput<SessionEntry>;
  },
  leaving: readonly SessionEntry[],
  digest: Digest,
): Promise<ReadLines> {
  const trail = await ports.trails.read(session);
  const afterSeq = liveCycles(cycles).at(-1)?.lastSeq ?? 0;
  const touched = [...trail.artifacts.values()]
    .filter(({ lastSeq }) => lastSeq > afterSeq)
    .map(({ path }) => path);
  const events = touched.length === 0 ? [] : await ports.trails.listEvents(session, touched);
  const behind = request.entries.filter(({ seq }) => seq > request.cut.cutSeq);
  const turns = new Map(behind.map(({ seq, turn }) => [seq, turn]));
  const openTodos = trail.todos.filter(
    ({ state }) => state === 'pending' || state === 'in-progress',
  );

  const span = new Set(leaving.map(({ seq }) => seq));
  const contents = new Map(leaving.map(({ seq, content }) => [seq, content]));
  const commands = commandLines(
    [...trail.commands.values()].filter(({ seq }) => span.has(seq)),
    ({ resultSeq }) => (resultSeq === null ? '' : (contents.get(resultSeq) ?? '')),
  );
  const lines: SectionLines = {
    ...trailLines(trail, events, afterSeq),
    asks: readAsks(
      behind,
      (turn) => openTodos.filter(({ firstSeq }) => turns.get(firstSeq) === turn).length,
    ),
    decisions: await readDecisions(ports, { session, request }, leaving, digest),
  };

  const entryIds = new Map(request.entries.map(({ seq, entryId }) => [seq, entryId]));
  const cited = [
    ...lines.errors.flatMap(({ lastSeq, resolvedBySeq }) => [lastSeq, resolvedBySeq ?? lastSeq]),
    ...asksOf(request.summary).map(({ lastSourceSeq }) => lastSourceSeq),
    ...lines.trail.map(({ lastSeq }) => lastSeq),
    ...lines.todos.map(({ lastSeq }) => lastSeq),
  ];
  const missing = [...new Set(cited)].filter((seq) => seq > 0 && !entryIds.has(seq));
  if (missing.length > 0) {
    for (const [seq, entryId] of await ports.summaries.findEntryIds(session, missing)) {
      entryIds.set(seq, entryId);
    }
  }
  return { lines, commands, entryIds };
}

/** Earlier rulings are followed too: a plan or an answer may take the place of one that left long ago. */
async function readDecisions(
  { sessions }: SummaryPorts,
  {
    session,
    request,
  }: Pick<PassMaterial, 'session'> & {
    readonly request: Pick<RequestInput<SessionEntry>, 'cut'>;
  },
  leaving: readonly SessionEntry[],
  digest: Digest,
): Promise<readonly DecisionLine[]> {
  const { cutSeq } = request.cut;
  const log = new DecisionLog(session.sessionId, digest, cutSeq > 0);
  const earlier = cutSeq === 0 ? [] : await sessions.listRulings(session, cutSeq);
  log.add(earlier.filter(({ active }) => active));
  return leaving
    .filter(({ active }) => active)
    .flatMap((entry) =>
      log.add([entry]).decisions.map((decision) => ({
        decision,
        seq: entry.seq,
        isPrompt: isHumanPrompt(entry),
      })),
    );
}
