/**
 * Settings of passes. They belong to the agent that sends the requests: a child resolves them for its
 * own model and never takes over its parent's window.
 */
import { OssatureError } from '../../kernel/errors.js';
import { windowOfModel } from './model-windows.js';
import { checkTriggers, type TriggerName } from './trigger-names.js';

/** What a host may set; what is left out has its default. */
export interface PassSettingsInput {
  /** Tokens of input and output together. Default: of the model. */
  readonly windowTokens?: number;
  /** Default: min(32,000, 20 % of the window). */
  readonly outputReserveTokens?: number;
  /** Share of the usable window at which a pass starts. Default 0.75. */
  readonly fillLine?: number;
  /** Share of the usable window to which a pass must come down. Default 0.40. */
  readonly drainLine?: number;
  /** Share from which the end of a task starts a pass. Default 0.40. */
  readonly boundaryLine?: number;
  /** Turns and tokens that the sliding window keeps at most. Defaults 8 and 20,000. */
  readonly keepTurns?: number;
  readonly keepTokens?: number;
  /** Turns beyond `keepTurns` at which the window slides. Default 16. */
  readonly slideTurns?: number;
  /** Ceiling of the rendered summary without pins. Default 6,000, at most 25 % of usable. */
  readonly summaryTokens?: number;
  /** Texts above it are previewed. Default min(25,000, 10 % of usable). */
  readonly oversizeTokens?: number;
  /** UTF-16 units of a preview's head and tail together. Default 2,000. */
  readonly previewCharacters?: number;
  /** Ceiling of one summarizer request. Default 60,000, at most half of that model's window. */
  readonly summarizerWindowTokens?: number;
  /** A pass that frees less is not adopted. Default max(500, 10 % of used), measured each time. */
  readonly minFreedTokens?: number;
  /** Growth between automatic passes. Default 5 % of usable. */
  readonly hysteresisTokens?: number;
  /** What the host sends beside the session, where a call does not say. Default 0. */
  readonly systemTokens?: number;
  readonly toolTokens?: number;
  readonly strategy?: PassStrategy;
  /** What follows where the strategy came to nothing. Default `offline`. */
  readonly fallback?: PassStrategy | 'none';
  readonly maxModelRetries?: number;
  readonly passTimeoutMs?: number;
  /** Whether what a summarizer wrote is looked over by a reviewer, too. Default: no. */
  readonly review?: boolean;
  /** AND inside a list, OR across lists. Default `[['sliding_window']]`. */
  readonly triggers?: readonly (readonly TriggerName[])[];
}

export type PassStrategy = 'auto' | 'anchored' | 'offline' | 'regenerative' | 'opaque';

export interface PassSettings extends Required<Omit<PassSettingsInput, 'minFreedTokens'>> {
  /** Null: max(500, 10 % of used). */
  readonly minFreedTokens: number | null;
  /** Window less reserve. */
  readonly usableTokens: number;
  readonly fillTokens: number;
  readonly drainTokens: number;
  readonly boundaryTokens: number;
}

export interface ResolvedSettings {
  readonly settings: PassSettings;
  /** Choices that are allowed but unusual, in words. */
  readonly notes: readonly string[];
}

const STRATEGIES: readonly PassStrategy[] = [
  'auto',
  'anchored',
  'offline',
  'regenerative',
  'opaque',
];

/** Smallest window that a summary, a turn and a frame can share, in tokens. */
const MIN_WINDOW_TOKENS = 1_000;

/** Floating-point differences such as 0.75 − 0.10 are no breach. */
const TOLERANCE = 1e-9;

/**
 * @param model of the agent that sends the requests.
 * @param summarizerWindow window of the summarizer's model in tokens; null: the session's own.
 * @throws INVALID_CONFIG naming the field, its bounds and what to set.
 */
