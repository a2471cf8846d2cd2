/** Facts about artifacts become events, and events the net state of each path. */
import type { Digest } from '../../kernel/measures.js';
import { applyEvent, type Artifact } from './artifact.js';
import { type ArtifactAction, type ArtifactEvent, eventNote, isChange } from './artifact-event.js';
import { type ArtifactKind, artifactKind, normalizeArtifactPath } from './artifact-path.js';
import { CopyOnWriteMap } from './copy-on-write-map.js';
import { changedLines, contentAfter, countHunks, countLines } from './content-facts.js';
import { DirectoryIndex } from './directory-index.js';
import { KnownContents } from './known-contents.js';
import { declaredSymbols } from './symbols.js';
import type { ArtifactFact } from './tool-mapping.js';
import type { Trail } from './trail.js';
import type { TrailReach } from './trail-needs.js';

/** Which call an event comes from. */
export type EventSource = Pick<ArtifactEvent, 'seq' | 'resultSeq' | 'active' | 'occurredAt'>;

interface Draft {
  readonly action: ArtifactAction;
  readonly path: string;
  readonly oldPath: string | null;
  readonly kind: ArtifactKind;
  readonly inferred: boolean;
}

export class ArtifactFold {
  readonly #artifacts: CopyOnWriteMap<string, Artifact>;
  readonly #renames: CopyOnWriteMap<string, string>;
  readonly #directories = new DirectoryIndex(() => this.#livingPaths());
  readonly #contents: KnownContents;
  readonly #events: ArtifactEvent[] = [];
  /** Events of the call at hand so far; a call is settled by one result. */
  #ordinal = { seq: -1, next: 0 };

  constructor(
    { artifacts, renames, contents }: Pick<Trail, 'artifacts' | 'renames' | 'contents'>,
    private readonly projectRoot: string | null,
    private readonly digest: Digest,
    private readonly reach: TrailReach,
  ) {
    this.#artifacts = new CopyOnWriteMap(artifacts, (path) => reach.look('artifacts', path));
    this.#renames = new CopyOnWriteMap(renames);
    this.#contents = new KnownContents(contents, (path) => reach.look('contents', path));
  }

  result(): Pick<Trail, 'artifacts' | 'renames' | 'contents'> & {
    readonly events: readonly ArtifactEvent[];
  } {
    return {
      artifacts: this.#artifacts.map,
      renames: this.#renames.map,
      contents: this.#contents.contents,
      events: this.#events,
    };
  }

  forgetContents(): void {
    this.#contents.forgetAll();
  }

