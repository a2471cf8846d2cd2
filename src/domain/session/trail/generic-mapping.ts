/** The tools of Anthropic's API, and any other tool that names a path and says in its name what it does. */
import type { JsonObject } from '../../redaction/json-value.js';
import { anyText, argumentsObject, integerField, textField } from './call-arguments.js';
import type { ArtifactAction } from './artifact-event.js';
import { commandEnd, NOT_ENDED } from './session-commands.js';
import { shellArtifacts } from './shell-effects.js';
import type {
  ArtifactFact,
  MapCall,
  MappedResult,
  ToolMapping,
  TrailFact,
} from './tool-mapping.js';

const textEditor: MapCall = ({ arguments: given }) => {
  const value = argumentsObject(given);
  const path = value === null ? null : textField(value, 'path');
  if (value === null || path === null) return null;
  switch (textField(value, 'command') ?? '') {
    case 'view':
      return [viewed(path, value)];
    case 'create': {
      const content = anyText(value, 'file_text');
      return [
        {
          fact: 'artifact',
          action: 'written',
          path,
          ...(content !== null && { content: { change: 'whole', content } }),
        },
      ];
    }
    case 'str_replace': {
      const oldText = anyText(value, 'old_str') ?? '';
      const newText = anyText(value, 'new_str') ?? '';
      const edits = [{ oldText, newText, everywhere: false }];
      return [{ fact: 'artifact', action: 'modified', path, content: { change: 'edits', edits } }];
    }
    case 'insert': {
      const text = anyText(value, 'insert_text') ?? anyText(value, 'new_str') ?? '';
      const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
      return [{ fact: 'artifact', action: 'modified', path, linesAdded: lines, linesRemoved: 0 }];
    }
    case 'undo_edit':
      return [{ fact: 'artifact', action: 'modified', path }];
    default:
      return null;
  }
};

function viewed(path: string, value: JsonObject): ArtifactFact {
  const range = value['view_range'];
  const [from, to] = Array.isArray(range) ? (range as readonly unknown[]) : [];
  if (typeof from !== 'number') return { fact: 'artifact', action: 'read', path };
  const last = typeof to === 'number' && to >= from ? to : null;
  return { fact: 'artifact', action: 'read', path, range: { from, to: last } };
}

const command: MapCall = ({ arguments: given, result }) => {
  const value = argumentsObject(given);
  const text = value === null ? null : textField(value, 'command', 'cmd');
  if (value !== null && text === null && value['restart'] === true) return [];
  return value === null || text === null ? null : commandFacts(text, value, result);
};

function commandFacts(
  text: string,
  value: JsonObject,
  result: MappedResult | null,
): readonly TrailFact[] {
  const directory = textField(
    value,
    'directory',
    'workdir',
    'cwd',
    'dir_path',
    'working_directory',
  );
  const { effects, artifacts } = shellArtifacts(text, directory);
  const end = result === null ? NOT_ENDED : commandEnd(result);
  return [{ fact: 'command', command: text, directory, effects, end, artifacts }];
}

/** Verbs in names of tools; the first that a name holds decides. */
const VERBS: readonly (readonly [action: ArtifactAction | 'written', verbs: string])[] = [
  ['renamed', 'rename move mv'],
  ['deleted', 'delete remove rm unlink trash'],
  ['modified', 'edit update replace insert patch modify append change apply'],
  ['written', 'write create save add new touch overwrite put copy'],
  ['listed', 'list ls glob find search grep tree'],
  ['read', 'read view open cat get fetch show load download'],
];

const SHELL_WORDS = new Set('shell bash terminal exec execute run command'.split(' '));

const byName: MapCall = (call) => {
  const value = argumentsObject(call.arguments);
  if (value === null) return null;
  const words = nameWords(call.toolName);
  if (words.some((word) => SHELL_WORDS.has(word)) && textField(value, 'command', 'cmd') !== null) {
    return command(call);
  }
  const action = VERBS.find(([, verbs]) =>
    verbs.split(' ').some((verb) => words.includes(verb)),
  )?.[0];
  if (action === undefined) return null;
  const oldPath = textField(value, 'old_path', 'oldPath', 'source', 'source_path');
  const path =
    textField(value, 'new_path', 'newPath', 'destination', 'destination_path') ??
    textField(value, 'path', 'file_path', 'filePath', 'filename', 'absolute_path', 'dir_path');
  if (action === 'renamed') {
    const from = oldPath ?? textField(value, 'path', 'file_path', 'filePath', 'filename');
    if (path === null || from === null || path === from) return null;
    return [{ fact: 'artifact', action, path, oldPath: from }];
  }
  const touched = path ?? oldPath;
  if (touched === null) return null;
  return [{ fact: 'artifact', action, path: touched, ...known(action, value) }];
};

function known(action: string, value: JsonObject): Partial<ArtifactFact> {
  if (action === 'written') {
    const content = anyText(value, 'content') ?? anyText(value, 'file_text');
    return content === null ? {} : { content: { change: 'whole', content } };
  }
  if (action === 'modified') {
    const oldText = anyText(value, 'old_string') ?? anyText(value, 'oldString');
    const newText = anyText(value, 'new_string') ?? anyText(value, 'newString');
    if (oldText === null || newText === null) return {};
    const everywhere = value['replace_all'] === true || value['replaceAll'] === true;
    return { content: { change: 'edits', edits: [{ oldText, newText, everywhere }] } };
  }
  if (action !== 'read') return {};
  const from = integerField(value, 'offset');
  const limit = integerField(value, 'limit');
  if (from === null || from < 1) return {};
  return { range: { from, to: limit === null ? null : from + limit - 1 } };
}

/** Words of a name in camel, snake or kebab form, in lower case. */
function nameWords(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}

export const GENERIC_MAPPINGS: readonly ToolMapping[] = [
  {
    vendor: null,
    tool: /^(?:str_replace_editor|str_replace_based_edit_tool|text_editor(?:_\d+)?)$/,
    map: textEditor,
  },
  { vendor: null, tool: 'bash', map: command },
  { vendor: null, tool: /./s, map: byName },
];
