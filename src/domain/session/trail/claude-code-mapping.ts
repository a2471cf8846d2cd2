/** The tools of Claude Code (specification of sessions, §6.2). */
import { isJsonObject, type JsonObject } from '../../redaction/json-value.js';
import {
  anyText,
  argumentsObject,
  integerField,
  objectsField,
  textField,
} from './call-arguments.js';
import type { TextEdit } from './line-changes.js';
import { commandEnd, NOT_ENDED } from './session-commands.js';
import { todoItem, todoState } from './session-todos.js';
import { shellArtifacts } from './shell-effects.js';
import type {
  ArtifactFact,
  CommandEnd,
  ContentChange,
  MapCall,
  MappedResult,
  ToolMapping,
  TrailFact,
} from './tool-mapping.js';
import { statedChange } from './stated-change.js';

export const CLAUDE_CODE_VENDOR = 'claude-code';

/** A mapping of tools whose arguments are an object; anything else is not understood. */
function withArguments(
  map: (value: JsonObject, result: MappedResult | null) => readonly TrailFact[] | null,
): MapCall {
  return ({ arguments: given, result }) => {
    const value = argumentsObject(given);
    return value === null ? null : map(value, result);
  };
}

const read = withArguments((value, result) => {
  const path = textField(value, 'file_path', 'notebook_path');
  if (path === null) return null;
  const from = integerField(value, 'offset');
  const limit = integerField(value, 'limit');
  const start = integerField(result?.detail ?? {}, 'start') ?? from ?? 1;
  const lines = integerField(result?.detail ?? {}, 'lines') ?? limit;
  const total = integerField(result?.detail ?? {}, 'total');
  const isWhole = start <= 1 && lines !== null && lines === total;
  const whole = isWhole && result !== null ? numberedContent(result.content, lines) : null;
  const isPart = start > 1 || (lines !== null && !isWhole && (limit !== null || total !== null));
  const range = isPart ? { from: start, to: lines === null ? null : start + lines - 1 } : null;
  return [
    {
      fact: 'artifact',
      action: 'read',
      path,
      ...(range !== null && { range }),
      ...(whole !== null && { content: { change: 'whole', content: whole } }),
    },
  ];
});

/** The content behind the line numbers of a read, or null where a line has none. */
function numberedContent(shown: string, lines: number): string | null {
  const content: string[] = [];
  for (const line of shown.split('\n')) {
    const text = /^\s*\d+[→\t](.*)$/su.exec(line)?.[1];
    if (text === undefined) return null;
    content.push(text);
  }
  return content.length === lines ? content.join('\n') : null;
}

const write = withArguments((value, result) => {
  const path = textField(value, 'file_path');
  const content = anyText(value, 'content');
  if (path === null || content === null) return null;
  return [changed('written', path, { change: 'whole', content }, result)];
});

const edit = withArguments((value, result) => {
  const path = textField(value, 'file_path');
  if (path === null) return null;
  const edits = editsOf(value);
  const [first] = edits;
  // An edit of nothing into something makes the file.
  const action = edits.length === 1 && first?.oldText === '' ? 'written' : 'modified';
  return [changed(action, path, { change: 'edits', edits }, result)];
});

function editsOf(value: JsonObject): readonly TextEdit[] {
  const many = objectsField(value, 'edits');
  return (many.length > 0 ? many : [value]).flatMap((item) => {
    const oldText = anyText(item, 'old_string');
    const newText = anyText(item, 'new_string');
    if (oldText === null || newText === null) return [];
    return [{ oldText, newText, everywhere: item['replace_all'] === true }];
  });
}

function changed(
  action: ArtifactFact['action'],
  path: string,
  content: ContentChange,
  result: MappedResult | null,
): ArtifactFact {
  const stated = statedChange(result?.detail ?? {});
  // Older clients state it in a sentence only.
  const sentence = result?.content ?? '';
  const isCreated = sentence.startsWith('File created successfully');
  const isUpdated = /^The file \S.* has been updated/.test(sentence);
  const said = isCreated ? 'created' : isUpdated ? 'modified' : action;
  return {
    fact: 'artifact',
    path,
    content,
    ...stated,
    action: stated.action ?? (action === 'written' ? said : action),
  };
}

const notebookEdit = withArguments((value) => {
  const path = textField(value, 'notebook_path', 'file_path');
  return path === null ? null : [{ fact: 'artifact', action: 'modified', path, kind: 'notebook' }];
});

const listed = withArguments((value) => [
  {
    fact: 'artifact',
    action: 'listed',
    path: textField(value, 'path') ?? '.',
    // A pattern over one file looks into a file, everything else into a directory.
    ...(!/\.[A-Za-z]\w{0,9}$/.test(textField(value, 'path') ?? '') && { kind: 'directory' }),
  },
]);

