/** The rows of a trail, to and from what `json_to_recordset` reads. */
import type { Artifact } from '../../../domain/session/trail/artifact.js';
import type { ArtifactEvent } from '../../../domain/session/trail/artifact-event.js';
import type { SessionCommand } from '../../../domain/session/trail/session-commands.js';
import type { SessionError } from '../../../domain/session/trail/session-errors.js';
import type { SessionTodo } from '../../../domain/session/trail/session-todos.js';

type Row = Readonly<Record<string, unknown>>;

/** A table of the trail: its columns with their types, and how a row of it is written. */
export interface TrailTable<Value> {
  readonly name: string;
  readonly types: Readonly<Record<string, string>>;
  readonly rowOf: (value: Value, place: number) => Row;
}

export const EVENTS: TrailTable<ArtifactEvent> = {
  name: 'artifact_events',
  types: {
    seq: 'integer',
    ordinal: 'integer',
    result_seq: 'integer',
    action: 'text',
    path: 'text',
    old_path: 'text',
    ok: 'boolean',
    lines_added: 'integer',
    lines_removed: 'integer',
    range_from: 'bigint',
    range_to: 'bigint',
    hash_before: 'text',
    hash_after: 'text',
    symbols: 'text[]',
    inferred: 'boolean',
    note: 'text',
    active: 'boolean',
    occurred_at: 'text',
  },
  rowOf: (event) => ({
    seq: event.seq,
    ordinal: event.ordinal,
    result_seq: event.resultSeq,
    action: event.action,
    path: event.path,
    old_path: event.oldPath,
    ok: event.ok,
    lines_added: event.linesAdded,
    lines_removed: event.linesRemoved,
    range_from: event.range?.from ?? null,
    range_to: event.range?.to ?? null,
    hash_before: event.hashBefore,
    hash_after: event.hashAfter,
    symbols: event.symbols,
    inferred: event.inferred,
    note: event.note,
    active: event.active,
    occurred_at: event.occurredAt,
  }),
};

export const ARTIFACTS: TrailTable<Artifact> = {
  name: 'artifacts',
  types: {
    path: 'text',
    kind: 'text',
    state: 'text',
    created_here: 'boolean',
    net_change: 'text',
    times_created: 'integer',
    times_modified: 'integer',
    times_read: 'integer',
    times_deleted: 'integer',
    times_renamed: 'integer',
    times_listed: 'integer',
    failed_calls: 'integer',
    lines_added: 'integer',
    lines_removed: 'integer',
    first_seq: 'integer',
    last_seq: 'integer',
    last_change_seq: 'integer',
    first_hash: 'text',
    last_hash: 'text',
    symbols: 'text[]',
    renamed_from: 'text',
  },
  rowOf: (artifact) => ({
    path: artifact.path,
    kind: artifact.kind,
    state: artifact.state,
    created_here: artifact.createdHere,
    net_change: artifact.netChange,
    times_created: artifact.counts.created,
    times_modified: artifact.counts.modified,
    times_read: artifact.counts.read,
    times_deleted: artifact.counts.deleted,
    times_renamed: artifact.counts.renamed,
    times_listed: artifact.counts.listed,
    failed_calls: artifact.failedCalls,
    lines_added: artifact.linesAdded,
    lines_removed: artifact.linesRemoved,
    first_seq: artifact.firstSeq,
    last_seq: artifact.lastSeq,
    last_change_seq: artifact.lastChangeSeq,
    first_hash: artifact.firstHash,
    last_hash: artifact.lastHash,
    symbols: artifact.symbols,
    renamed_from: artifact.renamedFrom,
  }),
};

export const COMMANDS: TrailTable<SessionCommand> = {
  name: 'session_commands',
  types: {
    seq: 'integer',
    result_seq: 'integer',
    command: 'text',
    directory: 'text',
    exit_code: 'bigint',
    state: 'text',
    tests_passed: 'integer',
    tests_failed: 'integer',
    effects: 'text',
    active: 'boolean',
    occurred_at: 'text',
  },
  rowOf: (command) => ({
    seq: command.seq,
    result_seq: command.resultSeq,
    command: command.command,
    directory: command.directory,
    exit_code: wholeOrNull(command.exitCode),
    state: command.state,
    tests_passed: command.outcome?.passed ?? null,
    tests_failed: command.outcome?.failed ?? null,
    effects: command.effects,
    active: command.active,
    occurred_at: command.occurredAt,
  }),
};

export const ERRORS: TrailTable<SessionError> = {
  name: 'session_errors',
  types: {
    key: 'text',
    signature: 'text',
    first_line: 'text',
    file: 'text',
    line: 'bigint',
    seen_at: 'integer[]',
    count: 'integer',
    state: 'text',
    resolved_by: 'integer',
  },
  rowOf: (error) => ({
    key: error.key,
    signature: error.signature,
    first_line: error.firstLine,
    file: error.file,
    line: wholeOrNull(error.line),
    seen_at: error.seenAt,
    count: error.count,
    state: error.state,
    resolved_by: error.resolvedBy,
  }),
};

