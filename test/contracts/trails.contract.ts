/** What every TrailRepository promises. */
import { deepEqual, equal } from 'node:assert/strict';
import { TRAIL_PARTS } from '../../src/domain/session/repositories.js';
import type { Session } from '../../src/domain/session/session.js';
import { errorId } from '../../src/domain/session/trail/session-errors.js';
import { needsOf } from '../../src/domain/session/trail/trail-needs.js';
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
      rule: 'events come in pages that part no result, those of paths too',
      async check(store) {
        const { trails } = store.repositories;
        const session = await aStoredSession(store);
        const events = [1, 2, 2, 2, 3, 5, 8].map((resultSeq, at) =>
          anEvent({ seq: at + 1, resultSeq, path: at % 2 === 0 ? 'src/a.ts' : "b'ü.ts" }),
        );
        await trails.write(session, anUpdate({ events }));
        const paths = ['src/a.ts', 'src/a.ts', 'src/unknown.ts'];
        for (const wanted of [null, paths]) {
          const all = events.filter(({ path }) => wanted?.includes(path) ?? true);
          for (const [after, limit] of [
            [0, 1],
            [0, 2],
            [1, 1],
            [2, 3],
            [3, 50],
            [8, 1],
          ] as const) {
            const behind = all.filter(({ resultSeq }) => resultSeq > after);
            const last = behind[limit - 1]?.resultSeq ?? Number.POSITIVE_INFINITY;
            deepEqual(
              await trails.listEvents(session, wanted, { after, limit }),
              behind.filter(({ resultSeq }) => resultSeq <= last),
            );
          }
        }
        const none: readonly string[] = [];
        deepEqual(await trails.listEvents(session, none), []);
        deepEqual(await trails.listEvents(session, none, { after: 0, limit: 5 }), []);
      },
    },
    {
      rule: 'of a trail the parts that are named are read, and the rest stays empty',
      async check(store) {
        const { trails } = store.repositories;
        const session = await aStoredSession(store);
        const events = [
          anEvent({
            action: 'renamed',
            path: 'src/new.ts',
            oldPath: 'src/old.ts',
            hashAfter: null,
          }),
        ];
        await trails.write(
          session,
          anUpdate({
            events,
            artifacts: [anArtifact()],
            errors: [anError()],
            unmappedTools: new Map([['Strange', 2]]),
          }),
        );
        const whole = await trails.read(session);
        equal(whole.renames.size, 1);
        for (const part of TRAIL_PARTS) {
          deepEqual(await trails.read(session, [part]), { ...EMPTY_TRAIL, [part]: whole[part] });
        }
        deepEqual(await trails.read(session, TRAIL_PARTS), whole);
        deepEqual(await trails.read(session, []), EMPTY_TRAIL);
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
        const passedOver = (['read', 'listed'] as const).map((action, ordinal) =>
          anEvent({ seq: 3, resultSeq: 5, ordinal, action, path: `${action}.ts` }),
        );
        const failed = anEvent({ seq: 2, resultSeq: 5, ok: false });
        await trails.write(session, anUpdate({ events: [...passedOver, failed] }));
        const [path] = events.map((event) => event.path);
        deepEqual(await trails.listChanges(session), events.slice(1));
        deepEqual(await trails.listChanges(session, [path ?? '']), events.slice(1));
        deepEqual(await trails.listChanges(session, ['nowhere.ts']), []);
      },
    },
    {
      rule: 'what is open comes back in order of its touch, and goes where it is forgotten',
      async check(store) {
        const { trails } = store.repositories;
        const session = await aStoredSession(store);
        deepEqual(await trails.readOpen(session), {
          seq: 0,
          running: new Map(),
          unmappedTools: new Map(),
          contents: new Map(),
        });
        const running = new Map([
          [
            HARD_TEXTS['every kind of quote'] ?? 'b1',
            {
              seq: 3,
              artifacts: [{ fact: 'artifact' as const, action: 'deleted' as const, path: 'x' }],
            },
          ],
        ]);
        const texts = new Map(
          ['late', 'early', 'gone'].map((path, at) => [
            path,
            { content: `of ${path}`, touched: 3 - at },
          ]),
        );
        const first = { seq: 4, running, contents: texts, forgotten: [] };
        await trails.write(
          session,
          anUpdate({ open: first, unmappedTools: new Map([['Odd', 1]]) }),
        );
        const second = { content: 'anew', touched: 9 };
        await trails.write(
          session,
          anUpdate({
            open: {
              seq: 6,
              running: null,
              contents: new Map([['early', second]]),
              forgotten: ['gone', 'never there'],
            },
          }),
        );
        deepEqual(await trails.readOpen(session), {
          seq: 6,
          running,
          unmappedTools: new Map([['Odd', 1]]),
          contents: new Map([
            ['late', { content: null, touched: 3 }],
            ['early', { content: null, touched: 9 }],
          ]),
        });
        const { contents } = await trails.readPart(
          session,
          needsOf({ contents: ['early', 'gone'] }),
        );
        deepEqual(contents, new Map([['early', 'anew']]));
        const only = {
          seq: 7,
          running: new Map(),
          contents: new Map(),
          forgotten: 'others' as const,
        };
        await trails.write(session, anUpdate({ open: only }));
        const open = await trails.readOpen(session);
        deepEqual([open.seq, open.running.size, open.contents.size], [7, 0, 0]);
      },
    },
    {
      rule: 'of a trail the rows that are needed are read, and no others',
      async check(store) {
        const { trails } = store.repositories;
        const session = await aStoredSession(store);
        const artifacts = ['a', 'd/a', 'd/e/b', 'd%', 'dd/a', '/r'].map((path) =>
          anArtifact({ path }),
        );
        const gone = anArtifact({ path: 'd/gone', state: 'deleted' });
        const errors = [
          anError({ key: 'k', signature: 's', state: 'open', resolvedBy: null }),
          anError({ key: 'k', signature: 't' }),
          anError({ key: 'l', signature: 's', state: 'open', resolvedBy: null }),
        ];
        const commands = [aCommand({ seq: 3 }), aCommand({ seq: 5 })];
        const todos = [aTodo()];
        await trails.write(
          session,
          anUpdate({ artifacts: [...artifacts, gone], errors, commands, todos }),
        );
        const read = async (given: Parameters<typeof needsOf>[0]) => {
          const rows = await trails.readPart(session, needsOf(given));
          return [
            ...rows.artifacts.map(({ path }) => path),
            ...rows.errors.map(errorId),
            ...rows.commands.map(({ seq }) => `${seq}`),
            ...(rows.todos ?? []).map(({ todoId }) => todoId),
          ].sort();
        };
        deepEqual(await read({}), []);
        deepEqual(await read({ artifacts: ['a', 'd/gone', 'none'] }), ['a', 'd/gone']);
        deepEqual(await read({ allBelow: ['d', 'none'] }), ['d/a', 'd/e/b']);
        deepEqual(await read({ anyBelow: ['none'] }), []);
        const [any = ''] = await read({ anyBelow: ['d'] });
        deepEqual(['d/a', 'd/e/b'].includes(any), true);
        const [first] = errors;
        const id = first === undefined ? '' : errorId(first);
        deepEqual(await read({ errors: [id] }), [id]);
        deepEqual(await read({ openErrors: ['k'] }), [id]);
        deepEqual(await read({ openErrorsFrom: ['k'] }), [id]);
        deepEqual((await read({ openErrorsFrom: [''] })).length, 2);
        deepEqual(await read({ openErrorsFrom: ['k%'] }), []);
        deepEqual(await read({ commands: ['5', '7'] }), ['5']);
        deepEqual(await read({ lists: ['todos'] }), [aTodo().todoId]);
      },
    },
    {
      rule: 'a call waits until a result answers it, and of two under one id the later counts',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        await sessions.insert(session);
        const common = { occurredAt: null, active: true, messageKey: null, content: '' };
        const aCall = (callId: string) => ({
          ...common,
          kind: 'tool_call' as const,
          author: 'agent' as const,
          callId,
          toolName: 'Read',
          arguments: { file_path: callId },
          effect: 'reads' as const,
          spawn: null,
        });
        const aResult = (callId: string) => ({
          ...common,
          kind: 'tool_result' as const,
          author: 'tool' as const,
          callId,
          isError: false,
          exitCode: null,
          ruling: null,
        });
        const entries = placed([
          aCall('x'),
          aResult('x'),
          aCall('y'),
          aCall('x'),
          aCall('y'),
          aResult('y'),
        ]);
        await sessions.append(session, entries, NOW);
        const waiting = async (upTo: number) =>
          (await sessions.findWaitingCalls(session, ['x', 'y', 'z'], upTo))
            .map(({ seq }) => seq)
            .sort((a, b) => a - b);
        deepEqual(await waiting(1), [1]);
        deepEqual(await waiting(2), []);
        deepEqual(await waiting(4), [3, 4]);
        deepEqual(await waiting(5), [4, 5]);
        deepEqual(await waiting(6), [4]);
        deepEqual(await sessions.findWaitingCalls(session, ['x'], 6), [entries[3]]);
        deepEqual(await sessions.findWaitingCalls(session, [], 6), []);
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
