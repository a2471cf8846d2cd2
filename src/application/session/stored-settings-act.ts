/** Settings that a session keeps. A change is one revision; another section schema moves the items with it. */
import type { JsonObject, JsonValue } from '../../domain/redaction/json-value.js';
import { windowOfModel } from '../../domain/session/pass/model-windows.js';
import { resolveSettings } from '../../domain/session/pass/settings.js';
import {
  changeSettings,
  readSchema,
  readSettings,
} from '../../domain/session/pass/stored-settings.js';
import type { SessionKey } from '../../domain/session/repositories.js';
import { changeSchema, type SchemaChange } from '../../domain/session/summary/change-schema.js';
import { newVersions } from '../../domain/session/summary/session-cycle.js';
import { readSummary } from './read-pass-material.js';
import { retryStale } from './retry-stale.js';
import type { PassNeeds } from './summary-needs.js';

export interface SettingsReceipt {
  readonly settings: JsonObject;
  /** False: it was so already, and nothing was written. */
  readonly changed: boolean;
  readonly revision: number;
  /** Items of sections that the schema no longer has: archived, found again by their number. */
  readonly homeless: SchemaChange['homeless'];
}

/** @param given null takes a setting back to its default. */
export function changeStoredSettings(
  needs: PassNeeds,
  key: SessionKey,
  given: Readonly<Record<string, JsonValue>>,
): Promise<SettingsReceipt> {
  return retryStale(() =>
    needs.unitOfWork(async ({ sessions, summaries }) => {
      const session = await sessions.lock(key);
      const settings = changeSettings(session.settings, given);
      requireBounds(needs, settings, session.model);
      const { revision, cycle } = session;
      const unchanged = { settings, changed: false, revision, homeless: [] };
      if (JSON.stringify(settings) === JSON.stringify(sorted(session.settings))) return unchanged;
      const before = await readSummary({ summaries }, session);
      const schema = readSchema(settings);
      const isMoved = JSON.stringify(schema) !== JSON.stringify(before.schema);
      const moved: SchemaChange = isMoved
        ? changeSchema(before, schema, {
            cycle,
            producer: 'host',
            spanHash: null,
            itemIdOf: () => needs.newId(),
            entryIdOf: () => '',
          })
        : { summary: before, homeless: [] };
      const step = {
        fromRevision: revision,
        sessionCycle: cycle,
        items: newVersions(before, moved.summary),
        adopted: null,
        rolledBack: [],
        settings,
      };
      await summaries.apply(session, step, needs.clock());
      const { homeless } = moved;
      return { settings, changed: true, revision: revision + 1, homeless };
    }),
  );
}

/** Where no window is known yet, bounds that depend on it are checked once there is one. */
function requireBounds(
  { summarizer }: PassNeeds,
  settings: JsonObject,
  model: string | null,
): void {
  const given = readSettings(settings);
  const isUnknown = given.windowTokens === undefined && windowOfModel(model ?? '') === null;
  const window = isUnknown ? WIDE : {};
  resolveSettings({ ...window, ...given }, model, summarizer?.windowTokens ?? null);
}

const WIDE = { windowTokens: 1_000_000_000 };

function sorted(settings: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)));
}
