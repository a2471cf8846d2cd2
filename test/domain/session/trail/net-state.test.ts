import { describe, expect, it } from '@jest/globals';
import {
  bash,
  eventLines,
  failed,
  OTHER,
  SETTINGS,
  sha256,
  stateLines,
  step,
  trailOf,
  type Step,
} from './trail-support.js';

const read = (path: string, parts: Partial<Step> = {}): Step =>
  step('Read', { file_path: path }, parts);
const write = (path: string, content = 'x\n', parts: Partial<Step> = {}): Step =>
  step('Write', { file_path: path, content }, parts);
const edit = (path: string, old = 'x', fresh = 'y', parts: Partial<Step> = {}): Step =>
  step('Edit', { file_path: path, old_string: old, new_string: fresh }, parts);

describe('the net state of an artifact', () => {
  it.each<[string, Step[], string[]]>([
    ['a read leaves it read', [read('a')], ['a: read']],
    ['a change after a read modifies it', [read('a'), edit('a')], ['a: modified']],
    ['a read after a change takes nothing back', [edit('a'), read('a')], ['a: modified']],
    ['a write of an unknown path creates it', [write('a')], ['a: created']],
    ['a write of a known path modifies it', [read('a'), write('a')], ['a: modified']],
    ['changes leave it created', [write('a'), edit('a'), write('a')], ['a: created']],
    ['a removal deletes it', [edit('a'), bash('rm a')], ['a: deleted']],
    [
      'made, removed and made again is created',
      [write('a'), bash('rm a'), write('a')],
      ['a: created'],
    ],
    [
      'found, removed and made again is modified',
      [read('a'), bash('rm a'), write('a')],
      ['a: modified'],
    ],
    ['a rename keeps the state', [edit('a'), bash('mv a b')], ['b: modified']],
    ['a rename of something read stays read', [read('a'), bash('mv a b')], ['b: read']],
    ['a rename of something unknown is all that is known', [bash('mv a b')], ['b: renamed']],
    ['a change after a rename modifies it', [bash('mv a b'), edit('b')], ['b: modified']],
    [
      'a listing comes before a read',
      [step('Grep', { pattern: 'x', path: 'a.ts' }), read('a.ts')],
      ['a.ts: read'],
    ],
    ['a failed call brings nothing into being', [read('a', failed), write('b', 'x', failed)], []],
    ['a failed change changes nothing', [read('a'), edit('a', 'x', 'y', failed)], ['a: read']],
    ['a call without a result changes nothing', [read('a', { isAnswered: false })], []],
    [
      'a removed directory takes what is in it',
      [write('d/a'), read('d/b'), read('e'), bash('rm -r d')],
      ['d/a: deleted', 'd/b: deleted', 'd: deleted', 'e: read'],
    ],
    [
      'a moved directory moves what is in it',
      [write('d/a'), read('d/b'), bash('mv d e')],
      ['e/a: created', 'e/b: read', 'e: renamed'],
    ],
    [
      'a move into a directory keeps the name',
      [bash('mkdir d'), write('a'), bash('mv a d')],
      ['d/a: created', 'd: created'],
    ],
    [
      'a new file moved over a known one modifies it',
      [read('a'), write('t'), bash('mv t a')],
      ['a: modified'],
    ],
    ['made and copied are both there', [write('a'), bash('cp a b')], ['a: created', 'b: created']],
  ])('%s', (_rule, steps, expected) => {
    expect(stateLines(trailOf(steps).trail)).toEqual(expected);
  });

  it('says whether a deleted artifact began in the session', () => {
    const { trail } = trailOf([write('a'), bash('rm a'), read('b'), bash('rm b')]);
    expect(trail.artifacts.get('a')?.createdHere).toBe(true);
    expect(trail.artifacts.get('b')?.createdHere).toBe(false);
  });

  it("takes the tool's own word for created or modified", () => {
    const detail = { type: 'update', filePath: '/project/a', originalFile: 'old\n' };
    const { trail, events } = trailOf([write('/project/a', 'x\n', { detail })]);
    expect(trail.artifacts.get('a')?.state).toBe('modified');
    expect(events[0]).toMatchObject({ inferred: false, hashBefore: sha256('old\n') });
  });

  it('marks a creation that nothing but the lack of knowledge tells', () => {
    const created = { detail: { type: 'create', filePath: 'a' } };
    expect(trailOf([write('a')]).events[0]?.inferred).toBe(true);
    expect(trailOf([write('a', 'x\n', created)]).events[0]?.inferred).toBe(false);
  });

  it('marks the events of a branch that was rewound', () => {
    const { events } = trailOf([write('a', 'x\n', { active: false })]);
    expect(events.map(({ active }) => active)).toEqual([false]);
  });
});

