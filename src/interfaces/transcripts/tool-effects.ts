/** What a call does to artifacts, as far as the words of any tool tell. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { shellEffect } from '../../domain/session/shell-effect.js';
import type { ToolEffect } from '../../domain/session/transcript.js';
import { nameOf } from './json-fields.js';

const PATHS = ['path', 'file_path', 'filePath', 'file', 'filename', 'target_file', 'paths'];

const CHANGING =
  /(?:^|[_\s])(?:write|edit|create|patch|replace|insert|append|delete|remove|rename|move)(?:$|[_\s])/;
const READING =
  /(?:^|[_\s])(?:read|view|open|cat|list|ls|get|fetch|find|search|grep|glob|query|browse|lookup)(?:$|[_\s])/;

/** Commands of an editor that is one tool. */
const EDITOR_READS = new Set(['view', 'list']);
const EDITOR_CHANGES = new Set([
  'create',
  'str_replace',
  'insert',
  'undo_edit',
  'delete',
  'rename',
]);

export function toolEffectOf(toolName: string, value: JsonValue): ToolEffect {
  if (/^apply_?patch$/.test(toolName)) return 'changes';
  const given = isJsonObject(value) ? value : {};
  const command = commandIn(given);
  const hasPath = PATHS.some((name) => name in given);
  if (command !== null) {
    if (hasPath && EDITOR_READS.has(command)) return 'reads';
    if (hasPath && EDITOR_CHANGES.has(command)) return 'changes';
    return /^apply_?patch\b/m.test(command) ? 'changes' : shellEffect(command);
  }
  const words = toolName
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/-/g, '_');
  if (hasPath && CHANGING.test(words)) return 'changes';
  return READING.test(words) ? 'reads' : 'other';
}

/** The script that a shell is given, or the words of a command. */
function commandIn(given: JsonObject): string | null {
  const place = isJsonObject(given['action']) ? given['action'] : given;
  const command = place['command'] ?? place['cmd'];
  if (typeof command === 'string') return nameOf(command);
  const words = Array.isArray(command)
    ? (command as readonly JsonValue[]).filter((word) => typeof word === 'string')
    : [];
  const [, option = '', script] = words;
  if (script !== undefined && /^-\w*c$|^-Command$|^\/c$/i.test(option)) return script;
  return nameOf(words.join(' '));
}