export const TODOS: TrailTable<SessionTodo> = {
  name: 'session_todos',
  types: {
    place: 'integer',
    todo_id: 'text',
    text: 'text',
    state: 'text',
    first_seq: 'integer',
    changed_seq: 'integer',
  },
  rowOf: (todo, place) => ({
    place,
    todo_id: todo.todoId,
    text: todo.text,
    state: todo.state,
    first_seq: todo.firstSeq,
    changed_seq: todo.changedSeq,
  }),
};

/** A content that is known, under its path. */
export const CONTENTS: TrailTable<{
  readonly path: string;
  readonly content: string | null;
  readonly touched: number;
}> = {
  name: 'session_known_contents',
  types: { path: 'text', content: 'text', touched: 'bigint' },
  rowOf: ({ path, content, touched }) => ({ path, content, touched }),
};

/** Numbers read off outputs may be longer than any integer. */
function wholeOrNull(number: number | null): number | null {
  return Number.isSafeInteger(number) ? number : null;
}

export const EVENT_FIELDS = `seq, ordinal, result_seq as "resultSeq", action, path,
  old_path as "oldPath", ok, lines_added as "linesAdded", lines_removed as "linesRemoved",
  range_from as "rangeFrom", range_to as "rangeTo", hash_before as "hashBefore",
  hash_after as "hashAfter", symbols, inferred, note, active, occurred_at as "occurredAt"`;

export type EventRow = Omit<ArtifactEvent, 'range'> & {
  readonly rangeFrom: number | null;
  readonly rangeTo: number | null;
};

// Literals, here and below: a spread for each of ten thousand rows takes longer than the database does.
export function toEvent(row: EventRow): ArtifactEvent {
  return {
    seq: row.seq,
    ordinal: row.ordinal,
    resultSeq: row.resultSeq,
    action: row.action,
    path: row.path,
    oldPath: row.oldPath,
    ok: row.ok,
    linesAdded: row.linesAdded,
    linesRemoved: row.linesRemoved,
    range: row.rangeFrom === null ? null : { from: row.rangeFrom, to: row.rangeTo },
    hashBefore: row.hashBefore,
    hashAfter: row.hashAfter,
    symbols: row.symbols,
    inferred: row.inferred,
    note: row.note,
    active: row.active,
    occurredAt: row.occurredAt,
  };
}

export const ARTIFACT_FIELDS = `path, kind, state, created_here as "createdHere",
  net_change as "netChange", times_created as "created", times_modified as "modified",
  times_read as "read", times_deleted as "deleted", times_renamed as "renamed",
  times_listed as "listed", failed_calls as "failedCalls", lines_added as "linesAdded",
  lines_removed as "linesRemoved", first_seq as "firstSeq", last_seq as "lastSeq",
  last_change_seq as "lastChangeSeq", first_hash as "firstHash", last_hash as "lastHash", symbols,
  renamed_from as "renamedFrom"`;

export type ArtifactRow = Omit<Artifact, 'counts'> & Artifact['counts'];

export function toArtifact(row: ArtifactRow): Artifact {
  return {
    path: row.path,
    kind: row.kind,
    state: row.state,
    createdHere: row.createdHere,
    netChange: row.netChange,
    counts: {
      created: row.created,
      modified: row.modified,
      read: row.read,
      deleted: row.deleted,
      renamed: row.renamed,
      listed: row.listed,
    },
    failedCalls: row.failedCalls,
    linesAdded: row.linesAdded,
    linesRemoved: row.linesRemoved,
    firstSeq: row.firstSeq,
    lastSeq: row.lastSeq,
    lastChangeSeq: row.lastChangeSeq,
    firstHash: row.firstHash,
    lastHash: row.lastHash,
    symbols: row.symbols,
    renamedFrom: row.renamedFrom,
  };
}

export const COMMAND_FIELDS = `seq, result_seq as "resultSeq", command, directory,
  exit_code as "exitCode", state, tests_passed as "testsPassed", tests_failed as "testsFailed",
  effects, active, occurred_at as "occurredAt"`;

export type CommandRow = Omit<SessionCommand, 'outcome'> & {
  readonly testsPassed: number | null;
  readonly testsFailed: number | null;
};

export function toCommand(row: CommandRow): SessionCommand {
  const { testsPassed: passed, testsFailed: failed } = row;
  return {
    seq: row.seq,
    resultSeq: row.resultSeq,
    command: row.command,
    directory: row.directory,
    exitCode: row.exitCode,
    state: row.state,
    outcome: passed === null || failed === null ? null : { passed, failed },
    effects: row.effects,
    active: row.active,
    occurredAt: row.occurredAt,
  };
}

export const ERROR_FIELDS = `signature, key, first_line as "firstLine", file, line,
  seen_at as "seenAt", count, state, resolved_by as "resolvedBy"`;

export const TODO_FIELDS = `todo_id as "todoId", text, state, first_seq as "firstSeq",
  changed_seq as "changedSeq"`;
