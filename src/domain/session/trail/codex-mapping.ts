/** The tools of Codex (specification of sessions, §6.2), with `apply_patch` in each of its forms. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../redaction/json-value.js';
import { countHunkLines, type PatchedFile, parsePatch } from './apply-patch.js';
import {
  argumentsObject,
  integerField,
  objectsField,
  textField,
  textsField,
} from './call-arguments.js';
import { commandEnd, NOT_ENDED } from './session-commands.js';
import { todoItem } from './session-todos.js';
import { shellArtifacts } from './shell-effects.js';
import { statedChange } from './stated-change.js';
import type {
  ArtifactFact,
  CommandEnd,
  MapCall,
  MappedResult,
  ToolMapping,
  TrailFact,
} from './tool-mapping.js';

export const CODEX_VENDOR = 'codex';

/** `cd dir && apply_patch <<'EOF' …`, or the patch as its argument. */
const PATCH_COMMAND =
  /^(?:\s*cd\s+(?:'([^']+)'|"([^"$`]+)"|([^\s;&|'"$`]+))\s*(?:&&|;|\n))?\s*apply_?patch\b/;

/** Programs that take a script behind `-c`. */
const SHELLS = /(?:^|[/\\])(?:ba|z|da|k)?sh$|(?:^|[/\\])(?:powershell|pwsh|cmd)(?:\.exe)?$/;

const shell: MapCall = ({ arguments: given, result }) => {
  const value = argumentsObject(given);
  if (value === null) return null;
  const command = commandOf(value);
  if (command === null) return null;
  const directory = textField(value, 'workdir', 'working_directory', 'cwd');
  const patch = PATCH_COMMAND.exec(command);
  const files = patch === null ? null : parsePatch(command);
  if (patch !== null && files !== null) {
    const [, quoted, doubled, plain] = patch;
    const inner = quoted ?? doubled ?? plain ?? null;
    const place =
      inner === null || directory === null ? (inner ?? directory) : `${directory}/${inner}`;
    return patchFacts(files, place, result);
  }
  const { effects, artifacts } = shellArtifacts(command, directory);
  const end = result === null ? NOT_ENDED : shellEnd(result);
  return [{ fact: 'command', command, directory, effects, end, artifacts }];
};

