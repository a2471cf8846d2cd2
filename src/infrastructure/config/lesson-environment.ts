/** Settings of lessons as an environment names them: `compression.max_ratio` is `OSSATURE_LESSONS_COMPRESSION_MAX_RATIO`. */
import { OssatureError } from '../../domain/kernel/errors.js';
import {
  LESSON_SETTING_KEYS,
  type LessonSettingKey,
  type LessonSettingsInput,
  parseLessonSettings,
  settingRange,
} from '../../domain/lessons/lesson-settings.js';

const PREFIX = 'OSSATURE_LESSONS_';

/** A secret that was shown once cannot be taken back, so only a host's program may switch redaction off. */
const OF_THE_HOST = 'privacy.';

export function lessonVariable(key: LessonSettingKey): string {
  return PREFIX + key.toUpperCase().replaceAll('.', '_');
}

/**
 * Values are JSON, or plain text where they are none, so that commands need no quotes.
 *
 * @throws OssatureError INVALID_CONFIG naming the variable.
 */
export function lessonSettingsFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): LessonSettingsInput {
  const keys = new Map(
    LESSON_SETTING_KEYS.filter((key) => !key.startsWith(OF_THE_HOST)).map((key) => [
      lessonVariable(key),
      key,
    ]),
  );
  const given: [LessonSettingKey, unknown][] = [];
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || text === undefined || text === '') continue;
    const key = keys.get(name);
    if (key === undefined) {
      throw invalid(name, `is not known; known are ${[...keys.keys()].join(', ')}`);
    }
    const value = valueOf(text);
    try {
      parseLessonSettings({ [key]: value });
    } catch (cause) {
      throw invalid(name, `must be ${settingRange(key)}, not ${text.slice(0, 60)}`, cause);
    }
    given.push([key, value]);
  }
  return parseLessonSettings(Object.fromEntries(given));
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function invalid(field: string, fault: string, cause?: unknown): OssatureError {
  return new OssatureError('INVALID_CONFIG', `${field} ${fault}.`, { details: { field }, cause });
}
