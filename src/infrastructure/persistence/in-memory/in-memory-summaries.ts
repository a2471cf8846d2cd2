/** Summaries of sessions over maps. */
import type { OssatureError } from '../../../domain/kernel/errors.js';
import type { SessionKey } from '../../../domain/session/repositories.js';
import type { SessionCycle } from '../../../domain/session/summary/session-cycle.js';
import type { SummaryItem } from '../../../domain/session/summary/summary-item.js';
import type {
  CalibrationKey,
  SummaryRepository,
} from '../../../domain/session/summary/summary-repository.js';
import { refusal } from './in-memory-rules.js';
import { sessionPlace, type State, type StoredSummary } from './in-memory-state.js';

const NOTHING: StoredSummary = {
  versions: [],
  cycles: [],
  attempts: [],
  expansions: [],
  previews: new Map(),
};

function calibrationPlace(key: CalibrationKey): string {
  return JSON.stringify([key.tenantId, key.model, key.counterName, key.counterVersion]);
}

export function inMemorySummaries(current: () => State): SummaryRepository {
  const heldBy = (key: SessionKey): StoredSummary =>
    current().summaries.get(sessionPlace(key)) ?? NOTHING;
  const put = (key: SessionKey, change: Partial<StoredSummary>): void => {
    current().summaries.set(sessionPlace(key), { ...heldBy(key), ...change });
  };

  return {
    async listItems(key, itemNos) {
      const { versions, cycles } = heldBy(key);
      const gone = new Set(
        cycles.flatMap(({ state, revision }) => (state === 'rolled-back' ? [revision] : [])),
      );
      const inForce = new Map<number, SummaryItem>();
      for (const { revision, item } of versions) {
        const isWanted = itemNos?.includes(item.itemNo) ?? true;
        if (isWanted && !gone.has(revision)) inForce.set(item.itemNo, item);
      }
      return [...inForce.values()].sort((a, b) => a.itemNo - b.itemNo);
    },
    listVersions: async (key, itemNo) =>
      heldBy(key).versions.flatMap(({ item }) => (item.itemNo === itemNo ? [item] : [])),
    lastItemNo: async (key) =>
      heldBy(key).versions.reduce((last, { item }) => Math.max(last, item.itemNo), 0),
    async findEntrySeqs(key, entryIds) {
      const wanted = new Set(entryIds);
      const entries = current().sessionEntries.get(sessionPlace(key)) ?? [];
      return entries.flatMap(({ entryId, seq }) => (wanted.has(entryId) ? [seq] : []));
    },
    async findEntryIds(key, seqs) {
      const wanted = new Set(seqs);
      const entries = current().sessionEntries.get(sessionPlace(key)) ?? [];
      return new Map(
        entries.flatMap(({ entryId, seq }) => (wanted.has(seq) ? [[seq, entryId] as const] : [])),
      );
    },
    listCycles: async (key) => heldBy(key).cycles,
    listAttempts: async (key, limit) => [...heldBy(key).attempts].reverse().slice(0, limit),
    async apply(key, step, now) {
      const { fromRevision, sessionCycle, items, adopted, rolledBack, settings } = step;
      const { replaced = [], restored = [] } = step;
      const session = current().sessions.get(sessionPlace(key));
      if (session?.revision !== fromRevision) throw changedMeanwhile(key.sessionId);
      const revision = fromRevision + 1;
      current().sessions.set(sessionPlace(key), {
        ...session,
        revision,
        cycle: sessionCycle,
        settings: settings ?? session.settings,
        updatedAt: now,
      });
      const held = heldBy(key);
      const stateOf = ({ cycle, state }: SessionCycle): SessionCycle['state'] => {
        if (rolledBack.includes(cycle)) return 'rolled-back';
        if (replaced.includes(cycle)) return 'replaced';
        return restored.includes(cycle) ? 'live' : state;
      };
      const cycles = held.cycles.map((cycle) => ({ ...cycle, state: stateOf(cycle) }));
      put(key, {
        versions: [...held.versions, ...items.map((item) => ({ revision, item }))],
        cycles: adopted === null ? cycles : [...cycles, adopted],
      });
    },
    async startAttempt(key, attempt) {
      if (!current().sessions.has(sessionPlace(key))) {
        throw refusal('STORE_FAILED', `There is no session ${key.sessionId}.`);
      }
      const { attempts } = heldBy(key);
      const isStarted = attempts.some(({ outcome }) => outcome === 'started');
      if (isStarted && attempt.outcome === 'started') return false;
      put(key, { attempts: [...attempts, attempt] });
      return true;
    },
    async settleAttempt(key, settled) {
      const { attempts } = heldBy(key);
      const isOpen = attempts.some(
        ({ attemptId, outcome }) => attemptId === settled.attemptId && outcome === 'started',
      );
      if (!isOpen) throw changedMeanwhile(key.sessionId);
      const { tokensAfter, outcome, reasons, checks, finishedAt, modelCalls } = settled;
      put(key, {
        attempts: attempts.map((attempt) =>
          attempt.attemptId === settled.attemptId
            ? { ...attempt, tokensAfter, outcome, reasons, checks, finishedAt, modelCalls }
            : attempt,
        ),
      });
    },
    async renewLease(key, attemptId, until) {
      const { attempts } = heldBy(key);
      const isAlive = attempts.some(
        (attempt) => attempt.attemptId === attemptId && attempt.outcome === 'started',
      );
      if (!isAlive) return false;
      put(key, {
        attempts: attempts.map((attempt) =>
          attempt.attemptId === attemptId ? { ...attempt, leaseUntil: until } : attempt,
        ),
      });
      return true;
    },
    listPreviews: async (key) =>
      [...heldBy(key).previews]
        .map(([seq, characters]) => ({ seq, characters }))
        .sort((a, b) => a.seq - b.seq),
    async addPreviews(key, given) {
      const decided = new Map(heldBy(key).previews);
      for (const { seq, characters } of given) {
        if (!decided.has(seq)) decided.set(seq, characters);
      }
      put(key, { previews: decided });
    },
    async addExpansion(key, expansion) {
      put(key, { expansions: [...heldBy(key).expansions, expansion] });
    },
    listExpansions: async (key) =>
      [...heldBy(key).expansions].sort((a, b) => a.expandedAt.getTime() - b.expandedAt.getTime()),
    findCalibration: async (key) => current().calibrations.get(calibrationPlace(key)) ?? null,
    async saveCalibration(key, calibration) {
      current().calibrations.set(calibrationPlace(key), calibration);
    },
  };
}

function changedMeanwhile(sessionId: string): OssatureError {
  return refusal('STALE', `The summary of session ${sessionId} was changed meanwhile.`);
}
