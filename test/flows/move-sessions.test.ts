/** A store with sessions moves whole: parents, texts, trails, and arguments in their order. */
import { expect, it } from '@jest/globals';
import { storeOf } from '../support/builders.js';
import { openOnPostgres } from '../support/stores.js';
import {
  aCommand,
  anArtifact,
  anError,
  anEvent,
  anUpdate,
  aSession,
  aTodo,
  aUsage,
  EVERY_KIND,
  placed,
} from '../contracts/session-values.js';
import { NOW } from '../contracts/sample-values.js';

it('moves sessions with everything of them, and the other side goes on from there', async () => {
  const from = await openOnPostgres();
  const to = await openOnPostgres();
  const parent = aSession({ createdAt: new Date(NOW.getTime() + 1) });
  // Older than its parent: its row comes first.
  const child = aSession({ tenantId: parent.tenantId });
  const { sessions, trails } = storeOf(from.core).repositories;
  for (const session of [parent, child]) await sessions.insert(session);
  await sessions.append(parent, placed(EVERY_KIND), NOW);
  await sessions.setParent(child, parent.sessionId, null);
  await sessions.addUsage(parent, [aUsage()]);
  await trails.write(
    parent,
    anUpdate({
      artifacts: [anArtifact()],
      commands: [aCommand()],
      errors: [anError()],
      todos: [aTodo()],
      events: [anEvent()],
      unmappedTools: new Map([['Odd', 1]]),
    }),
  );
  const lines: string[] = [];
  await from.core.exportStore((line) => {
    lines.push(line);
  });

  await to.core.importStore(
    (async function* stream() {
      yield* lines;
    })(),
  );

  const moved = storeOf(to.core).repositories;
  const all = { from: 1, to: null };
  expect(await moved.sessions.list(parent.tenantId)).toEqual(await sessions.list(parent.tenantId));
  expect(JSON.stringify(await moved.sessions.listEntries(parent, all))).toBe(
    JSON.stringify(await sessions.listEntries(parent, all)),
  );
  expect(await moved.trails.read(parent)).toEqual(await trails.read(parent));
  expect(await moved.trails.listEvents(parent)).toEqual(await trails.listEvents(parent));
  expect(await moved.sessions.listUsage(parent)).toEqual(await sessions.listUsage(parent));
  await moved.sessions.append(parent, placed(EVERY_KIND, EVERY_KIND.length), NOW);
  await from.close();
  await to.close();
});
