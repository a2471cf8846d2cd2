/** Sessions over maps. Transactions take turns, so `lock` has nobody to hold off. */
import type { SessionKey, SessionRepository } from '../../../domain/session/repositories.js';
import { markedEntry } from '../../../domain/session/marked-entry.js';
import {
  grownUsage,
  noSession,
  type Session,
  type SessionEntry,
  type SessionUsage,
} from '../../../domain/session/session.js';
import { byAge, refusal, requirePlan } from './in-memory-rules.js';
import { sessionPlace, type State } from './in-memory-state.js';
import { forgetSession } from './in-memory-workflows.js';

export function inMemorySessions(current: () => State): SessionRepository {
  const find = (key: SessionKey): Session | null =>
    current().sessions.get(sessionPlace(key)) ?? null;
  const get = (key: SessionKey): Session => {
    const session = find(key);
    if (session === null) throw noSession(key.sessionId);
    return session;
  };
  const entriesOf = (key: SessionKey): readonly SessionEntry[] =>
    current().sessionEntries.get(sessionPlace(key)) ?? [];
  const list = (wanted: (session: Session) => boolean): Session[] =>
    [...current().sessions.values()].filter(wanted).sort(byAge(({ sessionId }) => sessionId));

  return {
    async insert(session) {
      requireNamed(current(), session);
      const isTwin = (other: Session): boolean =>
        other.tenantId === session.tenantId &&
        (other.sessionId === session.sessionId ||
          (session.vendorSessionId !== null &&
            other.vendor === session.vendor &&
            other.vendorSessionId === session.vendorSessionId));
      if (list(isTwin).length > 0) return false;
      current().sessions.set(sessionPlace(session), session);
      return true;
    },
    get: async (key) => get(key),
    find: async (key) => find(key),
    findByVendorId: async (tenantId, vendor, vendorSessionId) =>
      list(
        (session) =>
          session.tenantId === tenantId &&
          session.vendor === vendor &&
          session.vendorSessionId === vendorSessionId,
      )[0] ?? null,
    lock: async (key) => get(key),
    list: async (tenantId) => list((session) => session.tenantId === tenantId).reverse(),
    listByPlans: async (planIds) =>
      list(({ planId }) => planId !== null && planIds.includes(planId)).reverse(),
    listChildren: async ({ tenantId, sessionId }) =>
      list((session) => session.tenantId === tenantId && session.parentSessionId === sessionId),
    async append(key, given, now) {
      const [first, last] = [given[0], given.at(-1)];
      if (first === undefined || last === undefined) return;
      const session = find(key);
      if (session === null || session.lastSeq !== first.seq - 1) {
        throw refusal('STALE', `Session ${key.sessionId} has moved on.`);
      }
      const held = entriesOf(key);
      const keys = new Set(held.map(({ sourceKey }) => sourceKey));
      for (const { sourceKey } of given) {
        if (keys.has(sourceKey)) {
          throw refusal('STORE_FAILED', `The session has an entry ${JSON.stringify(sourceKey)}.`);
        }
        keys.add(sourceKey);
      }
      current().sessionEntries.set(sessionPlace(key), [...held, ...given]);
      const media = current().sessionMedia;
      for (const entry of given) {
        const hash = entry.kind === 'attachment' ? entry.mediaHash : undefined;
        if (hash !== undefined && !media.has(mediaPlace(key, hash))) {
          throw refusal('STALE', `There are no media ${hash}.`);
        }
      }
      current().sessions.set(sessionPlace(key), {
        ...session,
        model: given.findLast(({ model }) => model !== undefined)?.model ?? session.model,
        lastSeq: last.seq,
        lastTurn: last.turn,
        updatedAt: now,
      });
    },
    async findKnown(key, sourceKeys) {
      const wanted = new Set(sourceKeys);
      return entriesOf(key)
        .filter(({ sourceKey }) => wanted.has(sourceKey))
        .map(({ sourceKey, seq, entryPrint, active }) => ({ sourceKey, seq, entryPrint, active }));
    },
    async findCallUnits(key, callIds) {
      const wanted = new Set(callIds);
      return new Map(
        entriesOf(key).flatMap((entry) =>
          entry.kind === 'tool_call' && wanted.has(entry.callId)
            ? [[entry.callId, entry.unitId]]
            : [],
        ),
      );
    },
    async findWaitingCalls(key, callIds, upTo) {
      const waiting = new Map<string, SessionEntry>();
      for (const entry of entriesOf(key)) {
        if (entry.seq > upTo) break;
        if (entry.kind === 'tool_call') waiting.set(entry.callId, entry);
        if (entry.kind === 'tool_result') waiting.delete(entry.callId);
      }
      return callIds.flatMap((callId) => waiting.get(callId) ?? []);
    },
    async setActive(key, seqs, active) {
      const state = current();
      const place = sessionPlace(key);
      state.sessionSources.delete(place);
      const wanted = new Set(seqs);
      const marked = <Value extends { readonly seq: number }>(values: readonly Value[]): Value[] =>
        values.map((value) => (wanted.has(value.seq) ? { ...value, active } : value));
      state.sessionEntries.set(place, marked(entriesOf(key)));
      const held = state.trails.get(place);
      if (held === undefined) return;
      const commands = marked([...held.trail.commands.values()]);
      state.trails.set(place, {
        ...held,
        trail: {
          ...held.trail,
          commands: new Map(commands.map((command) => [command.seq, command])),
        },
        events: marked(held.events),
      });
    },
    listMarks: async (key, { from, to }) =>
      entriesOf(key)
        .filter(({ seq }) => seq >= from && (to === null || seq <= to))
        .map(markedEntry),
    listHashes: async (key, { from, to }) =>
      entriesOf(key)
        .filter(({ seq }) => seq >= from && (to === null || seq <= to))
        .map(({ contentHash }) => contentHash),
    listRulings: async (key, upTo) =>
      entriesOf(key).filter(
        (entry) => entry.seq <= upTo && entry.kind === 'tool_result' && entry.ruling !== null,
      ),
    async sumEntries(key, behind) {
      const own = entriesOf(key).filter(({ seq, active }) => active && seq > behind);
      return {
        entries: own.length,
        tokens: own.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
        largestTokens: own.reduce((most, { tokenCount }) => Math.max(most, tokenCount), 0),
        turns: new Set(own.map(({ turn }) => turn)).size,
      };
    },
    listEntries: async (key, { from, to }, kinds) =>
      entriesOf(key).filter(
        ({ seq, kind }) =>
          seq >= from && (to === null || seq <= to) && (kinds?.includes(kind) ?? true),
      ),
    async listEntriesAt(key, seqs) {
      const wanted = new Set(seqs);
      return entriesOf(key).filter(({ seq }) => wanted.has(seq));
    },
    async setPlan(key, planId) {
      const session = get(key);
      requirePlan(current(), planId);
      current().sessions.set(sessionPlace(key), { ...session, planId: session.planId ?? planId });
    },
    async setParent(key, parentSessionId, parentEntryId) {
      const session = get(key);
      get({ tenantId: key.tenantId, sessionId: parentSessionId });
      current().sessions.set(sessionPlace(key), { ...session, parentSessionId, parentEntryId });
    },
    async addMedia(key, media) {
      for (const { mediaHash, data } of media) {
        current().sessionMedia.set(mediaPlace(key, mediaHash), data);
      }
    },
    async findMedia(key, mediaHashes) {
      const named = new Set(
        entriesOf(key).flatMap((entry) =>
          entry.kind === 'attachment' ? (entry.mediaHash ?? []) : [],
        ),
      );
      return new Map(
        mediaHashes.flatMap((hash): readonly [string, string][] => {
          const data = current().sessionMedia.get(mediaPlace(key, hash));
          return data === undefined || !named.has(hash) ? [] : [[hash, data]];
        }),
      );
    },
    async addCounts(key, { name, version }, counts) {
      get(key);
      const place = JSON.stringify([sessionPlace(key), name, version]);
      const held = new Map(current().sessionCounts.get(place));
      for (const { seq, tokenCount } of counts) if (!held.has(seq)) held.set(seq, tokenCount);
      current().sessionCounts.set(place, held);
    },
    async setCounter(key, { name, version }) {
      const session = get(key);
      const counter = { counterName: name, counterVersion: version };
      current().sessions.set(sessionPlace(key), { ...session, ...counter });
      const counts = current().sessionCounts.get(
        JSON.stringify([sessionPlace(key), name, version]),
      );
      current().sessionEntries.set(
        sessionPlace(key),
        entriesOf(key).map((entry) => ({
          ...entry,
          tokenCount: counts?.get(entry.seq) ?? entry.tokenCount,
        })),
      );
    },
    async addUsage(key, given) {
      if (find(key) === null)
        throw refusal('STORE_FAILED', `There is no session ${key.sessionId}.`);
      const held = new Map(current().sessionUsage.get(sessionPlace(key)));
      for (const usage of given) {
        const before = held.get(usage.usageKey);
        held.set(usage.usageKey, before === undefined ? usage : grownUsage(before, usage));
      }
      current().sessionUsage.set(sessionPlace(key), held);
    },
    async listUsage(key): Promise<readonly SessionUsage[]> {
      return [...(current().sessionUsage.get(sessionPlace(key))?.values() ?? [])].sort((a, b) =>
        a.usageKey < b.usageKey ? -1 : 1,
      );
    },
    findSources: async (tenantId, headPrint) =>
      [...current().sessionSources].flatMap(([place, source]) =>
        source.headPrint === headPrint &&
        place === sessionPlace({ tenantId, sessionId: source.sessionId })
          ? [source]
          : [],
      ),
    async keepSource(key, source) {
      if (find(key)?.lastSeq !== source.lastSeq) return;
      current().sessionSources.set(sessionPlace(key), source);
    },
    async delete(key) {
      get(key);
      const state = current();
      const place = sessionPlace(key);
      const { sessions, sessionEntries, sessionUsage, sessionSources, trails, summaries } = state;
      for (const name of state.sessionCounts.keys()) {
        if ((JSON.parse(name) as string[])[0] === place) state.sessionCounts.delete(name);
      }
      for (const part of [
        sessions,
        sessionEntries,
        sessionUsage,
        sessionSources,
        trails,
        summaries,
      ]) {
        part.delete(place);
      }
      forgetSession(state, key.tenantId, key.sessionId);
      for (const [at, session] of state.sessions) {
        if (session.tenantId !== key.tenantId || session.parentSessionId !== key.sessionId)
          continue;
        state.sessions.set(at, { ...session, parentSessionId: null, parentEntryId: null });
      }
    },
  };
}

/** Media belong to the tenant, as contents do. */
function mediaPlace({ tenantId }: SessionKey, mediaHash: string): string {
  return JSON.stringify([tenantId, mediaHash]);
}

/** What foreign keys do in the database. */
function requireNamed(state: State, session: Session): void {
  const { tenantId, projectId, planId, parentSessionId } = session;
  const unknown =
    (projectId !== null && !state.projects.has(projectId)) ||
    (planId !== null && !state.plans.has(planId)) ||
    (parentSessionId !== null &&
      !state.sessions.has(sessionPlace({ tenantId, sessionId: parentSessionId })));
  if (unknown) {
    throw refusal('STORE_FAILED', `Session ${session.sessionId} names what does not exist.`);
  }
}
