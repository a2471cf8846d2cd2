import { describe, expect, it } from '@jest/globals';
import {
  argumentsWith,
  parseCommandTemplate,
} from '../../../src/infrastructure/processes/command-template.js';

const env = { PATH: process.env['PATH'] };

describe('a command template', () => {
  it.each([
    ['node -p', ['-p']],
    ['  node   -e "a b"  ', ['-e', 'a b']],
    [`node 'single "kept"' "double 'kept'"`, ['single "kept"', "double 'kept'"]],
    ['node "a \\"quoted\\" word" back\\ slash', ['a "quoted" word', 'back slash']],
    [`node '' ""`, ['', '']],
    ["node 'no \\ escape'", ['no \\ escape']],
    ['node a;b $(c) `d` | e > f', ['a;b', '$(c)', '`d`', '|', 'e', '>', 'f']],
  ])('%s is split into arguments, with nothing left to a shell', (template, words) => {
    expect(parseCommandTemplate(template, env)).toMatchObject({
      arguments: words,
      promptBy: 'stdin',
    });
  });

  it('names the program by its absolute path', () => {
    expect(parseCommandTemplate('node', env).program).toMatch(/^\/.*node$/);
    expect(parseCommandTemplate(`"${process.execPath}"`, env).program).toBe(process.execPath);
  });

  it('puts the prompt where {prompt} stands alone, literally', () => {
    const template = parseCommandTemplate('node -- {prompt}', env);
    expect(template.promptBy).toBe('argument');
    expect(argumentsWith(template, '$& "x" $(rm)')).toEqual(['--', '$& "x" $(rm)']);
  });

  it.each([
    ['', 'is empty'],
    ['   ', 'is empty'],
    ['""', 'is empty'],
    ['node "open', 'unbalanced quotes'],
    ["node 'open", 'unbalanced quotes'],
    ['node end\\', 'ends in a backslash'],
    ['node --text={prompt}', 'inside another argument'],
    ['{prompt}x', 'inside another argument'],
    ['node {prompt} {prompt}', 'twice'],
    ['no-such-program-anywhere -p', 'was not found'],
    ['/no/such/program', 'was not found'],
    ['/', 'was not found'],
  ])('%j is refused: %s', (template, fault) => {
    expect(() => parseCommandTemplate(template, env)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining(fault) }),
    );
  });
});
