/** `agents session set`: settings of passes that a session keeps. */
import { readFile } from 'node:fs/promises';
import type { JsonValue } from '../../../domain/redaction/json-value.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult, Field } from '../view.js';
import { Verbatim } from '../wire-names.js';

export interface SetOptions {
  readonly tenant: string;
}

export async function setSession(
  terminal: Terminal,
  name: string,
  given: readonly string[],
  { tenant }: SetOptions,
): Promise<CommandResult> {
  const settings: Record<string, JsonValue> = {};
  for (const text of given) {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`${text} is no setting: write it as keep_turns=12.`);
    settings[text.slice(0, at)] = await valueOf(text.slice(0, at), text.slice(at + 1));
  }
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(tenant, name);
    const receipt = await core.sessions.summaries.configure({
      tenantId: tenant,
      sessionId,
      settings,
    });
    const own = Object.entries(receipt.settings).map(([key, value]): Field => [
      `  ${key}`,
      JSON.stringify(value),
    ]);
    return {
      data: { sessionId, ...receipt, settings: new Verbatim(receipt.settings) },
      messages: receipt.homeless.map(({ itemNo, section }) => ({
        level: 'info',
        text: `#${itemNo} was archived: the schema has no section ${section}.`,
      })),
      view: [
        {
          block: 'fields',
          title: receipt.changed ? 'Settings' : 'It was so already',
          fields: [
            ['session_id', sessionId],
            ['revision', String(receipt.revision)],
            ...(own.length === 0 ? [['settings', 'all by default'] as const] : own),
          ],
        },
      ],
    };
  });
}

/** Nothing behind the sign takes a setting back to its default. */
async function valueOf(name: string, text: string): Promise<JsonValue> {
  if (text === '') return null;
  if (name === 'triggers' && !text.startsWith('[')) {
    return text.split(',').map((group) => group.split('+'));
  }
  if (name === 'schema' && text.startsWith('@')) return schemaIn(text.slice(1));
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

async function schemaIn(path: string): Promise<JsonValue> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as JsonValue;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read';
    throw new UsageError(`${path} is no JSON file with a section schema: ${why}.`);
  }
}
