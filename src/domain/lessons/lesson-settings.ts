/**
 * Settings of lessons, under the names that hosts, environments and stored policies use. Only
 * overrides are stored; a value equal to its default is not.
 */
import { OssatureError } from '../kernel/errors.js';
import { shownValue } from './shown-value.js';

interface Rule<Value> {
  readonly byDefault: Value;
  /** What the value must be, in words. */
  readonly range: string;
  readonly accepts: (value: unknown) => boolean;
}

/** The only settings that name programs, environments or files: never from a stored policy. */
const HOST_ONLY_PREFIXES = ['replay.', 'privacy.'] as const;

const RULES = {
  'compression.enabled': flag(true),
  'compression.min_successes': whole(2, 0, 1_000_000),
  /** Of the tokens of the source; exact, as the decimal it is written as. */
  'compression.max_ratio': share(0.75, 0.01, 1),
  'compression.threshold': share(1, 0.01, 1),
  'compression.regression_k': whole(5, 1, 100),
  'compression.max_level': whole(6, 0, 50),
  'compression.cooldown_s': whole(900, 0, 31_536_000),
  'compression.cooldown_max_s': whole(86_400, 0, 31_536_000),
  'compression.min_tokens': whole(32, 0, 1_000_000),
  'compression.under_report_share': share(0.15, 0, 1),
  'compression.max_hints': whole(8, 0, 100),
  /** Characters. */
  'compression.hint_chars': whole(200, 20, 2_000),
  'compression.max_spans': whole(12, 0, 100),
  'compression.prompt_excerpt_chars': whole(240, 0, 4_000),
  'compression.audit': flag(true),
  'compression.holdout_fraction': share(0.2, 0, 0.9),
  'compression.min_held_out': whole(2, 1, 100),
  'compression.baseline': oneOf('on-failure', ['on-failure', 'always', 'off']),
  'compression.control': flag(true),
  'compression.min_discriminating': whole(2, 1, 100),
  'compression.judge_votes': oneOf(3, [1, 3, 5]),
  'compression.attempt_lease_s': whole(360, 1, 86_400),
  'compression.harvest_checks': flag(false),
  /** Share of single-claim deletions that the regression set must notice; null: not asked. */
  'compression.mutation_floor': orNull(null as number | null, share(0.6, 0, 1)),
  'merge.enabled': flag(false),
  'merge.min_co_use': whole(1, 0, 1_000_000),
  'merge.max_group': whole(5, 2, 5),
  'merge.threshold': share(1, 0.01, 1),
  'merge.max_ratio': share(0.9, 0.01, 1),
  'recall.strategy': oneOf('delta-patch', ['delta-patch', 'delta-jump', 'stepwise']),
  'recall.max_pack_tokens': whole(1_200, 1, 10_000_000),
  'recall.max_families': whole(3, 1, 100),
  'recall.max_expansions': whole(3, 0, 20),
  'recall.stays_fresh_turns': whole(8, 0, 10_000),
  'recall.judge_calls': whole(2, 0, 20),
  'recall.fanout': whole(12, 1, 100),
  'recall.filter_above': whole(3, 0, 10_000),
  'recall.timeout_s': whole(20, 1, 600),
  'recall.min_relevance': share(0.05, 0, 1),
  'recall.max_sticky_patches': whole(3, 0, 100),
  'selection.w_judge': share(0.6, 0, 1),
  'selection.w_prior': share(0.28, 0, 1),
  'selection.w_cost': share(0.12, 0, 1),
  'selection.explore': oneOf('posterior', ['posterior', 'ucb']),
  'selection.ucb_c': share(0.7, 0, 10),
  'selection.rescue_floor': share(0.05, 0, 1),
  'regression.demote_after': whole(2, 1, 100),
  'repair.min_rescues': whole(2, 1, 100),
  'use.min_confidence': share(0.5, 0, 1),
  'use.default_confidence': share(0.8, 0, 1),
  'replay.timeout_s': whole(180, 1, 3_600),
  'replay.max_concurrent': whole(2, 1, 32),
  'replay.probe_words': whole(150, 20, 2_000),
  'replay.max_answer_bytes': whole(65_536, 1_024, 16_777_216),
  'replay.arm_reuse_days': whole(30, 0, 3_650),
  /** Template of a command line; null: no agent of this kind. */
  'replay.command': orNull(null as string | null, text(4_000)),
  'replay.env_allow': texts(),
  'replay.home_files': texts(),
  'replay.allow_in_process': flag(false),
  'judge.input_chars': whole(4_000, 100, 100_000),
  'privacy.redact': flag(true),
} as const satisfies Readonly<Record<string, Rule<unknown>>>;

export type LessonSettingKey = keyof typeof RULES;

export type LessonSettings = {
  readonly [Key in LessonSettingKey]: (typeof RULES)[Key] extends Rule<infer Value> ? Value : never;
};

export type LessonSettingsInput = Partial<LessonSettings>;

/** Where a value comes from, strongest first. */
export type SettingOrigin = 'call' | 'project' | 'environment' | 'host' | 'default';

