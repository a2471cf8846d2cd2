/** One compaction of a vendor: which files several texts of its size still name, held against the trail. */
import type { Digest, TokenCounter } from '../../kernel/measures.js';
import { renderUnit } from '../../session/render-unit.js';
import { headWithin } from '../../session/summary/head-within.js';
import type { StoredEntry } from '../../session/stored-entry.js';
import type { Artifact } from '../../session/trail/artifact.js';
import type { ArtifactEvent } from '../../session/trail/artifact-event.js';
import { extendTrail } from '../../session/trail/extend-trail.js';
import { expandPathLists } from '../../session/trail/path-list.js';
import { renderTrail } from '../../session/trail/render-trail.js';
import { EMPTY_TRAIL, type Trail, type TrailSettings } from '../../session/trail/trail.js';
import { foldText, holdsToken } from '../grading/find-token.js';
import { namedPaths, pathForms } from '../grading/named-paths.js';
import { offlineText } from './offline-text.js';

export const TRAIL_TEXTS = ['vendor', 'offline', 'trail', 'tail', 'head'] as const;
export type TrailText = (typeof TRAIL_TEXTS)[number];

export const FILE_GROUPS = ['changed', 'created', 'read', 'touched_again'] as const;
export type FileGroup = (typeof FILE_GROUPS)[number];

export interface NamedFiles {
  readonly files: number;
  readonly byName: number;
  readonly byPath: number;
}

export interface MeasuredText {
  readonly text: TrailText;
  readonly tokens: number;
  readonly groups: Readonly<Record<FileGroup, NamedFiles>>;
  /** Of the files that the text names, the share that the session touched; null: it names none. */
  readonly precision: number | null;
}

export interface MeasuredBoundary {
  readonly session: string;
  readonly seq: number;
  /** Tokens of the vendor's summary: the budget of every text. */
  readonly budgetTokens: number;
  readonly texts: readonly MeasuredText[];
  /** First touches after the boundary, and those of them that read again what was known. */
  readonly firstTouches: number;
  readonly reReads: number;
}

export interface BoundarySettings {
  readonly trail: TrailSettings;
  readonly counter: TokenCounter;
  readonly digest: Digest;
}

/** Boundaries whose summary is in the session, each with its place. */
export function boundariesIn(
  entries: readonly StoredEntry[],
): readonly { readonly at: number; readonly summary: StoredEntry }[] {
  return entries.flatMap((entry, at) => {
    if (entry.kind !== 'system' || !entry.boundary) return [];
    const next = entries.findIndex((one, place) => place > at && one.kind === 'summary');
    const summary = entries[next];
    const between = entries.slice(at + 1, next);
    const isOwn = summary !== undefined && !between.some((one) => one.kind === 'tool_call');
    return isOwn ? [{ at, summary }] : [];
  });
}

export function measureBoundary(
  session: string,
  entries: readonly StoredEntry[],
  { at, summary }: { readonly at: number; readonly summary: StoredEntry },
  settings: BoundarySettings,
): MeasuredBoundary {
  const { counter, digest } = settings;
  // What stands between an earlier boundary and this one is raw: summaries of vendors are not.
  const before = entries.slice(0, at).filter(({ kind }) => kind !== 'summary');
  const known = extendTrail(EMPTY_TRAIL, before, settings.trail);
  const later = extendTrail(known.trail, entries.slice(at + 1), settings.trail);
  const files = filesOf(known.trail);
  const again = touchedAgain(files, later.events);
  const budgetTokens = counter.count(summary.content);
  const raw = before.map((entry) => renderUnit([entry])).join('\n');
  const texts: Readonly<Record<TrailText, string>> = {
    vendor: summary.content,
    offline: offlineText(before, known.trail, known.events, budgetTokens, { counter, digest }),
    trail: renderTrail([{ trail: known.trail, origin: null }], budgetTokens, counter).text,
    tail: tailWithin(before, budgetTokens),
    head: headWithin(raw, Math.max(1, budgetTokens), counter).text,
  };
  const groups: Readonly<Record<FileGroup, readonly Artifact[]>> = {
    changed: files.filter(({ state }) => state === 'created' || state === 'modified'),
    created: files.filter(({ state }) => state === 'created'),
    read: files.filter(({ state }) => state === 'read'),
    touched_again: again.map(({ artifact }) => artifact),
  };
  const paths = [...known.trail.artifacts.keys()];
  return {
    session,
    seq: entries[at]?.seq ?? 0,
    budgetTokens,
    texts: TRAIL_TEXTS.map((text) => ({
      text,
      tokens: counter.count(texts[text]),
      groups: {
        changed: namedIn(groups.changed, texts[text]),
        created: namedIn(groups.created, texts[text]),
        read: namedIn(groups.read, texts[text]),
        touched_again: namedIn(groups.touched_again, texts[text]),
      },
      precision: precisionOf(texts[text], paths),
    })),
    firstTouches: again.length,
    reReads: again.filter(({ first }) => first.action === 'read').length,
  };
}

function filesOf({ artifacts }: Trail): readonly Artifact[] {
  return [...artifacts.values()].filter(
    ({ kind, state }) =>
      (kind === 'file' || kind === 'notebook') && state !== 'listed' && state !== 'deleted',
  );
}

/** Files known before that a call touched after the boundary, with the first of those calls. */
function touchedAgain(
  files: readonly Artifact[],
  events: readonly ArtifactEvent[],
): readonly { readonly artifact: Artifact; readonly first: ArtifactEvent }[] {
  return files.flatMap((artifact) => {
    const first = events.find(
      ({ ok, path, oldPath, action }) =>
        ok && action !== 'listed' && (path === artifact.path || oldPath === artifact.path),
    );
    return first === undefined ? [] : [{ artifact, first }];
  });
}

function namedIn(files: readonly Artifact[], given: string): NamedFiles {
  const text = expandPathLists(foldText(given).replaceAll('\\', '/'));
  let [byName, byPath] = [0, 0];
  for (const { path } of files) {
    const { full, name } = pathForms(path);
    const isByPath = holdsPath(text, full);
    if (isByPath) byPath += 1;
    if (isByPath || holdsToken(text, name ?? full) || holdsPath(text, name ?? full)) byName += 1;
  }
  return { files: files.length, byName, byPath };
}

/** Vendors write paths out from the root of the disk: a longer path that ends so names the file. */
function holdsPath(text: string, path: string): boolean {
  if (holdsToken(text, path)) return true;
  for (let at = text.indexOf(`/${path}`); at >= 0; at = text.indexOf(`/${path}`, at + 1)) {
    if (!/^[\p{L}\p{N}_]|^[./-][\p{L}\p{N}_]/u.test(text.slice(at + path.length + 1))) return true;
  }
  return false;
}

function precisionOf(text: string, paths: readonly string[]): number | null {
  const named = namedPaths(expandPathLists(text), paths).filter((path) =>
    /\.[A-Za-z]\w{0,9}$/.test(path),
  );
  if (named.length === 0) return null;
  const isKnown = (path: string): boolean =>
    paths.some(
      (known) => known === path || path.endsWith(`/${known}`) || known.endsWith(`/${path}`),
    );
  return named.filter(isKnown).length / named.length;
}

function tailWithin(entries: readonly StoredEntry[], budgetTokens: number): string {
  const kept: string[] = [];
  let free = budgetTokens;
  for (const entry of [...entries].reverse()) {
    if (entry.tokenCount > free) break;
    free -= entry.tokenCount;
    kept.push(renderUnit([entry]));
  }
  return kept.reverse().join('\n');
}
