/**
 * Section schemas: which sections an anchored summary has, who fills them, and by what two of their
 * items count as the same. A schema is a plain value, so a host may write its own.
 */
import { OssatureError } from '../../kernel/errors.js';

/** Who writes into a section. All but `patch` are filled in code, never by a summarizer. */
export type SectionFiller = 'pins' | 'asks' | 'trail' | 'decisions' | 'errors' | 'todos' | 'patch';

/** By what two items of a section are the same. */
export type SectionIdentity = 'path' | 'subject' | 'signature' | 'text' | 'ask';

export interface SummarySection {
  /** Lower-case letters, digits and `_`; also the handle `section:<key>`. */
  readonly key: string;
  readonly title: string;
  readonly filledBy: readonly SectionFiller[];
  readonly identity: SectionIdentity;
  /** Rendered even when empty, then with the word "none". */
  readonly required: boolean;
  /** Ceiling of its rendered items without pins and open asks, in tokens; null: only that of the whole. */
  readonly maxTokens: number | null;
  /** Open items of a lower number leave the summary earlier. */
  readonly priority: number;
}

export interface SectionSchema {
  readonly schemaName: string;
  /** Integer from 1. */
  readonly version: number;
  /** In the order of rendering; the pins come first whatever their place. */
  readonly sections: readonly SummarySection[];
}

const CONSTRAINTS = section('constraints', 'Constraints', ['pins'], 'text', 100);
const INTENT = section('session_intent', 'Session intent', ['asks'], 'ask', 90);
/** Above all but what the user said: a changed file that is not named is read again, or changed twice. */
const MODIFIED = section('files_modified', 'Files modified', ['trail'], 'path', 88);
const READ = section('files_read', 'Files read', ['trail'], 'path', 10);
const DECISIONS = section('decisions', 'Decisions', ['decisions', 'patch'], 'subject', 80);
const ERRORS = section(
  'errors_and_fixes',
  'Errors and fixes',
  ['errors', 'patch'],
  'signature',
  50,
);
const STATE = section('current_state', 'Current state', ['patch'], 'subject', 40);
const NEXT = section('next_steps', 'Next steps', ['todos', 'patch'], 'text', 70);

export const CODING_SCHEMA: SectionSchema = {
  schemaName: 'coding',
  version: 1,
  sections: [CONSTRAINTS, INTENT, MODIFIED, READ, DECISIONS, ERRORS, STATE, NEXT],
};

export const DEBUGGING_SCHEMA: SectionSchema = {
  schemaName: 'debugging',
  version: 1,
  sections: [
    CONSTRAINTS,
    INTENT,
    section('root_cause', 'Root cause', ['patch'], 'subject', 85),
    section('hypotheses', 'Hypotheses', ['patch'], 'subject', 65),
    MODIFIED,
    READ,
    DECISIONS,
    ERRORS,
    STATE,
    NEXT,
  ],
};

export const MIGRATION_SCHEMA: SectionSchema = {
  schemaName: 'migration',
  version: 1,
  sections: [
    CONSTRAINTS,
    INTENT,
    section('source_schema', 'Source schema', ['patch'], 'subject', 75),
    section('target_schema', 'Target schema', ['patch'], 'subject', 75),
    MODIFIED,
    READ,
    DECISIONS,
    ERRORS,
    STATE,
    NEXT,
  ],
};

export const BUILT_IN_SCHEMAS: readonly SectionSchema[] = [
  CODING_SCHEMA,
  DEBUGGING_SCHEMA,
  MIGRATION_SCHEMA,
];

export function sectionOf(schema: SectionSchema, key: string): SummarySection | undefined {
  return schema.sections.find((section) => section.key === key);
}

/** The first section that the filler writes into. */
export function sectionFilledBy(
  schema: SectionSchema,
  filler: SectionFiller,
): SummarySection | undefined {
  return schema.sections.find(({ filledBy }) => filledBy.includes(filler));
}

/**
 * Where a line of the trail belongs: files only read go to the section `files_read`, all others to
 * the first other trail section; a schema with one trail section has everything there.
 */
export function trailSectionOf(
  schema: SectionSchema,
  isReadOnly: boolean,
): SummarySection | undefined {
  const sections = schema.sections.filter(({ filledBy }) => filledBy.includes('trail'));
  const fits = sections.find(({ key }) => (key === 'files_read') === isReadOnly);
  return fits ?? sections[0];
}

/**
 * @throws OssatureError INVALID_CONFIG naming the field: no name, a version below 1, a key twice or
 * ill-formed, a section that nobody fills, none or several for pins or asks.
 */
export function requireSectionSchema(schema: SectionSchema): void {
  const refuse = (field: string, reason: string): never => {
    throw new OssatureError('INVALID_CONFIG', `${field} ${reason}.`, { details: { field } });
  };
  if (schema.schemaName.trim() === '') refuse('schema_name', 'must not be empty');
  if (!Number.isSafeInteger(schema.version) || schema.version < 1)
    refuse('version', 'must be an integer from 1');
  const keys = new Set<string>();
  schema.sections.forEach(({ key, title, filledBy, maxTokens, priority }, index) => {
    const field = `sections[${index}]`;
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(key))
      refuse(`${field}.key`, 'must be lower-case letters, digits and _');
    if (keys.has(key)) refuse(`${field}.key`, `"${key}" is used twice`);
    keys.add(key);
    if (title.trim() === '' || title.includes('\n')) refuse(`${field}.title`, 'must be one line');
    if (filledBy.length === 0) refuse(`${field}.filled_by`, 'must name who fills the section');
    if (maxTokens !== null && !(maxTokens > 0)) refuse(`${field}.max_tokens`, 'must be above 0');
    if (!Number.isFinite(priority)) refuse(`${field}.priority`, 'must be a number');
  });
  // Without them a pin or a request would have no place, and would be dropped in silence.
  for (const filler of ['pins', 'asks'] as const) {
    const count = schema.sections.filter(({ filledBy }) => filledBy.includes(filler)).length;
    if (count !== 1) refuse('sections', `must hold exactly one that is filled by "${filler}"`);
  }
  // A summarizer may add to these only by a proposal, and may only end asks.
  const open = schema.sections.findIndex(
    ({ filledBy }) =>
      filledBy.length > 1 &&
      (['pins', 'asks', 'trail'] as const).some((filler) => filledBy.includes(filler)),
  );
  if (open >= 0)
    refuse(`sections[${open}].filled_by`, 'pins, asks and trail are each filled by nothing else');
}

function section(
  key: string,
  title: string,
  filledBy: readonly SectionFiller[],
  identity: SectionIdentity,
  priority: number,
): SummarySection {
  return { key, title, filledBy, identity, required: true, maxTokens: null, priority };
}
