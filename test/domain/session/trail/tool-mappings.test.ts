import { describe, expect, it } from '@jest/globals';
import { declaredSymbols } from '../../../../src/domain/session/trail/symbols.js';
import type { ToolMapping } from '../../../../src/domain/session/trail/tool-mapping.js';
import type { JsonValue } from '../../../../src/domain/redaction/json-value.js';
import { bash, eventLines, OTHER, SETTINGS, step, trailOf } from './trail-support.js';

describe('the tools of Claude Code', () => {
  it.each<[string, JsonValue, string[]]>([
    ['Read', { file_path: '/project/a' }, ['read a']],
    ['Read', { file_path: 'a', offset: 10, limit: 5 }, ['read a 10-14']],
    ['Read', { file_path: 'a', offset: 10 }, ['read a 10-']],
    ['Write', { file_path: 'a', content: '' }, ['created a']],
    ['Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, ['modified a']],
    ['Edit', { file_path: 'a', old_string: '', new_string: 'y' }, ['created a']],
    [
      'MultiEdit',
      { file_path: 'a', edits: [{ old_string: 'x', new_string: 'y' }] },
      ['modified a'],
    ],
    ['NotebookEdit', { notebook_path: 'a.ipynb', new_source: 'x' }, ['modified a.ipynb']],
    ['Glob', { pattern: '*.ts' }, ['listed .']],
    ['Grep', { pattern: 'x', path: 'src' }, ['listed src']],
    ['LS', { path: '/project/src' }, ['listed src']],
    ['WebFetch', { url: 'https://example.com/a', prompt: 'x' }, ['read https://example.com/a']],
    ['Bash', { command: 'rm a' }, ['deleted a']],
    ['Task', { prompt: 'x' }, []],
    ['Agent', { prompt: 'x' }, []],
    ['ExitPlanMode', { plan: 'x' }, []],
    ['AskUserQuestion', { questions: [] }, []],
    ['mcp__files__write_file', { path: 'a', content: 'x' }, ['created a']],
  ])('%s %j', (tool, given, expected) => {
    const { events, trail } = trailOf([step(tool, given)]);
    expect(eventLines(events)).toEqual(expected);
    expect(trail.unmappedTools.size).toBe(0);
  });

  it('todos are replaced by a list and changed one by one', () => {
    const list = (...todos: JsonValue[]) => step('TodoWrite', { todos });
    const { trail } = trailOf([
      list({ content: 'one', status: 'in_progress' }, { content: 'two', status: 'pending' }),
      list({ content: 'one', status: 'completed' }, { content: 'six', status: 'pending' }),
      step('TaskCreate', { subject: 'new' }, { detail: { task: { id: '7', subject: 'new' } } }),
      step('TaskUpdate', { taskId: '7', status: 'in_progress' }, { detail: { success: true } }),
      step('TaskUpdate', { taskId: '7', status: 'completed' }, { isError: true }),
    ]);
    expect(trail.todos).toEqual([
      { todoId: 'two', text: 'two', state: 'cancelled', firstSeq: 1, changedSeq: 3 },
      { todoId: 'one', text: 'one', state: 'completed', firstSeq: 1, changedSeq: 3 },
      { todoId: 'six', text: 'six', state: 'pending', firstSeq: 3, changedSeq: 3 },
      { todoId: '7', text: 'new', state: 'in-progress', firstSeq: 5, changedSeq: 7 },
    ]);
  });

  it('a command starts where the client stood', () => {
    const { events, trail } = trailOf([bash('rm a', { detail: { cwd: '/project/src' } })]);
    expect(eventLines(events)).toEqual(['deleted src/a']);
    expect(trail.commands.get(1)?.directory).toBe('/project/src');
  });

  it('a command in the background ends when a later call says so', () => {
    const started = bash('rm a', { detail: { backgroundTaskId: 'bash_1' } });
    const asked = (detail: JsonValue) => step('BashOutput', { bash_id: 'bash_1' }, { detail });
    const stateAfter = (...later: Parameters<typeof trailOf>[0]) => {
      const { trail, events } = trailOf([started, ...later]);
      return [trail.commands.get(1)?.state, eventLines(events)];
    };
    expect(stateAfter(asked({ status: 'running' }))).toEqual(['unknown', []]);
    expect(
      stateAfter(asked({ status: 'running' }), asked({ status: 'completed', exitCode: 0 })),
    ).toEqual(['ok', ['deleted a']]);
    expect(stateAfter(step('KillBash', { shell_id: 'bash_1' }))).toEqual([
      'interrupted',
      ['deleted a failed'],
    ]);
  });
});

describe('the tools of other vendors', () => {
  it.each<[string, JsonValue, string[]]>([
    ['str_replace_editor', { command: 'view', path: 'a', view_range: [3, 9] }, ['read a 3-9']],
    ['str_replace_editor', { command: 'view', path: 'a', view_range: [3, -1] }, ['read a 3-']],
    [
      'str_replace_based_edit_tool',
      { command: 'create', path: 'a', file_text: 'x' },
      ['created a'],
    ],
    ['str_replace_editor', { command: 'str_replace', path: 'a', old_str: 'x' }, ['modified a']],
    ['str_replace_editor', { command: 'insert', path: 'a', insert_line: 1 }, ['modified a']],
    ['bash', { command: 'rm a' }, ['deleted a']],
    ['bash', { restart: true }, []],
    ['run_shell_command', { command: 'rm a', directory: 'src' }, ['deleted src/a']],
    ['readFile', { filePath: 'a' }, ['read a']],
    ['read_file', { filename: 'a', offset: 3, limit: 2 }, ['read a 3-4']],
    ['replace', { file_path: 'a', old_string: 'x', new_string: 'y' }, ['modified a']],
    ['move-file', { old_path: 'a', new_path: 'b' }, ['renamed a → b']],
    ['list_directory', { path: 'src' }, ['listed src']],
    ['delete_file', { path: 'a' }, ['deleted a']],
    ['read_file', '{"path":"a"}', ['read a']],
  ])('%s %j', (tool, given, expected) => {
    const { events, trail } = trailOf([step(tool, given)], OTHER);
    expect(eventLines(events)).toEqual(expected);
    expect(trail.unmappedTools.size).toBe(0);
  });

  it.each<[string, string, JsonValue]>([
    ['a name without a verb', 'weather', { path: 'a' }],
    ['no path', 'read_mail', { from: 'x' }],
    ['arguments that are no JSON', 'read_file', '{"path":'],
  ])('%s is counted as unmapped', (_rule, tool, given) => {
    const { trail, events } = trailOf([step(tool, given), step(tool, given)], OTHER);
    expect(Object.fromEntries(trail.unmappedTools)).toEqual({ [tool]: 2 });
    expect(events).toEqual([]);
  });

  it("a host's mapping comes before ours", () => {
    const own: ToolMapping = {
      vendor: null,
      tool: /^weather$/,
      map: () => [{ fact: 'artifact', action: 'read', path: 'sky' }],
    };
    const settings = { ...SETTINGS, mappings: [own, ...SETTINGS.mappings] };
    const { trail, events } = trailOf([step('weather', {})], settings);
    expect(eventLines(events)).toEqual(['read sky']);
    expect(trail.unmappedTools.size).toBe(0);
  });
});

describe('symbols', () => {
  it.each([
    ['a.ts', 'export async function go() {', ['go']],
    ['a.ts', '  async reset(now: Date): Promise<void> {', ['reset']],
    ['a.ts', '  if (x) {', []],
    ['a.tsx', 'export const View = () => {', ['View']],
    ['a.py', '    async def run(self):', ['run']],
    ['a.go', 'func (s *Server) Start() error {', ['Start']],
    ['a.rs', 'pub(crate) fn parse(x: u8) {', ['parse']],
    ['a.java', '  public static void main(String[] args) {', ['main']],
    ['a.rb', '  def self.call(x)', ['call']],
    ['a.kt', 'fun start() {', ['start']],
    ['a.sql', 'CREATE TABLE IF NOT EXISTS plans (', ['plans']],
    ['a.md', '## Limits', ['Limits']],
    ['a.xyz', 'function go() {', []],
    ['Makefile', 'function go() {', []],
  ])('of %s in %j', (path, line, expected) => {
    expect(declaredSymbols(path, [line])).toEqual(expected);
  });

  it('are distinct and at most twenty', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `def f${index % 30}():`);
    expect(declaredSymbols('a.py', lines)).toHaveLength(20);
  });
});