/** The command as one script: a text, words, or the script that a shell is given. */
function commandOf(value: JsonObject): string | null {
  const action = isJsonObject(value['action']) ? value['action'] : value;
  const text = textField(action, 'cmd', 'command');
  if (text !== null) return text;
  const words = textsField(action, 'command');
  const [program = '', option = '', script] = words;
  if (SHELLS.test(program) && /^-\w*c$|^-Command$|^\/c$/i.test(option) && script !== undefined) {
    return script;
  }
  if (words.length === 2 && /^apply_?patch$/.test(program)) return `apply_patch\n${option}`;
  return words.length === 0 ? null : words.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const writeStdin: MapCall = ({ arguments: given, result }) => {
  const value = argumentsObject(given);
  const of = value === null ? null : integerField(value, 'session_id');
  if (of === null) return null;
  if (result === null || result.isError) return [];
  if (result.content.startsWith('write_stdin failed')) return [];
  return [{ fact: 'continuation', of: String(of), end: shellEnd(result) }];
};

const EXITED = /^(?:Process exited with code|Exit code:) (-?\d+)$/m;
const RUNNING = /^Process running with session ID (\d+)$/m;

/** Behind the head; nothing follows where the command printed nothing. */
const OUTPUT = /^Output:(?:\n|$)/m;

/** Lines at the head of an output that tell the state of its process. */
const HEAD_LENGTH = 400;

function shellEnd(result: MappedResult): CommandEnd {
  const { output, exitCode: reported } = unwrapped(result);
  const { index: at = -1, 0: label = '' } = OUTPUT.exec(output) ?? {};
  const head = output.slice(0, at === -1 ? HEAD_LENGTH : Math.min(at, HEAD_LENGTH));
  const body = at !== -1 && at <= HEAD_LENGTH ? output.slice(at + label.length) : output;
  const runsAs = RUNNING.exec(head)?.[1] ?? null;
  if (runsAs !== null) return { state: 'unknown', exitCode: null, output: body, runsAs };
  const said = EXITED.exec(head)?.[1];
  const exitCode =
    integerField(result.detail, 'exit_code') ??
    result.exitCode ??
    reported ??
    (said === undefined ? null : Number(said));
  const isAborted = /^aborted by user/im.test(head);
  const end = commandEnd({ ...result, content: body, exitCode });
  return isAborted ? { ...end, state: 'interrupted' } : end;
}

/** Older clients wrap output and exit code into JSON. */
function unwrapped({ content }: MappedResult): {
  readonly output: string;
  readonly exitCode: number | null;
} {
  const value = argumentsObject(content);
  const output = value === null ? null : value['output'];
  if (value === null || typeof output !== 'string') return { output: content, exitCode: null };
  const metadata = isJsonObject(value['metadata']) ? value['metadata'] : {};
  return { output, exitCode: integerField(metadata, 'exit_code') };
}

const applyPatch: MapCall = ({ arguments: given, result }) => {
  const value = argumentsObject(given);
  const text =
    value === null ? written(given) : (textField(value, 'input', 'patch', 'patch_text') ?? '');
  const files = parsePatch(text);
  if (files === null) return null;
  return patchFacts(files, value === null ? null : textField(value, 'workdir'), result);
};

function written(value: JsonValue): string {
  return typeof value === 'string' ? value : '';
}

const PATCH_FAILED = /verification failed|^Failed to |^Invalid patch|invalid hunk|patch rejected/im;

function patchFacts(
  files: readonly PatchedFile[],
  directory: string | null,
  result: MappedResult | null,
): readonly TrailFact[] {
  const { output, exitCode } = result === null ? { output: '', exitCode: null } : unwrapped(result);
  const isFailed =
    result !== null &&
    (result.detail['success'] === false || (exitCode ?? 0) !== 0 || PATCH_FAILED.test(output));
  const reported = result?.detail['changes'];
  return files.flatMap((file) => {
    const [first, ...further] = patchedFacts(file);
    return [{ ...first, ...statedFor(reported, file.path) }, ...further].map((fact) => ({
      ...fact,
      directory,
      ...(isFailed && { failed: true }),
    }));
  });
}

/** A file that is moved and changed is changed first, under its old name. */
function patchedFacts(file: PatchedFile): readonly [ArtifactFact, ...ArtifactFact[]] {
  const { path } = file;
  switch (file.change) {
    case 'add': {
      const content = { change: 'whole' as const, content: file.content };
      return [{ fact: 'artifact', action: 'created', path, content }];
    }
    case 'delete':
      return [{ fact: 'artifact', action: 'deleted', path }];
    case 'update': {
      const { hunks, movedTo } = file;
      const modified: ArtifactFact = {
        fact: 'artifact',
        action: 'modified',
        path,
        content: { change: 'hunks', hunks },
        ...countHunkLines(hunks),
        hunks: hunks.length,
      };
      if (movedTo === null) return [modified];
      const renamed: ArtifactFact = {
        fact: 'artifact',
        action: 'renamed',
        path: movedTo,
        oldPath: path,
      };
      return hunks.length === 0 ? [renamed] : [modified, renamed];
    }
  }
}

/** The vendor reports absolute paths; the patch mostly names relative ones. */
function statedFor(reported: JsonValue | undefined, path: string): Partial<ArtifactFact> {
  if (!isJsonObject(reported)) return {};
  const plain = path.replace(/^(?:\.\/)+/, '');
  const found = Object.entries(reported).find(
    ([name]) => name === path || name.endsWith(`/${plain}`),
  )?.[1];
  return isJsonObject(found) ? statedChange(found) : {};
}

const updatePlan: MapCall = ({ arguments: given }) => {
  const value = argumentsObject(given);
  if (value === null || !Array.isArray(value['plan'])) return null;
  const todos = objectsField(value, 'plan').flatMap((item) => todoItem(item) ?? []);
  return [{ fact: 'todos', todos: { change: 'replace', todos } }];
};

const viewImage: MapCall = ({ arguments: given }) => {
  const path = textField(argumentsObject(given) ?? {}, 'path');
  return path === null ? null : [{ fact: 'artifact', action: 'read', path }];
};

const TOOLS: Readonly<Record<string, MapCall>> = {
  shell,
  'container.exec': shell,
  shell_command: shell,
  exec_command: shell,
  local_shell_call: shell,
  local_shell: shell,
  write_stdin: writeStdin,
  apply_patch: applyPatch,
  update_plan: updatePlan,
  view_image: viewImage,
};

export const CODEX_MAPPINGS: readonly ToolMapping[] = Object.entries(TOOLS).map(([tool, map]) => ({
  vendor: CODEX_VENDOR,
  tool,
  map,
}));
