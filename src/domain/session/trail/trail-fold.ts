/** One run of the fold: calls wait for their results, results become rows. */
import type { ToolCallEntry, ToolResultEntry } from '../transcript.js';
import { ArtifactFold, type EventSource } from './artifact-fold.js';
import type { ArtifactEvent } from './artifact-event.js';
import { CopyOnWriteMap } from './copy-on-write-map.js';
import {
  commandKey,
  endCommand,
  hasSucceeded,
  NOT_ENDED,
  type SessionCommand,
} from './session-commands.js';
import { errorId, findErrors, seeError, type SessionError } from './session-errors.js';
import { applyTodos, type SessionTodo } from './session-todos.js';
import { condenseDetail } from './tool-detail.js';
import {
  type ArtifactFact,
  type CommandEnd,
  findMapping,
  type MappedResult,
  type TrailFact,
} from './tool-mapping.js';
import { holdsTestRun, readTestRun } from './test-run.js';
import type { RunningCommand, Trail, TrailCall, TrailEntry, TrailSettings } from './trail.js';
import { TrailReach } from './trail-needs.js';

type CommandFact = Extract<TrailFact, { readonly fact: 'command' }>;

/** A person refused the call, so nothing failed. */
const REFUSED = /The user doesn't want to proceed with this tool use|\[Request interrupted by user/;

/** UTF-16 units of arguments that tell calls of one tool apart. */
const KEY_LENGTH = 500;

export class TrailFold {
  readonly #artifacts: ArtifactFold;
  readonly #commands: CopyOnWriteMap<number, SessionCommand>;
  readonly #errors: CopyOnWriteMap<string, SessionError>;
  /** Ids of open errors by the key of what failed. */
  readonly #openErrors = new Map<string, string[]>();
  #todos: readonly SessionTodo[];
  readonly #unmapped: CopyOnWriteMap<string, number>;
  readonly #waiting: CopyOnWriteMap<string, TrailCall>;
  readonly #running: CopyOnWriteMap<string, RunningCommand>;

  /** @param reach how much of the trail is at hand; left out: all of it. */
  constructor(
    trail: Trail,
    private readonly settings: TrailSettings,
    private readonly reach = new TrailReach(null),
  ) {
    this.#artifacts = new ArtifactFold(trail, settings.projectRoot, settings.digest, reach);
    this.#commands = new CopyOnWriteMap(trail.commands, (seq) => reach.look('commands', `${seq}`));
    this.#errors = new CopyOnWriteMap(trail.errors, (id) => reach.look('errors', id));
    this.#todos = trail.todos;
    this.#unmapped = new CopyOnWriteMap(trail.unmappedTools);
    this.#waiting = new CopyOnWriteMap(trail.waiting, (callId) => reach.look('calls', callId));
    this.#running = new CopyOnWriteMap(trail.running);
    for (const [id, { key, state }] of trail.errors) if (state === 'open') this.#noteOpen(key, id);
  }

  result(): { readonly trail: Trail; readonly events: readonly ArtifactEvent[] } {
    const { artifacts, renames, contents, events } = this.#artifacts.result();
    const trail: Trail = {
      artifacts,
      renames,
      contents,
      commands: this.#commands.map,
      errors: this.#errors.map,
      todos: this.#todos,
      unmappedTools: this.#unmapped.map,
      waiting: this.#waiting.map,
      running: this.#running.map,
    };
    return { trail, events };
  }

  /** In the order of the session; only calls and results count. */
  addAll(entries: Iterable<TrailEntry>): void {
    for (const entry of entries) {
      if (entry.kind === 'tool_call') this.#addCall(entry);
      else if (entry.kind === 'tool_result') this.#addResult(entry);
    }
  }

