/** The library's settings and the command line's environment, each checked once and in one place. */
import { z } from 'zod';
import { OssatureError } from '../../domain/kernel/errors.js';
import { MAX_FRAGMENT_TOKENS } from '../../domain/session/plan-material.js';
import { MAX_ATTACHMENT_BYTES } from '../../domain/session/session-media.js';
import type { LessonSettingsInput } from '../../domain/lessons/lesson-settings.js';
import { DEFAULT_MAX_DEPTH } from '../../domain/plan/plan.js';
import { lessonSettingsFromEnv } from './lesson-environment.js';

/** Bounds of every whole number among the settings. */
const BOUNDS = {
  maxDepth: [1, 100],
  poolSize: [1, 500],
  windowTokens: [1_000, 100_000_000],
  maxAttachmentBytes: [0, 500 * 1024 * 1024],
  maxFragmentTokens: [100, 1_000_000],
} as const;

const SCHEMA_RULE = 'a lower-case Postgres name of at most 40 characters, such as ossature';
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const wholeNumber = ([least, most]: readonly [number, number]) => z.int().min(least).max(most);

function wholeNumberRule([least, most]: readonly [number, number], example: number): string {
  return `a whole number from ${least} to ${most}, such as ${example}`;
}

const modelAddress = z.string().regex(/^https?:\/\/[^\s/@]+[^\s@]*$/);
const modelName = z.string().regex(/^\S(?:[^\r\n]{0,198}\S)?$/u);
const modelKey = z.string().regex(/^[\x21-\x7e]+$/);

const modelSettings = z.strictObject({
  /** Of an endpoint that speaks Chat Completions, up to `/chat/completions`. */
  baseUrl: modelAddress,
  /** As the endpoint names it. */
  model: modelName,
  /** Goes to the endpoint and nowhere else. Left out: none is sent. */
  apiKey: modelKey.exactOptional(),
  /** Tokens, input and output. Left out: taken for that of the session's model. */
  windowTokens: wholeNumber(BOUNDS.windowTokens).exactOptional(),
});

const ADDRESS_RULE =
  'an http or https address without a user or password, such as https://api.example.com/v1';
const NAME_RULE = 'a name on one line, as the endpoint knows it, such as gpt-5-mini';
const KEY_RULE = 'printable ASCII without spaces or line ends';

const MODEL_RULES: Rules<typeof modelSettings> = {
  baseUrl: ADDRESS_RULE,
  model: NAME_RULE,
  apiKey: KEY_RULE,
  windowTokens: wholeNumberRule(BOUNDS.windowTokens, 128_000),
};

const settings = z.strictObject({
  /** The Postgres schema that holds everything of ours; letters, digits and underscores. */
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,39}$/)
    .default('ossature'),
  /** Generations below a root; a plan at this depth cannot spawn. */
  maxDepth: wholeNumber(BOUNDS.maxDepth).default(DEFAULT_MAX_DEPTH),
  /** Connections of a pool that the core opens itself. */
  poolSize: wholeNumber(BOUNDS.poolSize).default(10),
  /** The model that writes summaries and answers whatever else needs one. Left out: there is none. */
  model: modelSettings.exactOptional(),
  /** Bytes of a medium in a transcript above which its description alone is kept (sessions, §2). */
  maxAttachmentBytes: wholeNumber(BOUNDS.maxAttachmentBytes).default(MAX_ATTACHMENT_BYTES),
  /** Tokens above which a unit of a session becomes head, tail and handle in a plan (sessions, §5). */
  maxFragmentTokens: wholeNumber(BOUNDS.maxFragmentTokens).default(MAX_FRAGMENT_TOKENS),
  /** Whether the thinking in a session becomes context of a plan. */
  thinking: z.boolean().default(false),
});

const SETTING_RULES: Rules<typeof settings> = {
  schema: SCHEMA_RULE,
  maxDepth: wholeNumberRule(BOUNDS.maxDepth, DEFAULT_MAX_DEPTH),
  poolSize: wholeNumberRule(BOUNDS.poolSize, 10),
  model: 'an object with baseUrl and model, and, where wanted, apiKey and windowTokens',
  maxAttachmentBytes: wholeNumberRule(BOUNDS.maxAttachmentBytes, MAX_ATTACHMENT_BYTES),
  maxFragmentTokens: wholeNumberRule(BOUNDS.maxFragmentTokens, MAX_FRAGMENT_TOKENS),
  thinking: 'true or false',
};

export type OssatureConfig = z.infer<typeof settings>;
export type OssatureConfigInput = z.input<typeof settings>;

/** @throws OssatureError INVALID_CONFIG naming the field. */
export function parseConfig(input: OssatureConfigInput = {}): OssatureConfig {
  const model: unknown = (input as Partial<OssatureConfigInput> | null)?.model;
  // By itself first, so that a fault is told under the name of the field inside.
  if (typeof model === 'object') checked(modelSettings, model, MODEL_RULES, 'config.model');
  return checked(settings, input, SETTING_RULES, 'config');
}

