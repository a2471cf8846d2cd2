/** `--frame FILE`: what a host sends beside a session, as texts or as counts. */
import { readFile } from 'node:fs/promises';
import type { PassRequest } from '../../../application/session/pass-request.js';
import { isJsonObject, type JsonValue } from '../../../domain/redaction/json-value.js';
import { UsageError } from '../failure.js';

const FORMS =
  'a JSON object with system (text) and tools (list), or with system_tokens and tool_tokens';

/** @throws UsageError where the file cannot be read, or is none of its forms. */
export async function frameIn(path: string | undefined): Promise<Pick<PassRequest, 'frame'>> {
  if (path === undefined) return {};
  let value: JsonValue;
  try {
    value = JSON.parse(await readFile(path, 'utf8')) as JsonValue;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read';
    throw new UsageError(`--frame takes ${FORMS}; ${path} is none: ${why}.`);
  }
  const frame = isJsonObject(value) ? readFrame(value) : null;
  if (frame === null) throw new UsageError(`--frame takes ${FORMS}; ${path} is none.`);
  return { frame };
}

function readFrame(
  value: Readonly<Record<string, JsonValue>>,
): NonNullable<PassRequest['frame']> | null {
  const { system_tokens: systemTokens = 0, tool_tokens: toolTokens = 0 } = value;
  if ('system_tokens' in value || 'tool_tokens' in value) {
    if (typeof systemTokens !== 'number' || typeof toolTokens !== 'number') return null;
    return { systemTokens, toolTokens };
  }
  if (!('system' in value) && !('tools' in value)) return null;
  const { system = '', tools = [] } = value;
  const text = typeof system === 'string' ? system : textsOf(system);
  if (text === null || !Array.isArray(tools)) return null;
  return { system: text, tools: tools as readonly JsonValue[] };
}

/** Blocks, as Anthropic takes them. */
function textsOf(system: JsonValue): string | null {
  if (!Array.isArray(system)) return null;
  const texts = (system as readonly JsonValue[]).map((block) =>
    isJsonObject(block) && typeof block['text'] === 'string' ? block['text'] : null,
  );
  return texts.some((text) => text === null) ? null : texts.join('\n');
}