export interface ResolvedLessonSettings {
  readonly values: LessonSettings;
  /** Of every value that a layer gives; the others are defaults. */
  readonly origins: Readonly<Partial<Record<LessonSettingKey, SettingOrigin>>>;
}

export const LESSON_SETTING_KEYS = Object.keys(RULES) as readonly LessonSettingKey[];

export const DEFAULT_LESSON_SETTINGS = Object.fromEntries(
  LESSON_SETTING_KEYS.map((key) => [key, RULES[key].byDefault]),
) as unknown as LessonSettings;

/** The defaults without hold-out, baseline and control, and with one vote: testable alone. */
export const BASE_RULES: LessonSettingsInput = {
  'compression.holdout_fraction': 0,
  'compression.baseline': 'off',
  'compression.control': false,
  'compression.judge_votes': 1,
};

/** What the value of this key must be, in words. */
export function settingRange(key: LessonSettingKey): string {
  return RULES[key].range;
}

/**
 * Known keys with values in range. A value that equals its default is kept: it stands against a weaker
 * layer.
 *
 * @param prefix stands before the key in messages.
 * @throws OssatureError INVALID_CONFIG naming key and range.
 */
export function parseLessonSettings(given: unknown, prefix = 'lessons.'): LessonSettingsInput {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid(prefix.slice(0, -1), 'must be an object of settings');
  }
  for (const [key, value] of Object.entries(given)) {
    if (!isSettingKey(key)) {
      throw invalid(`${prefix}${key}`, `is not known; known are ${LESSON_SETTING_KEYS.join(', ')}`);
    }
    const { accepts, range } = RULES[key];
    if (!accepts(value)) {
      throw invalid(`${prefix}${key}`, `must be ${range}, got ${shownValue(value)}`);
    }
  }
  return { ...given };
}

/**
 * The same for what a project stores, without what equals its default.
 *
 * @throws OssatureError INVALID_CONFIG also for settings that only the host may make: nothing stored
 * may name a program to run.
 */
export function parseStoredSettings(given: unknown): LessonSettingsInput {
  const parsed = parseLessonSettings(given);
  const refused = Object.keys(parsed).find(isHostOnly);
  if (refused === undefined) {
    return Object.fromEntries(
      Object.entries(parsed).filter(
        ([key, value]) =>
          JSON.stringify(value) !== JSON.stringify(RULES[key as LessonSettingKey].byDefault),
      ),
    );
  }
  throw invalid(`lessons.${refused}`, 'can be set by the host or the environment only');
}

export function isHostOnly(key: string): boolean {
  return HOST_ONLY_PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** Layers in order of precedence, strongest first; each holds overrides only. */
export function resolveLessonSettings(
  layers: readonly { readonly origin: SettingOrigin; readonly settings: LessonSettingsInput }[],
): ResolvedLessonSettings {
  const values: Record<string, unknown> = { ...DEFAULT_LESSON_SETTINGS };
  const origins: Record<string, SettingOrigin> = {};
  for (const { origin, settings } of [...layers].reverse()) {
    for (const [key, value] of Object.entries(settings)) {
      if (value === undefined) continue;
      values[key] = value;
      origins[key] = origin;
    }
  }
  return { values: values as unknown as LessonSettings, origins };
}

function isSettingKey(key: string): key is LessonSettingKey {
  return Object.hasOwn(RULES, key);
}

function flag(byDefault: boolean): Rule<boolean> {
  return {
    byDefault,
    range: 'true or false',
    accepts: (value) => typeof value === 'boolean',
  };
}

function whole(byDefault: number, min: number, max: number): Rule<number> {
  return {
    byDefault,
    range: `a whole number from ${min} to ${max}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
  };
}

function share(byDefault: number, min: number, max: number): Rule<number> {
  return {
    byDefault,
    range: `a number from ${min} to ${max}`,
    accepts: (value) => typeof value === 'number' && value >= min && value <= max,
  };
}

function oneOf<const Value extends string | number>(
  byDefault: NoInfer<Value>,
  values: readonly Value[],
): Rule<Value> {
  return {
    byDefault,
    range: `one of ${values.join(', ')}`,
    accepts: (value) => (values as readonly unknown[]).includes(value),
  };
}

function text(maxLength: number): Rule<string> {
  return {
    byDefault: '',
    range: `a text of 1 to ${maxLength} characters`,
    accepts: (value) =>
      typeof value === 'string' && value.trim() !== '' && value.length <= maxLength,
  };
}

function texts(): Rule<readonly string[]> {
  return {
    byDefault: [],
    range: 'a list of at most 100 texts',
    accepts: (value) =>
      Array.isArray(value) &&
      value.length <= 100 &&
      value.every((item) => typeof item === 'string' && item !== ''),
  };
}

function orNull<Value>(byDefault: Value | null, rule: Rule<Value & {}>): Rule<Value | null> {
  return {
    byDefault,
    range: `${rule.range}, or null`,
    accepts: (value) => value === null || rule.accepts(value),
  };
}

function invalid(field: string, fault: string): OssatureError {
  return new OssatureError('INVALID_CONFIG', `${field} ${fault}.`, { details: { field } });
}