export function resolveSettings(
  given: PassSettingsInput,
  model: string | null,
  summarizerWindow: number | null = null,
): ResolvedSettings {
  const windowTokens = given.windowTokens ?? (model === null ? null : windowOfModel(model));
  if (windowTokens === null) throw unknownWindow(model);
  if (!Number.isSafeInteger(windowTokens) || windowTokens < MIN_WINDOW_TOKENS) {
    const bounds = `must be a whole number of at least ${MIN_WINDOW_TOKENS}, got ${windowTokens}`;
    throw invalid('window_tokens', `${bounds}: set another one, or use --window N`);
  }
  const outputReserveTokens =
    given.outputReserveTokens ?? Math.min(32_000, Math.floor(windowTokens / 5));
  whole('output_reserve_tokens', outputReserveTokens, 0, Math.floor(windowTokens / 2));
  const usableTokens = windowTokens - outputReserveTokens;

  const fillLine = share('fill_line', given.fillLine ?? 0.75, 0.1, 0.95);
  const drainLine = share(
    'drain_line',
    given.drainLine ?? Math.min(0.4, fillLine - 0.1),
    0.05,
    fillLine - 0.1,
  );
  const boundaryLine = share(
    'boundary_line',
    given.boundaryLine ?? Math.min(0.4, fillLine),
    0.05,
    fillLine,
  );
  const quarter = Math.floor(usableTokens / 4);
  const half = Math.floor((summarizerWindow ?? windowTokens) / 2);
  const at = (line: number): number => Math.floor(usableTokens * line + TOLERANCE);
  const settings: PassSettings = {
    windowTokens,
    outputReserveTokens,
    usableTokens,
    fillLine,
    drainLine,
    boundaryLine,
    fillTokens: at(fillLine),
    drainTokens: at(drainLine),
    boundaryTokens: at(boundaryLine),
    keepTurns: whole('keep_turns', given.keepTurns ?? 8, 1, 10_000),
    keepTokens: whole('keep_tokens', given.keepTokens ?? 20_000, 1, Number.MAX_SAFE_INTEGER),
    slideTurns: whole('slide_turns', given.slideTurns ?? 16, 1, 10_000),
    summaryTokens: whole(
      'summary_tokens',
      given.summaryTokens ?? Math.min(6_000, quarter),
      1,
      quarter,
    ),
    oversizeTokens: whole(
      'oversize_tokens',
      given.oversizeTokens ?? Math.min(25_000, Math.floor(usableTokens / 10)),
      1,
      usableTokens,
    ),
    previewCharacters: whole('preview_characters', given.previewCharacters ?? 2_000, 2, 1_000_000),
    summarizerWindowTokens: whole(
      'summarizer_window_tokens',
      given.summarizerWindowTokens ?? Math.min(60_000, half),
      1,
      half,
    ),
    minFreedTokens:
      given.minFreedTokens === undefined
        ? null
        : whole('min_freed_tokens', given.minFreedTokens, 1, usableTokens),
    hysteresisTokens: whole(
      'hysteresis_tokens',
      given.hysteresisTokens ?? Math.ceil(usableTokens / 20),
      0,
      usableTokens,
    ),
    systemTokens: whole('system_tokens', given.systemTokens ?? 0, 0, windowTokens),
    toolTokens: whole('tool_tokens', given.toolTokens ?? 0, 0, windowTokens),
    strategy: oneOf('strategy', given.strategy ?? 'auto'),
    fallback: given.fallback === 'none' ? 'none' : oneOf('fallback', given.fallback ?? 'offline'),
    maxModelRetries: whole('max_model_retries', given.maxModelRetries ?? 1, 0, 10),
    passTimeoutMs: whole('pass_timeout_ms', given.passTimeoutMs ?? 120_000, 1_000, 3_600_000),
    review: given.review ?? false,
    triggers: checkTriggers(given.triggers ?? [['sliding_window']]),
  };
  return { settings, notes: notesOn(settings) };
}

function notesOn({ fillLine }: PassSettings): readonly string[] {
  const isUsual = fillLine >= 0.7 - TOLERANCE && fillLine <= 0.8 + TOLERANCE;
  return isUsual
    ? []
    : [`fill_line ${fillLine} is outside of 0.70–0.80, where most sessions do well.`];
}

function whole(field: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const bounds = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `from ${min} to ${max}`;
  throw invalid(field, `must be a whole number ${bounds}, got ${value}: ${toSet(field)}`);
}

function share(field: string, value: number, min: number, max: number): number {
  const isNumber = typeof value === 'number';
  if (isNumber && value >= min - TOLERANCE && value <= max + TOLERANCE) return value;
  const bounds = `from ${min.toFixed(2)} to ${max.toFixed(2)}`;
  throw invalid(
    field,
    `must be a share ${bounds} of the usable window, got ${value}: ${toSet(field)}`,
  );
}

function oneOf(field: string, value: PassStrategy): PassStrategy {
  if (STRATEGIES.includes(value)) return value;
  throw invalid(field, `must be one of ${STRATEGIES.join(', ')}, got ${value}: ${toSet(field)}`);
}

/** The settings of a session are words of the command line too. */
export function toSet(field: string): string {
  return `set another one, as by \`agents session set SESSION ${field}=VALUE\``;
}

function unknownWindow(model: string | null): OssatureError {
  const whose = model === null ? 'No model is named' : `The window of model ${model} is not known`;
  return invalid(
    'window_tokens',
    `must be given as a whole number of at least ${MIN_WINDOW_TOKENS}: set it, or use --window N. ${whose}`,
  );
}

function invalid(field: string, fault: string): OssatureError {
  return new OssatureError('INVALID_CONFIG', `${field} ${fault}.`, { details: { field } });
}
