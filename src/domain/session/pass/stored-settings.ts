/**
 * Settings of passes as a session keeps them: JSON, in the words of the specification, and only what
 * differs from the defaults.
 */
import { OssatureError } from '../../kernel/errors.js';
import type { JsonObject, JsonValue } from '../../redaction/json-value.js';
import {
  BUILT_IN_SCHEMAS,
  CODING_SCHEMA,
  requireSectionSchema,
  type SectionSchema,
  type SummarySection,
} from '../summary/section-schema.js';
import { type PassSettingsInput, toSet } from './settings.js';

type Field = keyof PassSettingsInput;

/** The name of each setting in the store, on the command line and in messages. */
export const SETTING_NAMES: Readonly<Record<Field, string>> = {
  windowTokens: 'window_tokens',
  outputReserveTokens: 'output_reserve_tokens',
  fillLine: 'fill_line',
  drainLine: 'drain_line',
  boundaryLine: 'boundary_line',
  keepTurns: 'keep_turns',
  keepTokens: 'keep_tokens',
  slideTurns: 'slide_turns',
  summaryTokens: 'summary_tokens',
  oversizeTokens: 'oversize_tokens',
  previewCharacters: 'preview_characters',
  summarizerWindowTokens: 'summarizer_window_tokens',
  minFreedTokens: 'min_freed_tokens',
  hysteresisTokens: 'hysteresis_tokens',
  systemTokens: 'system_tokens',
  toolTokens: 'tool_tokens',
  strategy: 'strategy',
  fallback: 'fallback',
  maxModelRetries: 'max_model_retries',
  passTimeoutMs: 'pass_timeout_ms',
  review: 'review',
  triggers: 'triggers',
};

const TEXTS: readonly Field[] = ['strategy', 'fallback'];

/** The name of the section schema, or one of the host's own as a whole. */
const SCHEMA = 'schema';

/**
 * @throws OssatureError INVALID_CONFIG naming a field that is unknown, or no text, truth value or list where
 * it has to be one. Numbers and their bounds are checked by `resolveSettings`.
 */
export function readSettings(stored: JsonObject): PassSettingsInput {
  const fields = new Map(
    Object.entries(SETTING_NAMES).map(([field, name]) => [name, field as Field]),
  );
  const settings: Partial<Record<Field, unknown>> = {};
  for (const [name, value] of Object.entries(stored)) {
    if (name === SCHEMA) continue;
    const field = fields.get(name);
    if (field === undefined) {
      throw invalid(name, `is no setting; there are ${[...fields.keys(), SCHEMA].join(', ')}`);
    }
    const fault = faultOf(field, value);
    if (fault !== null) throw invalid(name, `must be ${fault}`);
    settings[field] = value;
  }
  return settings as PassSettingsInput;
}

/** @throws OssatureError INVALID_CONFIG where the schema is unknown or ill-formed. */
export function readSchema(stored: JsonObject): SectionSchema {
  const given = stored[SCHEMA];
  if (given === undefined) return CODING_SCHEMA;
  if (typeof given === 'string') {
    const known = BUILT_IN_SCHEMAS.find(({ schemaName }) => schemaName === given);
    if (known !== undefined) return known;
    const names = BUILT_IN_SCHEMAS.map(({ schemaName }) => schemaName).join(', ');
    throw invalid(SCHEMA, `must be one of ${names} or a schema of your own`);
  }
  const schema = given as unknown as SectionSchema;
  if (!isSchemaShaped(schema)) throw invalid(SCHEMA, 'has not the form of a section schema');
  requireSectionSchema(schema);
  return schema;
}

/**
 * Settings after a change; null takes one back to its default.
 *
 * @param change by the names of the store.
 * @throws OssatureError INVALID_CONFIG as the readings do.
 */
export function changeSettings(
  stored: JsonObject,
  change: Readonly<Record<string, JsonValue>>,
): JsonObject {
  const kept = Object.entries({ ...stored, ...change }).filter(([, value]) => value !== null);
  const settings = Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
  readSettings(settings);
  readSchema(settings);
  return settings;
}

/** What the value has to be, or null where it may be that. */
function faultOf(field: Field, value: JsonValue): string | null {
  if (field === 'triggers') {
    const isGroup = (group: JsonValue): boolean =>
      Array.isArray(group) && group.every((name: JsonValue) => typeof name === 'string');
    return Array.isArray(value) && value.every(isGroup) ? null : 'a list of lists of names';
  }
  if (field === 'review') return typeof value === 'boolean' ? null : 'true or false';
  return TEXTS.includes(field) && typeof value !== 'string' ? 'a name' : null;
}

function isSchemaShaped(given: unknown): given is SectionSchema {
  const { schemaName, version, sections } = given as Partial<SectionSchema>;
  return (
    typeof schemaName === 'string' &&
    typeof version === 'number' &&
    Array.isArray(sections) &&
    (sections as readonly Partial<SummarySection>[]).every(
      ({ key, title, filledBy, identity, required, maxTokens, priority }) =>
        typeof key === 'string' &&
        typeof title === 'string' &&
        Array.isArray(filledBy) &&
        (filledBy as readonly string[]).every((filler) => FILLERS.includes(filler)) &&
        IDENTITIES.includes(identity ?? '') &&
        typeof required === 'boolean' &&
        (maxTokens === null || typeof maxTokens === 'number') &&
        typeof priority === 'number',
    )
  );
}

const FILLERS: readonly string[] = [
  'pins',
  'asks',
  'trail',
  'decisions',
  'errors',
  'todos',
  'patch',
];

const IDENTITIES: readonly string[] = ['path', 'subject', 'signature', 'text', 'ask'];

function invalid(field: string, fault: string): OssatureError {
  const isKnown = field === SCHEMA || Object.values(SETTING_NAMES).includes(field);
  const remedy = isKnown ? `: ${toSet(field)}` : '';
  return new OssatureError('INVALID_CONFIG', `${field} ${fault}${remedy}.`, { details: { field } });
}
