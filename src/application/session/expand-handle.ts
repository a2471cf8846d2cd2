/** Handles of a summary followed back to the entries that they stand for, in order, in pages. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { SessionKey } from '../../domain/session/repositories.js';
import { readSchema } from '../../domain/session/pass/stored-settings.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import { normalizeArtifactPath } from '../../domain/session/trail/artifact-path.js';
import { groupArtifacts } from '../../domain/session/trail/render-trail.js';
import { readArtifact } from './read-artifact.js';
import type { SummaryPorts } from './read-pass-material.js';

export interface Expansion {
  /** Empty for what is there without an entry behind it: a pin of the host, a section without items. */
  readonly entries: readonly SessionEntry[];
  /** `after` of the next page; null: this was the last. */
  readonly next: number | null;
}

/** Entries that are read at once. */
const PAGE_ENTRIES = 50;

/** Of more entries than these, such as those of a cycle, calls and results are cited alike. */
const MOST_CALLS_FOLLOWED = 40;

/**
 * @param handle `#17`, `section:<key>` (`section:*`: of sections that the schema no longer has),
 * `cycle:<n>`, `entry:<n>`, `path:<path>` or `file:<path>`, `trail:<group>`, or a path as a summary shows it.
 * @param maxTokens of a page; an entry alone may be above it.
 * @param after entries up to this number are passed over.
 * @throws OssatureError NOT_FOUND for what the session does not have.
 */
export async function expandHandle(
  ports: SummaryPorts,
  key: Session,
  handle: string,
  maxTokens: number,
  after: number,
): Promise<Expansion> {
  const cited = await seqsOf(ports, key, handle);
  if (cited === null) throw notFound(handle);
  if (cited.length === 0) return { entries: [], next: null };
  const seqs = cited.length <= MOST_CALLS_FOLLOWED ? await withResults(ports, key, cited) : cited;
  const wanted = [...new Set(seqs)].filter((seq) => seq > after).sort((a, b) => a - b);
  const entries: SessionEntry[] = [];
  let tokens = 0;
  for (let at = 0; at < wanted.length;) {
    const from = wanted[at] ?? 0;
    const chosen = new Set(
      wanted.slice(at, at + PAGE_ENTRIES).filter((seq) => seq < from + PAGE_ENTRIES),
    );
    const to = Math.max(...chosen);
    for (const entry of await ports.sessions.listEntries(key, { from, to })) {
      if (!chosen.has(entry.seq)) continue;
      tokens += entry.tokenCount;
      if (entries.length > 0 && tokens > maxTokens) {
        return { entries, next: entries.at(-1)?.seq ?? null };
      }
      entries.push(entry);
    }
    at += chosen.size;
  }
  if (entries.length === 0 && after === 0) throw notFound(handle);
  return { entries, next: null };
}

/** A call without its result tells half: what answered a cited call stands beside it. */
async function withResults(
  { sessions }: SummaryPorts,
  key: SessionKey,
  cited: readonly number[],
): Promise<readonly number[]> {
  const all = new Set(cited);
  for (const seq of cited) {
    const [entry, ...following] = await sessions.listEntries(key, {
      from: seq,
      to: seq + PAGE_ENTRIES,
    });
    if (entry?.seq !== seq || entry.kind !== 'tool_call') continue;
    for (const next of following) {
      if (next.kind === 'tool_result' && next.callId === entry.callId) all.add(next.seq);
    }
  }
  return [...all];
}

/** Entries that the handle stands for; null where the session has nothing of that name. */
async function seqsOf(
  ports: SummaryPorts,
  session: Session,
  handle: string,
): Promise<readonly number[] | null> {
  const [, kind = '', name = ''] =
    /^(#|section:|cycle:|entry:|path:|file:|trail:)(.+)$/s.exec(handle) ?? [];
  const isNumber = /^\d{1,9}$/.test(name);
  switch (kind) {
    case '#':
      return isNumber ? itemSeqs(ports, session, Number(name)) : null;
    case 'section:':
      return sectionSeqs(ports, session, name);
    case 'cycle:': {
      const cycles = await ports.summaries.listCycles(session);
      const cycle = cycles.find((one) => `${one.cycle}` === name);
      if (cycle === undefined) return null;
      return cycle.span.flatMap(({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, index) => from + index),
      );
    }
    case 'entry:':
      return isNumber ? [Number(name)] : null;
    case 'path:':
    case 'file:':
      return pathSeqs(ports, session, name);
    case 'trail:': {
      const grouped = groupArtifacts(
        await ports.trails.read(session, ['artifacts', 'errors', 'renames']),
      );
      const paths = grouped.flatMap(({ group, artifact }) =>
        group === name ? [artifact.path] : [],
      );
      return paths.length === 0 ? null : eventSeqs(ports, session, paths);
    }
    default:
      return handle.trim() === '' ? null : pathSeqs(ports, session, handle);
  }
}

async function itemSeqs(
  { summaries }: SummaryPorts,
  key: SessionKey,
  wanted: number,
): Promise<readonly number[] | null> {
  const [item] = await summaries.listItems(key, [wanted]);
  return item === undefined ? null : summaries.findEntrySeqs(key, item.sourceEntryIds);
}

async function sectionSeqs(
  { summaries }: SummaryPorts,
  session: Session,
  name: string,
): Promise<readonly number[] | null> {
  const keys = new Set(readSchema(session.settings).sections.map(({ key }) => key));
  const items = (await summaries.listItems(session)).filter(({ section }) =>
    name === '*' ? !keys.has(section) : section === name,
  );
  if (items.length === 0) return keys.has(name) ? [] : null;
  return summaries.findEntrySeqs(
    session,
    items.flatMap(({ sourceEntryIds }) => sourceEntryIds),
  );
}

async function pathSeqs(
  ports: SummaryPorts,
  session: Session,
  given: string,
): Promise<readonly number[] | null> {
  const { projectRoot } = session;
  const names = [given, normalizeArtifactPath(given, { projectRoot, directory: null })];
  for (const name of new Set(names)) {
    const { paths } = await readArtifact(ports.trails, session, name);
    const seqs = await eventSeqs(ports, session, paths);
    if (seqs.length > 0) return seqs;
  }
  return null;
}

async function eventSeqs(
  { trails }: SummaryPorts,
  key: SessionKey,
  paths: readonly string[],
): Promise<readonly number[]> {
  const events = await trails.listEvents(key, paths);
  return events.flatMap(({ seq, resultSeq }) => [seq, resultSeq]);
}

function notFound(handle: string): OssatureError {
  return new OssatureError(
    'NOT_FOUND',
    `Nothing stands behind ${JSON.stringify(handle.slice(0, 200))}. A handle is #N, section:KEY, cycle:N, entry:N, path:PATH or trail:GROUP.`,
    { details: { handle: handle.slice(0, 200) } },
  );
}