describe('hashes of a content', () => {
  const hashes = (steps: readonly Step[]): readonly (string | null)[] =>
    trailOf(steps).events.map(({ hashAfter }) => hashAfter);

  it.each<[string, Step[], string | null]>([
    ['a write carries it', [write('a', 'one\n')], 'one\n'],
    ['an edit follows from a write', [write('a', 'one\n'), edit('a', 'one', 'two')], 'two\n'],
    ['a copy has that of its source', [write('a', 'one\n'), bash('cp a b')], 'one\n'],
    ['a rename keeps it', [write('a', 'one\n'), bash('mv a b')], 'one\n'],
    ['a quoted heredoc carries it', [bash("cat > a <<'EOF'\n$x\nEOF")], '$x\n'],
    ['an unknown start gives none', [edit('a', 'one', 'two')], null],
    ['a text that is not there gives none', [write('a', 'one\n'), edit('a', 'six', 'two')], null],
    [
      'a text that is there twice gives none',
      [write('a', 'one one\n'), edit('a', 'one', 'two')],
      null,
    ],
    [
      'a command of unknown effects leaves it in doubt',
      [write('a', 'one\n'), bash('make format'), edit('a', 'one', 'two')],
      null,
    ],
    ['a heredoc that expands gives none', [bash('cat > a <<EOF\n$x\nEOF')], null],
    ['a file edited in place gives none', [write('a', 'one\n'), bash('sed -i s/one/two/ a')], null],
  ])('%s', (_rule, steps, content) => {
    expect(hashes(steps).at(-1)).toBe(content === null ? null : sha256(content));
  });

  it('is read from a whole file as it was shown', () => {
    const detail = { file: { startLine: 1, numLines: 3, totalLines: 3 } };
    const { events } = trailOf([
      read('a', { content: '     1→one\n     2→two\n     3→', detail }),
      edit('a', 'two', 'six'),
    ]);
    expect(events.map(({ hashAfter }) => hashAfter)).toEqual([
      sha256('one\ntwo\n'),
      sha256('one\nsix\n'),
    ]);
  });

  it("prefers the vendor's content before an edit to a stale one", () => {
    const detail = {
      filePath: 'a',
      originalFile: 'one\nmore\n',
      oldString: 'one',
      newString: 'two',
      structuredPatch: [{ lines: ['-one', '+two', ' more'] }],
    };
    const { events } = trailOf([write('a', 'one\n'), edit('a', 'one', 'two', { detail })]);
    expect(events[1]).toMatchObject({
      hashBefore: sha256('one\nmore\n'),
      hashAfter: sha256('two\nmore\n'),
      linesAdded: 1,
      linesRemoved: 1,
      note: '1 hunk, +1 −1',
    });
  });

  it('changed and back at its first hash is a net change of none', () => {
    const shown = {
      content: '1\tone',
      detail: { file: { startLine: 1, numLines: 1, totalLines: 1 } },
    };
    const there = [read('a', shown), edit('a', 'one', 'two')];
    const back = [...there, edit('a', 'two', 'one')];
    expect(trailOf(there).trail.artifacts.get('a')).toMatchObject({
      state: 'modified',
      netChange: 'some',
    });
    expect(trailOf(back).trail.artifacts.get('a')).toMatchObject({
      state: 'modified',
      netChange: 'none',
    });
    expect(trailOf([edit('a')]).trail.artifacts.get('a')?.netChange).toBe('unknown');
  });

  it('does not depend on whether a detail was condensed before it was stored', () => {
    const detail = { filePath: 'a', originalFile: 'x\n', oldString: 'x', newString: 'y' };
    const { events } = trailOf([edit('a', 'x', 'y', { detail })]);
    expect(events[0]).toMatchObject({ hashBefore: sha256('x\n'), hashAfter: sha256('y\n') });
  });
});

describe('what an event says', () => {
  it('counts lines, names symbols and notes both in one line', () => {
    const content = 'export function createReset() {\n  return 1;\n}\n';
    const { events } = trailOf([
      write('a.ts', content),
      edit('a.ts', '  return 1;', '  const x = 1;\n  return x;'),
    ]);
    expect(events[0]).toMatchObject({ symbols: ['createReset'], note: '+3 −0, `createReset`' });
    expect(events[1]).toMatchObject({ linesAdded: 2, linesRemoved: 1, note: '1 hunk, +2 −1' });
  });

  it('has its own ordinal beside others of its call', () => {
    const { events } = trailOf([bash('rm a b'), bash('rm c')]);
    expect(events.map(({ seq, ordinal, resultSeq }) => [seq, ordinal, resultSeq])).toEqual([
      [1, 0, 2],
      [1, 1, 2],
      [3, 0, 4],
    ]);
  });

  it('maps tools of any vendor by path and verb', () => {
    const { events } = trailOf([step('fs_delete_file', { path: 'a' })], OTHER);
    expect(eventLines(events)).toEqual(['deleted a']);
    expect(SETTINGS.mappings.length).toBeGreaterThan(0);
  });
});
