/** The work of `agents lesson policy`: the settings in force, where they come from, and what a project stores. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import {
  LESSON_SETTING_KEYS,
  type LessonSettingKey,
} from '../../../domain/lessons/lesson-settings.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult } from '../view.js';
import { Verbatim } from '../wire-names.js';
import { projectName, scopeToWrite, type ScopeOptions } from './lesson-names.js';

export async function lessonPolicy(
  terminal: Terminal,
  given: readonly string[],
  options: ScopeOptions,
): Promise<CommandResult> {
  const changes = given.map(changeOf);
  return withCore(terminal, async (core) => {
    const { ledger } = core.lessons;
    const projectId = await scopeToWrite(core, options);
    const before = await ledger.policy(projectId);
    const after =
      changes.length === 0
        ? before
        : await ledger.changePolicy(
            projectId,
            Object.fromEntries(changes.map(({ key, value }) => [key, value])),
          );
    const project = await projectName(core, projectId);
    return {
      data: {
        projectId,
        values: new Verbatim(after.values),
        origins: new Verbatim(after.origins),
      },
      view: [
        {
          block: 'table',
          title: `Settings of lessons, ${project}`,
          columns: [
            { title: 'setting' },
            { title: 'value', isElastic: true },
            { title: 'from' },
            ...(changes.length === 0 ? [] : [{ title: 'before' }]),
          ],
          rows: LESSON_SETTING_KEYS.filter(
            (key) => changes.length === 0 || changes.some((change) => change.key === key),
          ).map((key) => [
            key,
            JSON.stringify(after.values[key]),
            after.origins[key] ?? 'default',
            ...(changes.length === 0 ? [] : [JSON.stringify(before.values[key])]),
          ]),
          none: '',
        },
      ],
    };
  });
}

interface Change {
  readonly key: LessonSettingKey;
  /** Undefined: back to what applies without it. */
  readonly value: unknown;
}

function changeOf(text: string): Change {
  const at = text.indexOf('=');
  if (at < 1) {
    throw new UsageError(`${text} is no setting: write it as compression.max_ratio=0.6.`);
  }
  const key = text.slice(0, at).replace(/^lessons\./, '');
  const known = LESSON_SETTING_KEYS.find((one) => one === key);
  if (known === undefined) {
    throw new OssatureError(
      'INVALID_CONFIG',
      `lessons.${key} is not known; known are ${LESSON_SETTING_KEYS.join(', ')}.`,
      { details: { field: `lessons.${key}` } },
    );
  }
  return { key: known, value: valueOf(text.slice(at + 1)) };
}

/** JSON, or plain text where it is none, so that a shell needs no second pair of quotes. */
function valueOf(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
