/** The net state of one artifact: what all events of a session together made of it. */
import {
  ARTIFACT_ACTIONS,
  type ArtifactAction,
  type ArtifactEvent,
  isChange,
} from './artifact-event.js';
import type { ArtifactKind } from './artifact-path.js';

/** `renamed`: nothing but its move is known. */
export type ArtifactState = 'created' | 'modified' | 'read' | 'deleted' | 'renamed' | 'listed';

export interface Artifact {
  readonly path: string;
  readonly kind: ArtifactKind;
  readonly state: ArtifactState;
  /** It did not exist before this session. */
  readonly createdHere: boolean;
  /** `none`: back at its first hash, or never changed. `unknown`: a hash is missing. */
  readonly netChange: 'some' | 'none' | 'unknown';
  /** Successful calls per action. */
  readonly counts: Readonly<Record<ArtifactAction, number>>;
  readonly failedCalls: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly lastChangeSeq: number | null;
  /** Before the first change of this session; null where unknown. */
  readonly firstHash: string | null;
  /** As of the last event that touched the content; null where unknown. */
  readonly lastHash: string | null;
  readonly symbols: readonly string[];
  readonly renamedFrom: string | null;
}

/** Symbols kept for one artifact, the latest. */
const MAX_SYMBOLS = 40;

const NO_COUNTS = Object.fromEntries(ARTIFACT_ACTIONS.map((action) => [action, 0])) as Readonly<
  Record<ArtifactAction, number>
>;

/**
 * The artifact after the event. A failed call changes nothing and brings nothing into being: null
 * stays null. A rename keeps state and history; the caller moves the artifact to its new path.
 */
export function applyEvent(
  before: Artifact | null,
  event: ArtifactEvent,
  kind: ArtifactKind,
): Artifact | null {
  if (!event.ok) return before && { ...before, failedCalls: before.failedCalls + 1 };
  const { action, seq } = event;
  const changes = isChange(action);
  const known = before ?? begin(event, kind);
  const state = nextState(before, action);
  const firstHash =
    changes && known.lastChangeSeq === null && action !== 'renamed'
      ? event.hashBefore
      : known.firstHash;
  const lastHash = nextHash(known, event);
  const createdHere = before === null ? action === 'created' : before.createdHere;
  return {
    ...known,
    path: event.path,
    kind: kind === 'file' ? known.kind : kind,
    state,
    createdHere,
    netChange: netChange(state, firstHash, lastHash),
    counts: { ...known.counts, [action]: known.counts[action] + 1 },
    linesAdded: known.linesAdded + (event.linesAdded ?? 0),
    linesRemoved: known.linesRemoved + (event.linesRemoved ?? 0),
    firstSeq: Math.min(known.firstSeq, seq),
    lastSeq: Math.max(known.lastSeq, seq),
    lastChangeSeq: changes ? Math.max(known.lastChangeSeq ?? 0, seq) : known.lastChangeSeq,
    firstHash,
    lastHash,
    symbols: event.symbols.length === 0 ? known.symbols : joined(known.symbols, event.symbols),
    renamedFrom: action === 'renamed' ? (known.renamedFrom ?? event.oldPath) : known.renamedFrom,
  };
}

function begin({ path, seq }: ArtifactEvent, kind: ArtifactKind): Artifact {
  return {
    path,
    kind,
    state: 'listed',
    createdHere: false,
    netChange: 'none',
    counts: NO_COUNTS,
    failedCalls: 0,
    linesAdded: 0,
    linesRemoved: 0,
    firstSeq: seq,
    lastSeq: seq,
    lastChangeSeq: null,
    firstHash: null,
    lastHash: null,
    symbols: [],
    renamedFrom: null,
  };
}

function nextState(before: Artifact | null, action: ArtifactAction): ArtifactState {
  if (before === null) return action;
  const { state, createdHere } = before;
  switch (action) {
    case 'listed':
      return state;
    case 'read':
      return state === 'listed' ? 'read' : state;
    case 'renamed':
      return state === 'listed' ? 'renamed' : state;
    case 'deleted':
      return 'deleted';
    case 'created':
    case 'modified':
      if (state === 'deleted') return createdHere ? 'created' : 'modified';
      return state === 'created' ? 'created' : 'modified';
  }
}

function nextHash(before: Artifact, { action, hashAfter }: ArtifactEvent): string | null {
  if (action === 'deleted') return null;
  if (action === 'created' || action === 'modified') return hashAfter;
  return hashAfter ?? before.lastHash;
}

function netChange(
  state: ArtifactState,
  firstHash: string | null,
  lastHash: string | null,
): Artifact['netChange'] {
  if (state === 'read' || state === 'listed') return 'none';
  if (state !== 'modified') return 'some';
  if (firstHash === null || lastHash === null) return 'unknown';
  return firstHash === lastHash ? 'none' : 'some';
}

function joined(known: readonly string[], added: readonly string[]): readonly string[] {
  const fresh = new Set(added);
  return [...known.filter((symbol) => !fresh.has(symbol)), ...added].slice(-MAX_SYMBOLS);
}