  add(fact: ArtifactFact, source: EventSource, ok: boolean): void {
    const draft = this.#draft(fact);
    if (draft === null) return;
    const below = ok && fact.includesBelow === true ? this.#below(draft.oldPath ?? draft.path) : [];
    this.#write(fact, draft, source, ok);
    for (const path of below) {
      const moved = draft.oldPath === null ? path : draft.path + path.slice(draft.oldPath.length);
      this.#write(
        { fact: 'artifact', action: draft.action, path: moved },
        {
          ...draft,
          path: moved,
          oldPath: draft.oldPath === null ? null : path,
          kind: this.#artifacts.get(path)?.kind ?? 'file',
          inferred: true,
        },
        source,
        true,
      );
    }
  }

  #draft(fact: ArtifactFact): Draft | null {
    const base = { projectRoot: this.projectRoot, directory: fact.directory ?? null };
    const oldPath = fact.oldPath === undefined ? null : normalizeArtifactPath(fact.oldPath, base);
    let path = normalizeArtifactPath(fact.path, base);
    if (fact.mayEnterDirectory === true && oldPath !== null && this.#isDirectory(path)) {
      path = normalizeArtifactPath(`${path}/${oldPath.split('/').at(-1) ?? ''}`, {
        ...base,
        directory: null,
      });
    }
    if (fact.action === 'renamed' && (oldPath === null || oldPath === path)) return null;
    const isAlive = this.#isAlive(path);
    if (fact.onlyIfMissing === true && (isAlive || this.#isDirectory(path))) return null;
    const isGuess = fact.action === 'written' && !isAlive;
    const isFolder =
      fact.kind === 'directory' ||
      (fact.includesBelow === true && this.#isDirectory(oldPath ?? path));
    return {
      action: fact.action !== 'written' ? fact.action : isAlive ? 'modified' : 'created',
      path,
      oldPath: fact.action === 'renamed' ? oldPath : null,
      kind: isFolder ? 'directory' : (fact.kind ?? artifactKind(path)),
      inferred: fact.inferred === true || isGuess,
    };
  }

  #write(fact: ArtifactFact, draft: Draft, source: EventSource, ok: boolean): void {
    const { action, path, oldPath } = draft;
    const changes = isChange(action) && action !== 'deleted';
    const isNew = action === 'created' && !this.#isAlive(path);
    const held = this.#contents.get(oldPath ?? path);
    const heldHash = held === null ? null : this.digest(held);
    // The vendor's own hash shows that something else changed the file meanwhile.
    const before = fact.hashBefore === undefined || fact.hashBefore === heldHash ? held : null;
    const hashBefore = isNew ? null : (fact.hashBefore ?? heldHash);
    const emptyStart =
      isNew && fact.inferred !== true && fact.content?.change === 'edits' ? '' : null;
    const computed = ok
      ? contentAfter(fact.content, before ?? emptyStart, this.#copied(fact))
      : null;
    const after = action === 'renamed' && fact.content === undefined ? before : computed;
    const computedHash = after === null ? null : this.digest(after);
    const hashAfter = fact.hashAfter ?? computedHash;
    const symbols = changes
      ? (fact.symbols ?? declaredSymbols(path, changedLines(fact.content)))
      : [];
    const lines =
      changes && action !== 'renamed'
        ? countLines(fact, isNew, before, after)
        : { linesAdded: null, linesRemoved: null };
    const measured = {
      ...lines,
      action,
      ok,
      oldPath,
      range: fact.range ?? null,
      symbols,
    };
    const event: ArtifactEvent = {
      ...source,
      ...measured,
      path,
      ordinal: this.#nextOrdinal(source.seq),
      hashBefore: ok && isChange(action) ? hashBefore : null,
      hashAfter: ok && action !== 'deleted' ? hashAfter : null,
      inferred: draft.inferred,
      note: eventNote(measured, changes ? countHunks(fact) : null),
    };
    this.#events.push(event);
    this.#apply(event, draft.kind);
    if (ok) this.#keepContent(event, hashAfter === computedHash ? after : null);
  }

  #nextOrdinal(seq: number): number {
    const next = this.#ordinal.seq === seq ? this.#ordinal.next : 0;
    this.#ordinal = { seq, next: next + 1 };
    return next;
  }

  #copied({ content, directory }: ArtifactFact): string | null {
    if (content?.change !== 'copy') return null;
    const base = { projectRoot: this.projectRoot, directory: directory ?? null };
    return this.#contents.get(normalizeArtifactPath(content.from, base));
  }

  #apply(event: ArtifactEvent, kind: ArtifactKind): void {
    const { path, oldPath, ok } = event;
    if (!ok || oldPath === null) {
      const next = applyEvent(this.#artifacts.get(path) ?? null, event, kind);
      if (next !== null) this.#put(next);
      if (ok) this.#renames.delete(path);
      return;
    }
    const target = this.#artifacts.get(path) ?? null;
    const moved = applyEvent(this.#artifacts.get(oldPath) ?? null, event, kind);
    if (moved === null) return;
    this.#artifacts.delete(oldPath);
    this.#directories.remove(oldPath);
    this.#put(target === null ? moved : overwritten(target, moved));
    this.#renames.delete(path);
    this.#renames.set(oldPath, path);
  }

  #keepContent({ action, path, oldPath }: ArtifactEvent, after: string | null): void {
    if (action === 'renamed' && oldPath !== null) this.#contents.move(oldPath, path);
    else if (action === 'deleted') this.#contents.set(path, null);
    else if (action === 'created' || action === 'modified') this.#contents.set(path, after);
    else if (after !== null) this.#contents.set(path, after);
  }

  #isAlive(path: string): boolean {
    const artifact = this.#artifacts.get(path);
    return artifact !== undefined && artifact.state !== 'deleted';
  }

  #isDirectory(path: string): boolean {
    const artifact = this.#artifacts.get(path);
    if (artifact?.kind === 'directory' && artifact.state !== 'deleted') return true;
    if (this.#directories.has(path)) return true;
    this.reach.lookForAnyBelow(path);
    return false;
  }

  #below(directory: string): readonly string[] {
    this.reach.lookBelow(directory);
    return this.#directories.below(directory);
  }

  #put(artifact: Artifact): void {
    this.#artifacts.set(artifact.path, artifact);
    if (artifact.state === 'deleted') this.#directories.remove(artifact.path);
    else this.#directories.add(artifact.path);
  }

  *#livingPaths(): Generator<string> {
    for (const [path, { state }] of this.#artifacts.map) if (state !== 'deleted') yield path;
  }
}

/** What is moved onto a path that the session knows takes the place of what stood there. */
function overwritten(target: Artifact, moved: Artifact): Artifact {
  return {
    ...moved,
    state: target.createdHere ? 'created' : 'modified',
    createdHere: target.createdHere,
    firstHash: target.lastChangeSeq === null ? target.lastHash : target.firstHash,
    firstSeq: Math.min(target.firstSeq, moved.firstSeq),
    netChange: target.createdHere ? 'some' : 'unknown',
  };
}
