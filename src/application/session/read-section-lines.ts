/** Reads what code fills the sections of a summary with: trail, asks, decisions, commands of a span. */
import type { Digest } from '../../domain/kernel/measures.js';
import { isTelling, type MarkedEntry } from '../../domain/session/marked-entry.js';
import type { RequestInput } from '../../domain/session/pass/request-state.js';
import type { SessionEntry } from '../../domain/session/session.js';
import { DecisionLog } from '../../domain/session/session-decision.js';
import { readAsks } from '../../domain/session/summary/asks.js';
import { mayCommit } from '../../domain/session/summary/read-commit.js';
import type {
  CommandLine,
  DecisionLine,
  SectionLines,
} from '../../domain/session/summary/section-lines.js';
import { liveCycles } from '../../domain/session/summary/session-cycle.js';
import { asksOf } from '../../domain/session/summary/summary-item.js';
import { commandLines, trailLines } from '../../domain/session/summary/trail-lines.js';
import { isHumanPrompt } from '../../domain/session/transcript.js';
import type { PassContents } from './pass/pass-contents.js';
import type { PassMaterial, SummaryPorts } from './read-pass-material.js';

export interface ReadLines {
  readonly lines: SectionLines;
  /** Of the span. */
  readonly commands: readonly CommandLine[];
  /** `seq` of every entry that the lines may cite. */
  readonly cited: readonly number[];
}

/** What the lines of a pass are read for. */
export interface LinesAsked {
  readonly request: RequestInput<MarkedEntry>;
  /** Entries that leave or are summarized again, ascending. */
  readonly span: readonly MarkedEntry[];
  readonly contents: PassContents;
  readonly digest: Digest;
}

export async function readSectionLines(
  ports: SummaryPorts,
  { session, cycles }: Pick<PassMaterial, 'session' | 'cycles'>,
  asked: LinesAsked,
): Promise<ReadLines> {
  const { request, span, contents } = asked;
  const trail = await ports.trails.read(session, ['artifacts', 'commands', 'errors', 'todos']);
  const afterSeq = liveCycles(cycles).at(-1)?.lastSeq ?? 0;
  const touched = [...trail.artifacts.values()]
    .filter(({ lastSeq }) => lastSeq > afterSeq)
    .map(({ path }) => path);
  const paths = touched.length === trail.artifacts.size ? undefined : touched;
  const changes = touched.length === 0 ? [] : await ports.trails.listChanges(session, paths);
  const behind = request.entries.filter(({ seq }) => seq > request.cut.cutSeq);
  const openTodos = trail.todos.filter(
    ({ state }) => state === 'pending' || state === 'in-progress',
  );
  const isAsk = (entry: MarkedEntry): boolean => entry.active && isHumanPrompt(entry);
  const prompts = new Map<number, SessionEntry>();
  for (const entry of await contents.of(behind.filter(isAsk))) prompts.set(entry.seq, entry);
  const begun = new Set(openTodos.map(({ firstSeq }) => firstSeq));
  const turns = new Map<number, number>();
  for (const { seq, turn } of behind) if (begun.has(seq)) turns.set(seq, turn);
  const asks = readAsks(
    behind.map((entry) => prompts.get(entry.seq) ?? entry),
    (turn) => openTodos.filter(({ firstSeq }) => turns.get(firstSeq) === turn).length,
  );

  const run = new Set<number>();
  for (const { seq, resultSeq } of trail.commands.values()) run.add(seq).add(resultSeq ?? seq);
  const inSpan = new Map<number, MarkedEntry>();
  for (const entry of span) if (run.has(entry.seq)) inSpan.set(entry.seq, entry);
  const ofSpan = [...trail.commands.values()].filter(({ seq }) => inSpan.has(seq));
  const committed = await contents.of(
    ofSpan.flatMap(({ command, resultSeq }) =>
      resultSeq !== null && mayCommit(command) ? (inSpan.get(resultSeq) ?? []) : [],
    ),
  );
  const reports = new Map(committed.map(({ seq, content }) => [seq, content]));
  const commands = commandLines(ofSpan, ({ resultSeq }) => reports.get(resultSeq ?? 0) ?? '');
  const lines: SectionLines = {
    ...trailLines(trail, changes, afterSeq),
    asks,
    decisions: await readDecisions(ports, session, asked),
  };
  const cited = [
    ...lines.errors.flatMap(({ lastSeq, resolvedBySeq }) => [lastSeq, resolvedBySeq ?? lastSeq]),
    ...asksOf(request.summary).map(({ lastSourceSeq }) => lastSourceSeq),
    ...asks.flatMap(({ prompt }) => prompt?.seq ?? []),
    ...lines.trail.map(({ lastSeq }) => lastSeq),
    ...lines.todos.map(({ lastSeq }) => lastSeq),
    ...commands.map(({ seq }) => seq),
  ];
  return { lines, commands, cited };
}

/** Earlier rulings are followed too: a plan or an answer may take the place of one that left long ago. */
async function readDecisions(
  { sessions }: SummaryPorts,
  session: PassMaterial['session'],
  { request, span, contents, digest }: LinesAsked,
): Promise<readonly DecisionLine[]> {
  const { cutSeq } = request.cut;
  const log = new DecisionLog(session.sessionId, digest, cutSeq > 0);
  const earlier = cutSeq === 0 ? [] : await sessions.listRulings(session, cutSeq);
  log.add(earlier.filter(({ active }) => active));
  const active = span.filter((entry) => entry.active);
  const said = new Set(await lastSaid(active, contents));
  const told = await contents.of(active.filter((entry) => isTelling(entry) || said.has(entry)));
  return told.flatMap((entry) =>
    log.add([entry]).decisions.map((decision) => ({
      decision,
      seq: entry.seq,
      isPrompt: isHumanPrompt(entry),
    })),
  );
}

/** Entries of the agent that are read at once, looking for the last that says something. */
const SAID_ENTRIES = 10;

/** What the agent had said before a plan of its was sent back: the decision is told by it. */
async function lastSaid(
  span: readonly MarkedEntry[],
  contents: PassContents,
): Promise<readonly MarkedEntry[]> {
  const said: MarkedEntry[] = [];
  const found: MarkedEntry[] = [];
  for (const entry of span) {
    if (entry.kind === 'assistant') said.push(entry);
    if (entry.kind !== 'tool_result' || entry.ruling?.ruling !== 'plan-sent-back') continue;
    for (let end = said.length; end > 0; end -= SAID_ENTRIES) {
      const page = said.slice(Math.max(0, end - SAID_ENTRIES), end);
      found.push(...page);
      const texts = await contents.of(page);
      if (texts.some(({ content }) => content.trim() !== '')) break;
    }
  }
  return found;
}
