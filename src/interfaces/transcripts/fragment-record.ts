/** One object of a fragment file, checked field by field. Fields that are not known are refused: what is ignored would be lost without a word. */
import { LONGEST_FRAGMENT_ID } from '../../application/plan/import-checks.js';
import { type DecisionId, isUlid } from '../../domain/kernel/ids.js';
import { textFault } from '../../domain/kernel/text.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';

export interface FragmentRecord {
  readonly fragmentId: string;
  readonly content: string;
  /** 0..1. */
  readonly relevance: number;
  /** Null where the file leaves it to be counted. */
  readonly tokenCount: number | null;
  readonly decisionId: DecisionId | null;
  /** Text for a decision that is not known yet. */
  readonly decision: string | null;
  /** ISO 8601 with a zone, or null. */
  readonly createdAt: string | null;
  readonly metadata: JsonObject;
}

export interface FieldFault {
  /** Name on the wire, or null where the value is no object at all. */
  readonly field: string | null;
  /** What it must be. */
  readonly rule: string;
}

/** A point in time with its zone, to the second or finer. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

interface FieldRule {
  readonly isRequired: boolean;
  readonly rule: string;
  readonly accepts: (value: JsonValue) => boolean;
}

const isText = (value: JsonValue): boolean => typeof value === 'string';

const FIELDS: Readonly<Record<string, FieldRule>> = {
  fragment_id: {
    isRequired: true,
    rule: `a non-empty string of at most ${LONGEST_FRAGMENT_ID} characters, without U+0000 and halves of surrogate pairs`,
    accepts: (value) =>
      typeof value === 'string' &&
      value !== '' &&
      value.length <= LONGEST_FRAGMENT_ID &&
      textFault(value) === null,
  },
  content: { isRequired: true, rule: 'a string', accepts: isText },
  relevance: {
    isRequired: true,
    rule: 'a number from 0 to 1',
    accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  },
  token_count: {
    isRequired: false,
    rule: 'an integer from 0 on',
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  },
  decision_id: { isRequired: false, rule: 'a ULID (26 characters)', accepts: isUlid },
  decision: { isRequired: false, rule: 'a string', accepts: isText },
  created_at: {
    isRequired: false,
    rule: 'a time such as 2026-01-31T12:00:00Z',
    accepts: (value) =>
      typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value)),
  },
  metadata: { isRequired: false, rule: 'an object', accepts: isJsonObject },
};

/** An optional field may be null, which is the same as absent. */
export function parseFragmentRecord(value: JsonValue): FragmentRecord | FieldFault {
  if (!isJsonObject(value)) return { field: null, rule: 'every value must be an object' };
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(FIELDS, name)) {
      return { field: name, rule: `is not known; fields are ${Object.keys(FIELDS).join(', ')}` };
    }
  }
  for (const [name, { isRequired, rule, accepts }] of Object.entries(FIELDS)) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    if (field === undefined && isRequired)
      return { field: name, rule: `is missing; must be ${rule}` };
    if (field === undefined || (field === null && !isRequired)) continue;
    if (!accepts(field)) return { field: name, rule: `must be ${rule}` };
  }
  return {
    fragmentId: value['fragment_id'] as string,
    content: value['content'] as string,
    relevance: value['relevance'] as number,
    tokenCount: (value['token_count'] ?? null) as number | null,
    decisionId: (value['decision_id'] ?? null) as DecisionId | null,
    decision: (value['decision'] ?? null) as string | null,
    createdAt: (value['created_at'] ?? null) as string | null,
    metadata: (value['metadata'] ?? {}) as JsonObject,
  };
}
