/** What every TrailRepository promises. */
import { deepEqual } from 'node:assert/strict';
import type { Session } from '../../src/domain/session/session.js';
import { errorId } from '../../src/domain/session/trail/session-errors.js';
import { EMPTY_TRAIL } from '../../src/domain/session/trail/trail.js';
import { type Contract, failsWith, type StoreUnderTest } from './contract.js';
import {
  aCommand,
  anArtifact,
  anError,
  anEvent,
  anUpdate,
  aSession,
  aTodo,
  placed,
} from './session-values.js';
import { HARD_TEXTS, NOW } from './sample-values.js';

async function aStoredSession({ repositories }: StoreUnderTest): Promise<Session> {
  const session = aSession();
  await repositories.sessions.insert(session);
  return session;
}

export const TRAILS_CONTRACT: Contract = {
  port: 'TrailRepository',
  rules: [
    {
      rule: 'a trail comes back as it was written, nulls and hard texts included',
      async check(store) {
        const { trails } = store.repositories;
        const session = await aStoredSession(store);
        const paths = Object.values(HARD_TEXTS).filter((text) => text.trim() !== '');
        const artifacts = paths.map((path) =>
          anArtifact({
            path,
            lastChangeSeq: null,
            firstHash: null,
            lastHash: null,
            symbols: [],
            renamedFrom: null,
          }),
        );
        const events = paths.map((path, ordinal) =>
          anEvent({
            path,
            ordinal,
            range: ordinal === 0 ? { from: 5, to: null } : null,
            linesAdded: null,
            linesRemoved: null,
            hashBefore: null,
            hashAfter: null,
            symbols: [],
            occurredAt: null,
          }),
        );
        const command = aCommand({
          resultSeq: null,
          directory: null,
          exitCode: null,
          outcome: null,
          occurredAt: null,
          state: 'unknown',
        });
        const error = anError({ file: null, line: null, state: 'open', resolvedBy: null });
        await trails.write(
          session,
          anUpdate({ artifacts, events, commands: [command], errors: [error] }),
        );
        deepEqual(await trails.read(session), {
          ...EMPTY_TRAIL,
          artifacts: new Map(artifacts.map((artifact) => [artifact.path, artifact])),
          commands: new Map([[command.seq, command]]),
          errors: new Map([[errorId(error), error]]),
        });
        deepEqual(await trails.listEvents(session), events);
        deepEqual(
          await trails.listEvents(session, paths.slice(1, 3)),
          events.filter(({ path }) => paths.slice(1, 3).includes(path)),
        );
      },
    },
    {
      rule: 'a later update changes rows, adds others, and vacates paths',
      async check(store) {
        const { trails } = store.repositories;
        const session = await aStoredSession(store);
        const [old, kept] = [anArtifact({ path: 'old' }), anArtifact({ path: 'kept' })];
        await trails.write(
          session,
          anUpdate({
            artifacts: [old, kept],
            commands: [aCommand({ state: 'unknown' })],
            errors: [anError({ state: 'open', resolvedBy: null })],
            todos: [aTodo({ todoId: 'a' }), aTodo({ todoId: 'b' })],
            unmappedTools: new Map([['Odd', 1]]),
          }),
        );
        const moved = anArtifact({ path: 'new', renamedFrom: 'old' });
        const rename = anEvent({ action: 'renamed', path: 'new', oldPath: 'old' });
        const todos = [aTodo({ todoId: 'b', state: 'completed' })];
        await trails.write(
          session,
          anUpdate({
            artifacts: [moved],
            vacatedPaths: ['old'],
            commands: [aCommand()],
            errors: [anError()],
            todos,
            unmappedTools: new Map([
              ['Odd', 2],
              ['Strange', 1],
            ]),
            events: [rename],
          }),
        );
        const read = await trails.read(session);
        deepEqual(new Set(read.artifacts.keys()), new Set(['kept', 'new']));
        deepEqual(read.artifacts.get('new'), moved);
        deepEqual([...read.commands.values()], [aCommand()]);
        deepEqual([...read.errors.values()], [anError()]);
        deepEqual(read.todos, todos);
        deepEqual(Object.fromEntries(read.unmappedTools), { Odd: 2, Strange: 1 });
        deepEqual(read.renames, new Map([['old', 'new']]));
        await trails.write(session, anUpdate());
        deepEqual(await trails.read(session), read);
      },
    },
    {
      rule: 'events are listed in the order in which they were settled',
      async check(store) {
        const { trails } = store.repositories;
        const session = await aStoredSession(store);
        const slow = anEvent({ seq: 1, resultSeq: 9 });
        const [first, second] = [0, 1].map((ordinal) =>
          anEvent({ seq: 2, resultSeq: 3, ordinal }),
        ) as [ReturnType<typeof anEvent>, ReturnType<typeof anEvent>];
        await trails.write(session, anUpdate({ events: [slow, second, first] }));
        deepEqual(await trails.listEvents(session), [first, second, slow]);
      },
    },
    {
      rule: 'a trail that was built anew takes the place of the stored one',
      async check({ repositories: { sessions, trails }, unitOfWork }) {
        const session = aSession();
        await sessions.insert(session);
        await trails.write(
          session,
          anUpdate({
            artifacts: [anArtifact({ path: 'wrong' })],
            commands: [aCommand()],
            errors: [anError()],
            todos: [aTodo()],
            events: [anEvent()],
          }),
        );
        const event = anEvent({ path: 'right' });
        const artifact = anArtifact({ path: 'right' });
        await unitOfWork((bound) =>
          bound.trails.replace(
            session,
            anUpdate({ artifacts: [artifact], events: [event], todos: [] }),
          ),
        );
        deepEqual(await trails.read(session), {
          ...EMPTY_TRAIL,
          artifacts: new Map([['right', artifact]]),
        });
        deepEqual(await trails.listEvents(session), [event]);
      },
    },
    {
      rule: 'what a rewound entry did is marked with it',
      async check({ repositories: { sessions, trails } }) {
        const session = aSession();
        await sessions.insert(session);
        const texts = ['a', 'b', 'c', 'd', 'e'].map((content) => ({
          kind: 'user' as const,
          author: 'human' as const,
          content,
          occurredAt: null,
          active: true,
          messageKey: null,
        }));
        await sessions.append(session, placed(texts), NOW);
        const events = [anEvent({ seq: 4, resultSeq: 5 }), anEvent({ seq: 5, resultSeq: 5 })];
        await trails.write(session, anUpdate({ commands: [aCommand({ seq: 4 })], events }));
        await sessions.setActive(session, [4], false);
        const read = await trails.read(session);
        deepEqual(read.commands.get(4), aCommand({ seq: 4, active: false }));
        deepEqual(
          (await trails.listEvents(session)).map(({ active }) => active),
          [false, true],
        );
      },
    },
    {
      rule: 'another tenant sees nothing, and no session takes no trail',
      async check(store) {
        const { trails } = store.repositories;
        const session = await aStoredSession(store);
        const full = anUpdate({ artifacts: [anArtifact()], events: [anEvent()] });
        await trails.write(session, full);
        const other = { tenantId: 'somebody else', sessionId: session.sessionId };
        deepEqual(await trails.read(other), EMPTY_TRAIL);
        deepEqual(await trails.listEvents(other), []);
        await failsWith('STORE_FAILED', () => trails.write(other, full));
      },
    },
  ],
};
