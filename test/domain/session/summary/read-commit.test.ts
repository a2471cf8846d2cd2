import { describe, expect, it } from '@jest/globals';
import { mayCommit, readCommit } from '../../../../src/domain/session/summary/read-commit.js';

describe('readCommit', () => {
  it.each([
    {
      rule: 'branch, hash and subject',
      command: 'git add . && git commit -m "x"',
      output: '[main 1a2b3c4] Fix login\n 1 file changed',
      commit: 'main 1a2b3c4 Fix login',
    },
    {
      rule: 'a first commit',
      command: 'git commit -m x',
      output: '[main (root-commit) 1a2b3c4] Begin',
      commit: 'main 1a2b3c4 Begin',
    },
    {
      rule: 'the last of several',
      command: 'git commit -m x; git commit -m y',
      output: '[main 1a2b3c4] x\n[main 5d6e7f8] y',
      commit: 'main 5d6e7f8 y',
    },
    {
      rule: 'nothing to commit is none',
      command: 'git commit -m x',
      output: 'nothing to commit',
      commit: null,
    },
    {
      rule: 'another command makes none',
      command: 'cat log.txt',
      output: '[main 1a2b3c4] Fix login',
      commit: null,
    },
  ])('$rule', ({ command, output, commit }) => {
    expect(mayCommit(command) ? readCommit(output) : null).toBe(commit);
  });
});