  #addCall(entry: ToolCallEntry & { readonly seq: number }): void {
    const { seq, toolName, active, occurredAt, callId } = entry;
    const call: TrailCall = { seq, toolName, arguments: entry.arguments, active, occurredAt };
    this.#waiting.set(callId, call);
    const facts = this.#map(call, null);
    if (facts === null) {
      this.#unmapped.set(toolName, (this.#unmapped.get(toolName) ?? 0) + 1);
    }
    for (const fact of facts ?? []) {
      if (fact.fact === 'command') this.#commands.set(seq, startedCommand(call, fact));
    }
  }

  #addResult(entry: ToolResultEntry & { readonly seq: number }): void {
    const call = this.#waiting.get(entry.callId);
    // A result without its call, or a second one: there is nothing it could be told of.
    if (call === undefined) return;
    this.#waiting.delete(entry.callId);
    const result: MappedResult = {
      content: entry.content,
      isError: entry.isError,
      exitCode: entry.exitCode,
      detail: condenseDetail(entry.detail, this.settings.digest),
    };
    const facts = this.#map(call, result) ?? [];
    for (const fact of facts) this.#take(fact, call, result, entry.seq);
    if (facts.some(({ fact }) => fact === 'command' || fact === 'continuation')) return;
    const isFailed =
      result.isError || facts.some((fact) => fact.fact === 'artifact' && fact.failed === true);
    this.#judge(callKey(call, facts), call.seq, isFailed, result.content);
  }

  #map(call: TrailCall, result: MappedResult | null): readonly TrailFact[] | null {
    const { mappings, vendor } = this.settings;
    const mapping = findMapping(mappings, vendor, call.toolName);
    const { toolName, arguments: given } = call;
    return mapping?.map({ toolName, arguments: given, result }) ?? null;
  }

  #take(fact: TrailFact, call: TrailCall, result: MappedResult, resultSeq: number): void {
    switch (fact.fact) {
      case 'artifact':
        this.#artifacts.add(
          fact,
          sourceOf(call, resultSeq),
          !result.isError && fact.failed !== true,
        );
        return;
      case 'todos':
        if (result.isError) return;
        this.reach.look('lists', 'todos');
        this.#todos = applyTodos(this.#todos, fact.todos, call.seq);
        return;
      case 'command':
        this.#commands.set(call.seq, startedCommand(call, fact));
        this.#settle({ seq: call.seq, artifacts: fact.artifacts }, fact.end, resultSeq);
        return;
      case 'continuation': {
        const running = this.#running.get(fact.of);
        if (running === undefined) return;
        this.#running.delete(fact.of);
        this.#settle(running, fact.end, resultSeq);
      }
    }
  }

  #settle(running: RunningCommand, end: CommandEnd, resultSeq: number): void {
    const { seq, artifacts } = running;
    const started = this.#commands.get(seq);
    if (started === undefined) return;
    const command = endCommand(started, end, resultSeq);
    this.#commands.set(seq, command);
    if (command.effects === 'unknown') this.#artifacts.forgetContents();
    if (end.runsAs !== null) {
      this.#running.set(end.runsAs, running);
      return;
    }
    if (end.state === 'unknown') return;
    const source = sourceOf(command, resultSeq);
    for (const fact of artifacts) this.#artifacts.add(fact, source, end.state === 'ok');
    if (end.state === 'interrupted') return;
    const key = commandKey(command);
    const isFailed = !hasSucceeded(command);
    this.#judge(key, seq, isFailed, end.output);
    if (!isFailed && command.outcome !== null) this.#resolveHeld(key, seq, command.outcome.passed);
  }

  /** Opens errors of what failed, or resolves those of what now succeeds. */
  #judge(key: string, seq: number, isFailed: boolean, output: string): void {
    if (!isFailed) {
      this.reach.look('openErrors', key);
      this.#resolve(key, seq);
      return;
    }
    if (REFUSED.test(output)) return;
    for (const found of findErrors(output)) {
      const id = errorId({ key, signature: found.signature });
      const before = this.#errors.get(id);
      this.#errors.set(id, seeError(before, found, key, seq));
      if (before?.state !== 'open') this.#noteOpen(key, id);
    }
  }

  #resolve(key: string, seq: number): void {
    for (const id of this.#openErrors.get(key) ?? []) {
      const error = this.#errors.get(id);
      if (error !== undefined) {
        this.#errors.set(id, { ...error, state: 'resolved', resolvedBy: seq });
      }
    }
    this.#openErrors.delete(key);
  }

  /** Errors of runs that a run of at least as many tests, all of them passed, holds. */
  #resolveHeld(key: string, seq: number, passed: number): void {
    const wide = passed === 0 ? null : readTestRun(key);
    if (wide === null) return;
    this.reach.look('openErrorsFrom', wide.head);
    for (const [other, ids] of this.#openErrors) {
      if (other === key || !other.startsWith(wide.head)) continue;
      const narrow = readTestRun(other);
      if (narrow === null || !holdsTestRun(wide, narrow)) continue;
      if (ids.every((id) => this.#testsAt(id) <= passed)) this.#resolve(other, seq);
    }
  }

  /** Tests that ran when the error was seen last; 0 where that is not known. */
  #testsAt(id: string): number {
    const seq = this.#errors.get(id)?.seenAt.at(-1);
    if (seq === undefined) return 0;
    const { outcome = null } = this.#commands.get(seq) ?? {};
    return outcome === null ? 0 : outcome.passed + outcome.failed;
  }

  #noteOpen(key: string, id: string): void {
    const ids = this.#openErrors.get(key);
    if (ids === undefined) this.#openErrors.set(key, [id]);
    else ids.push(id);
  }
}

function startedCommand(call: TrailCall, fact: CommandFact): SessionCommand {
  const { command, directory, effects } = fact;
  return {
    seq: call.seq,
    resultSeq: null,
    command,
    directory,
    exitCode: NOT_ENDED.exitCode,
    state: NOT_ENDED.state,
    outcome: null,
    effects,
    active: call.active,
    occurredAt: call.occurredAt,
  };
}

function sourceOf(
  { seq, active, occurredAt }: Omit<EventSource, 'resultSeq'>,
  resultSeq: number,
): EventSource {
  return { seq, resultSeq, active, occurredAt };
}

/** The tool and what it worked on: its artifact, else its arguments. */
function callKey(call: TrailCall, facts: readonly TrailFact[]): string {
  const paths = facts
    .filter((fact): fact is ArtifactFact => fact.fact === 'artifact')
    .map(({ path }) => path);
  const subject =
    paths.length > 0 ? paths.join(' ') : JSON.stringify(call.arguments).slice(0, KEY_LENGTH);
  return `${call.toolName} ${subject}`;
}
