/** The artifact trail of a session: what its tool calls did, apart from any summary. */
import type { Digest } from '../../kernel/measures.js';
import type { JsonValue } from '../../redaction/json-value.js';
import type { EntryPlace } from '../stored-entry.js';
import type { TranscriptEntry } from '../transcript.js';
import type { Artifact } from './artifact.js';
import type { KnownContent } from './known-contents.js';
import type { SessionCommand } from './session-commands.js';
import type { SessionError } from './session-errors.js';
import type { SessionTodo } from './session-todos.js';
import type { ArtifactFact, ToolMapping } from './tool-mapping.js';

/** A cleaned entry with its place in the session. */
export type TrailEntry = TranscriptEntry & Pick<EntryPlace, 'seq'>;

export interface TrailCall {
  readonly seq: number;
  readonly toolName: string;
  readonly arguments: JsonValue;
  readonly active: boolean;
  readonly occurredAt: string | null;
}

/** A command whose end was not reported yet, and what it does once it succeeds. */
export interface RunningCommand {
  /** Of the call that started it. */
  readonly seq: number;
  readonly artifacts: readonly ArtifactFact[];
}

export interface Trail {
  /** By path. A renamed artifact stands under its new path alone. */
  readonly artifacts: ReadonlyMap<string, Artifact>;
  /** Old path → the path it was renamed to. */
  readonly renames: ReadonlyMap<string, string>;
  /** By seq of the call. */
  readonly commands: ReadonlyMap<number, SessionCommand>;
  /** By `errorId`. */
  readonly errors: ReadonlyMap<string, SessionError>;
  readonly todos: readonly SessionTodo[];
  /** Calls without a mapping, by tool. */
  readonly unmappedTools: ReadonlyMap<string, number>;
  /** Calls that wait for their result, by call id. */
  readonly waiting: ReadonlyMap<string, TrailCall>;
  /** By the name under which a later call asks for it. */
  readonly running: ReadonlyMap<string, RunningCommand>;
  /** Contents known for certain, by path and in order of their touch; bounded. */
  readonly contents: ReadonlyMap<string, KnownContent>;
}

export interface TrailSettings {
  /** Vendor of the session, such as `claude-code`. */
  readonly vendor: string;
  /** Absolute path that paths are told from, or null. */
  readonly projectRoot: string | null;
  readonly digest: Digest;
  /** In order of preference; `TOOL_MAPPINGS` unless a host puts its own in front. */
  readonly mappings: readonly ToolMapping[];
}

export const EMPTY_TRAIL: Trail = {
  artifacts: new Map(),
  renames: new Map(),
  commands: new Map(),
  errors: new Map(),
  todos: [],
  unmappedTools: new Map(),
  waiting: new Map(),
  running: new Map(),
  contents: new Map(),
};