const bash = withArguments((value, result) => {
  const command = textField(value, 'command');
  if (command === null) return null;
  const directory = textField(result?.detail ?? {}, 'cwd');
  const { effects, artifacts } = shellArtifacts(command, directory);
  return [{ fact: 'command', command, directory, effects, end: bashEnd(value, result), artifacts }];
});

function bashEnd(value: JsonObject, result: MappedResult | null): CommandEnd {
  if (result === null) return NOT_ENDED;
  const end = commandEnd(result);
  const named = /^Command running in background with ID: (\S+)/.exec(result.content)?.[1];
  const runsAs = textField(result.detail, 'backgroundTaskId') ?? named ?? null;
  if (runsAs === null && value['run_in_background'] !== true) return end;
  return end.state === 'ok' ? { ...end, state: 'unknown', runsAs } : end;
}

const bashOutput = withArguments((value, result) => {
  const of = textField(value, 'bash_id', 'shell_id', 'task_id');
  if (of === null) return null;
  if (result === null || result.isError) return [];
  const status =
    textField(result.detail, 'status') ?? /<status>(\w+)<\/status>/.exec(result.content)?.[1] ?? '';
  const stated = /<exit_code>(-?\d+)<\/exit_code>/.exec(result.content)?.[1];
  const exitCode =
    integerField(result.detail, 'exitCode') ?? (stated === undefined ? null : Number(stated));
  const end = { exitCode, output: result.content };
  if (status === 'completed' || status === 'failed') {
    const isOk = status === 'completed' && (exitCode ?? 0) === 0;
    return [
      { fact: 'continuation', of, end: { ...end, state: isOk ? 'ok' : 'failed', runsAs: null } },
    ];
  }
  const state = status === 'killed' ? 'interrupted' : 'unknown';
  const runsAs = state === 'unknown' ? of : null;
  return [{ fact: 'continuation', of, end: { ...end, state, runsAs } }];
});

const killBash = withArguments((value, result) => {
  const of = textField(value, 'shell_id', 'bash_id', 'task_id');
  if (of === null) return null;
  if (result === null || result.isError) return [];
  const end: CommandEnd = { state: 'interrupted', exitCode: null, output: '', runsAs: null };
  return [{ fact: 'continuation', of, end }];
});

const webFetch = withArguments((value) => {
  const path = textField(value, 'url');
  return path === null ? null : [{ fact: 'artifact', action: 'read', path, kind: 'url' }];
});

const todoWrite = withArguments((value) => {
  if (!Array.isArray(value['todos'])) return null;
  const todos = objectsField(value, 'todos').flatMap((item) => todoItem(item) ?? []);
  return [{ fact: 'todos', todos: { change: 'replace', todos } }];
});

const taskCreate = withArguments((value, result) => {
  const item = todoItem({ ...value, status: 'pending' });
  if (item === null) return null;
  const named = /^Task #(\S+) created/.exec(result?.content ?? '')?.[1];
  const todoId = textField(result?.detail ?? {}, 'taskId') ?? named ?? item.text;
  const text = textField(value, 'subject') ?? item.text;
  return [{ fact: 'todos', todos: { change: 'add', todo: { ...item, text, todoId } } }];
});

const taskUpdate = withArguments((value, result) => {
  const todoId = textField(value, 'taskId', 'task_id', 'id');
  if (todoId === null) return null;
  if (result?.detail['success'] === false) return [];
  return [
    {
      fact: 'todos',
      todos: {
        change: 'update',
        todoId,
        text: textField(value, 'subject'),
        state: todoState(textField(value, 'status')),
      },
    },
  ];
});

/** Sub-agents are sessions of their own, decisions are taken from the rulings on results. */
const elsewhere: MapCall = ({ arguments: given }) => (isJsonObject(given) ? [] : null);

const TOOLS: Readonly<Record<string, MapCall>> = {
  Read: read,
  NotebookRead: read,
  Write: write,
  Edit: edit,
  MultiEdit: edit,
  NotebookEdit: notebookEdit,
  Glob: listed,
  Grep: listed,
  LS: listed,
  Bash: bash,
  BashOutput: bashOutput,
  TaskOutput: bashOutput,
  KillBash: killBash,
  KillShell: killBash,
  WebFetch: webFetch,
  Task: elsewhere,
  Agent: elsewhere,
  TodoWrite: todoWrite,
  TaskCreate: taskCreate,
  TaskUpdate: taskUpdate,
  ExitPlanMode: elsewhere,
  AskUserQuestion: elsewhere,
};

export const CLAUDE_CODE_MAPPINGS: readonly ToolMapping[] = Object.entries(TOOLS).map(
  ([tool, map]) => ({ vendor: CLAUDE_CODE_VENDOR, tool, map }),
);