const environment = z.object({
  /** A Postgres server to use instead of the store in the home folder. */
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .exactOptional(),
  /** Log lines on stderr from this level up. */
  OSSATURE_LOG_LEVEL: z.enum(LOG_LEVELS).default('error'),
  OSSATURE_SCHEMA: settings.shape.schema,
  OSSATURE_MAX_DEPTH: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(wholeNumber(BOUNDS.maxDepth))
    .default(DEFAULT_MAX_DEPTH),
  /** `offline` is no name: it stands for a model of no knowledge that needs no endpoint. */
  OSSATURE_MODEL: modelName.exactOptional(),
  OSSATURE_MODEL_BASE_URL: modelAddress.exactOptional(),
  OSSATURE_MODEL_API_KEY: modelKey.exactOptional(),
  OSSATURE_MODEL_WINDOW_TOKENS: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(wholeNumber(BOUNDS.windowTokens))
    .exactOptional(),
});

type Environment = z.output<typeof environment>;

const ENVIRONMENT_RULES: Rules<typeof environment> = {
  DATABASE_URL: 'an address such as postgres://user@host:5432/name',
  OSSATURE_LOG_LEVEL: `one of ${LOG_LEVELS.join(', ')}`,
  OSSATURE_SCHEMA: SCHEMA_RULE,
  OSSATURE_MAX_DEPTH: wholeNumberRule(BOUNDS.maxDepth, DEFAULT_MAX_DEPTH),
  OSSATURE_MODEL: NAME_RULE,
  OSSATURE_MODEL_BASE_URL: ADDRESS_RULE,
  OSSATURE_MODEL_API_KEY: KEY_RULE,
  OSSATURE_MODEL_WINDOW_TOKENS: wholeNumberRule(BOUNDS.windowTokens, 128_000),
};

export interface EnvironmentConfig {
  readonly databaseUrl: string | null;
  readonly logLevel: z.infer<typeof environment>['OSSATURE_LOG_LEVEL'];
  readonly config: OssatureConfigInput;
  readonly lessons: {
    readonly environment: LessonSettingsInput;
    /** The model of counted knowledge stands in for a language model. */
    readonly offline: boolean;
  };
}

/** What the command line reads from its environment. The library itself never looks there. */
export function configFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): EnvironmentConfig {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = checked(environment, present, ENVIRONMENT_RULES, null);
  return {
    databaseUrl: parsed.DATABASE_URL ?? null,
    logLevel: parsed.OSSATURE_LOG_LEVEL,
    config: {
      schema: parsed.OSSATURE_SCHEMA,
      maxDepth: parsed.OSSATURE_MAX_DEPTH,
      ...modelFrom(parsed),
    },
    lessons: {
      environment: lessonSettingsFromEnv(env),
      offline: parsed.OSSATURE_MODEL === OFFLINE,
    },
  };
}

/** The value of `OSSATURE_MODEL` that names no model of an endpoint. */
const OFFLINE = 'offline';

/** No endpoint is taken for granted: what a session holds goes only where somebody said that it may. */
function modelFrom(parsed: Environment): Pick<OssatureConfigInput, 'model'> {
  const {
    OSSATURE_MODEL: model,
    OSSATURE_MODEL_BASE_URL: baseUrl,
    OSSATURE_MODEL_API_KEY: apiKey,
    OSSATURE_MODEL_WINDOW_TOKENS: windowTokens,
  } = parsed;
  if (model === OFFLINE || (model === undefined && baseUrl === undefined)) return {};
  if (model === undefined || baseUrl === undefined) {
    const field = model === undefined ? 'OSSATURE_MODEL' : 'OSSATURE_MODEL_BASE_URL';
    throw new OssatureError(
      'INVALID_CONFIG',
      `${field} is missing: a model needs both OSSATURE_MODEL and OSSATURE_MODEL_BASE_URL.`,
      { details: { field } },
    );
  }
  return {
    model: {
      baseUrl,
      model,
      ...(apiKey !== undefined && { apiKey }),
      ...(windowTokens !== undefined && { windowTokens }),
    },
  };
}

/** What each field must be, in words. */
type Rules<Schema extends z.ZodObject> = Readonly<Record<keyof Schema['shape'], string>>;

/** May hold a password or a key. */
const UNSHOWN = new Set([
  'DATABASE_URL',
  'baseUrl',
  'apiKey',
  'OSSATURE_MODEL_BASE_URL',
  'OSSATURE_MODEL_API_KEY',
]);

/** Longest value that an error repeats, in UTF-16 units. */
const LONGEST_SHOWN = 60;

/** @param prefix stands before the names of fields; null where they are known by their own. */
function checked<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
  rules: Rules<Schema>,
  prefix: string | null,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [unknown] = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const field = unknown ?? issue?.path.join('.') ?? '';
  const name = [prefix, field].filter((part) => part !== null && part !== '').join('.');
  throw new OssatureError('INVALID_CONFIG', `${name} ${faultOf(field, value, rules)}.`, {
    details: { field },
    cause: parsed.error,
  });
}

function faultOf(field: string, value: unknown, rules: Readonly<Record<string, string>>): string {
  const rule = rules[field];
  const names = Object.keys(rules).join(', ');
  if (rule === undefined) {
    return field === '' ? `must be an object with ${names}` : `is not known; known are ${names}`;
  }
  const given = (value as Readonly<Record<string, unknown>>)[field];
  const isShown = !UNSHOWN.has(field) && ['string', 'number', 'boolean'].includes(typeof given);
  const shown = isShown ? `, not ${JSON.stringify(given).slice(0, LONGEST_SHOWN)}` : '';
  return `must be ${rule}${shown}`;
}
