import { describe, expect, it } from '@jest/globals';
import { readStructure } from '../../../src/domain/relevance/read-structure.js';

/** The artifact of each fragment, `-` for none, `!` behind that of a failed call. */
function artifactsOf(...contents: string[]): string {
  return readStructure(contents.map((content) => ({ content, tokenCount: 1 })))
    .map(({ artifact, isFailed }) => `${artifact ?? '-'}${isFailed ? '!' : ''}`)
    .join(' ');
}

const LONG_TEXT = 'x'.repeat(10_000);

describe('readStructure', () => {
  // prettier-ignore
  it.each([
    { rule: 'a name before JSON is a call',                 text: 'Read {"file_path":"/a.ts"}',                                artifact: '/a.ts' },
    { rule: 'the artifact may stand behind a long text',    text: `Write {"content":"${LONG_TEXT}","file_path":"/a.ts"}`,      artifact: '/a.ts' },
    { rule: 'a path inside a text argument is not it',      text: 'Write {"content":"path: \\"/no\\"","file_path":"/a.ts"}',   artifact: '/a.ts' },
    { rule: 'function notation is a call',                  text: 'read_file(path="/a.ts")',                                   artifact: '/a.ts' },
    { rule: 'a label before the call is passed over',       text: 'tool_call: edit {"path": "/a.ts"}',                         artifact: '/a.ts' },
    { rule: 'a bracketed call is a call',                   text: '[tool_use Edit {"file_path": "/a.ts"}]',                    artifact: '/a.ts' },
    { rule: 'a patch names its file',                       text: 'apply_patch {"input":"*** Update File: src/a.ts\\n@@"}',    artifact: 'src/a.ts' },
    { rule: 'a search has a place, not an artifact',        text: 'Grep {"pattern":"x","path":"/src"}',                        artifact: '-' },
    { rule: 'a command has no artifact',                    text: 'Bash {"command":"ls /src"}',                                artifact: '-' },
    { rule: 'prose is no call',                             text: 'assistant: I read "file_path": "/a.ts" before',             artifact: '-' },
    { rule: 'a turn of a meeting is no call',               text: 'Project Manager: Uh {vocalsound} path: "yes"',              artifact: '-' },
    { rule: 'code is no call',                              text: 'const path = "/a.ts"; open({ path })',                      artifact: '-' },
  ])('$rule', ({ text, artifact }) => {
    expect(artifactsOf(text)).toBe(artifact);
  });

  // prettier-ignore
  it.each([
    { rule: 'a result has the artifact of its call',   texts: ['Read {"path":"/a"}', 'result: text'],                                       artifacts: '/a /a' },
    { rule: 'results follow in the order of calls',    texts: ['Read {"path":"/a"}', 'Read {"path":"/b"}', 'result: a', 'result: b'],        artifacts: '/a /b /a /b' },
    { rule: 'a failed call touched nothing',           texts: ['Read {"path":"/a"}', 'result: File does not exist.'],                       artifacts: '/a! -' },
    { rule: 'an error tag is a failure',               texts: ['Edit {"path":"/a"}', 'result: <tool_use_error>String to replace not found'], artifacts: '/a! -' },
    { rule: 'an error deep in a file is none',         texts: ['Read {"path":"/a"}', 'result: 1 line\n2 Error: thrown here'],              artifacts: '/a /a' },
    { rule: 'a prompt ends the wait for results',      texts: ['Read {"path":"/a"}', 'user: stop', 'result: late'],                        artifacts: '/a - -' },
    { rule: 'a result without a call has none',        texts: ['result: text'],                                                           artifacts: '-' },
  ])('$rule', ({ texts, artifacts }) => {
    expect(artifactsOf(...texts)).toBe(artifacts);
  });

  it('what the host says counts, not what the text looks like', () => {
    const structures = readStructure([
      { content: 'looked at it', tokenCount: 1, kind: 'tool_call', artifact: '/a' },
      { content: 'its text', tokenCount: 1, kind: 'tool_result' },
      { content: 'Read {"path":"/b"}', tokenCount: 1, kind: 'assistant' },
    ]);
    expect(structures).toEqual([
      { isCall: true, isFailed: false, artifact: '/a' },
      { isCall: false, isFailed: false, artifact: '/a' },
      { isCall: false, isFailed: false },
    ]);
  });
});
