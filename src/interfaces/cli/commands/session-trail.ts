/** `agents session trail`: what a session made, changed, read and ran. */
import type { SessionTrail } from '../../../application/session/artifact-trail-service.js';
import type { TrailPart } from '../../../domain/session/repositories.js';
import type { Artifact } from '../../../domain/session/trail/artifact.js';
import type { SessionCommand } from '../../../domain/session/trail/session-commands.js';
import type { SessionError } from '../../../domain/session/trail/session-errors.js';
import { lastCommands, latestFirst } from '../../../domain/session/trail/trail-answers.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type Block, type CommandResult, formatCount, type Message } from '../view.js';
import { pathHistory } from './session-trail-history.js';
import { artifactFacts, artifactTable, type Told } from './session-trail-artifacts.js';

export interface TrailOptions {
  readonly modified?: boolean;
  readonly read?: boolean;
  readonly errors?: boolean;
  readonly commands?: boolean;
  readonly path?: string;
  readonly limit?: number;
  readonly after?: number;
  readonly withChildren?: boolean;
  readonly rebuild?: boolean;
  readonly tenant: string;
}

export function showTrail(
  terminal: Terminal,
  name: string,
  options: TrailOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(options.tenant, name);
    const { tenant: tenantId, withChildren = false, path = null } = options;
    const request = { tenantId, sessionId, withChildren };
    const rebuilt = options.rebuild === true ? await core.sessions.trail.rebuild(request) : null;
    const messages: readonly Message[] =
      rebuilt === null
        ? []
        : [
            {
              level: 'info',
              text: `Built anew from the entries: ${formatCount(rebuilt.events)} events, ${formatCount(rebuilt.changed)} rows that were otherwise before.`,
            },
          ];
    if (path !== null) {
      const shown = await pathHistory(core, { ...request, path }, options);
      return { ...shown, messages: [...messages, ...shown.messages] };
    }
    const trails = await core.sessions.trail.read(request, partsOf(options));
    return { ...asked(sessionId, trails, options), messages };
  });
}

/** What of the trail is shown: a long one is not read for its errors. */
function partsOf({ modified, read, errors, commands }: TrailOptions): readonly TrailPart[] {
  const named: readonly (readonly [boolean | undefined, TrailPart])[] = [
    [modified, 'artifacts'],
    [read, 'artifacts'],
    [errors, 'errors'],
    [commands, 'commands'],
  ];
  const parts = named.flatMap(([isAsked, part]) => (isAsked === true ? [part] : []));
  return parts.length === 0 ? ['artifacts', 'commands', 'errors', 'todos'] : parts;
}

/** Sections asked for; without any, all of them. */
function asked(
  sessionId: string,
  trails: readonly SessionTrail[],
  options: TrailOptions,
): CommandResult {
  const { modified = false, read = false, errors = false, commands = false } = options;
  const isAll = !modified && !read && !errors && !commands;
  const artifacts = told(trails, ({ trail }) =>
    [...trail.artifacts.values()].filter((artifact) =>
      isShown(artifact, { modified, read, isAll }),
    ),
  ).sort(latestFirst);
  const ran = told(trails, ({ trail }) => lastCommands(trail, trail.commands.size));
  const met = told(trails, ({ trail }) => [...trail.errors.values()]).sort(openFirst);
  const data = {
    sessionId,
    ...((isAll || modified || read) && { artifacts: artifacts.map(artifactFacts) }),
    ...((isAll || commands) && { commands: ran }),
    ...((isAll || errors) && { errors: met.map(errorFacts) }),
    ...(isAll && { todos: told(trails, ({ trail }) => trail.todos) }),
  };
  return {
    data,
    view: [
      ...(isAll || modified || read ? [artifactTable(artifacts)] : []),
      ...(isAll || errors ? [errorTable(met)] : []),
      ...(isAll || commands ? [commandTable(ran)] : []),
    ],
  };
}

function told<Value extends object>(
  trails: readonly SessionTrail[],
  valuesOf: (trail: SessionTrail) => readonly Value[],
): Told<Value>[] {
  return trails.flatMap((one) => valuesOf(one).map((value) => ({ ...value, origin: one.origin })));
}

function isShown(
  { state, renamedFrom }: Artifact,
  wanted: { readonly modified: boolean; readonly read: boolean; readonly isAll: boolean },
): boolean {
  if (state === 'listed') return false;
  const isRead = state === 'read' && renamedFrom === null;
  return wanted.isAll || (isRead ? wanted.read : wanted.modified);
}

function openFirst(a: SessionError, b: SessionError): number {
  if (a.state !== b.state) return a.state === 'open' ? -1 : 1;
  return (b.seenAt.at(-1) ?? 0) - (a.seenAt.at(-1) ?? 0);
}

function errorFacts({ key: _key, ...error }: Told<SessionError>) {
  return error;
}

function errorTable(errors: readonly Told<SessionError>[]): Block {
  const isMixed = errors.some(({ origin }) => origin !== null);
  return {
    block: 'table',
    title: 'Errors',
    isPart: true,
    columns: [
      { title: 'error', isElastic: true },
      { title: 'state' },
      { title: 'count', align: 'right' },
      { title: 'last', align: 'right' },
      ...(isMixed ? [{ title: 'origin' }] : []),
    ],
    rows: errors.map(({ firstLine, state, resolvedBy, count, seenAt, origin }) => [
      firstLine,
      resolvedBy === null ? state : `${state}, entry:${resolvedBy}`,
      formatCount(count),
      `entry:${seenAt.at(-1) ?? 0}`,
      ...(isMixed ? [origin ?? ''] : []),
    ]),
    none: 'No errors.',
  };
}

function commandTable(commands: readonly Told<SessionCommand>[]): Block {
  const isMixed = commands.some(({ origin }) => origin !== null);
  return {
    block: 'table',
    title: 'Commands, the last first',
    isPart: true,
    columns: [
      { title: 'command', isElastic: true },
      { title: 'state' },
      { title: 'exit', align: 'right' },
      { title: 'tests' },
      { title: 'entry', align: 'right' },
      ...(isMixed ? [{ title: 'origin' }] : []),
    ],
    rows: commands.map(({ command, state, exitCode, outcome, seq, origin }) => [
      command,
      state,
      exitCode === null ? '' : String(exitCode),
      outcome === null ? '' : `${outcome.passed} passed, ${outcome.failed} failed`,
      `entry:${seq}`,
      ...(isMixed ? [origin ?? ''] : []),
    ]),
    none: 'No commands.',
  };
}
