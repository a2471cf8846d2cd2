import { describe, expect, it } from '@jest/globals';
import { readSpeakers } from '../../../src/domain/relevance/read-speakers.js';
import { readStructure } from '../../../src/domain/relevance/read-structure.js';

function read(...texts: string[]) {
  const structures = readStructure(texts.map((content) => ({ content, tokenCount: 1 })));
  const { turns, isGroup } = readSpeakers(texts, structures);
  return { names: [...turns.keys()], isGroup };
}

describe('readSpeakers', () => {
  // prettier-ignore
  it.each([
    { rule: 'two people talk',                         texts: ['Ana: hi', 'Ben: hi', 'Ana: so', 'Ben: yes'],                                  names: ['Ana', 'Ben'],                isGroup: false },
    { rule: 'three are a group',                       texts: ['Ana: hi', 'Ben: hi', 'PhD D: so', 'Ana: a', 'Ben: b', 'PhD D: c'],            names: ['Ana', 'Ben', 'PhD D'],       isGroup: true },
    { rule: 'names of any alphabet are names',         texts: ['Ольга: да', 'José Luis: no', 'Ольга: нет', 'José Luis: sí'],                  names: ['Ольга', 'José Luis'],        isGroup: false },
    { rule: 'one who speaks once is left out',         texts: ['Ana: hi', 'Note: this', 'Ana: so', 'Ben: a', 'Ben: b'],                      names: ['Ana', 'Ben'],                isGroup: false },
    { rule: 'a few headed fragments are no talk',      texts: ['Note: a', 'Note: b', 'plain', 'plain', 'plain'],                              names: [],                            isGroup: false },
    { rule: 'a session with tool calls is no talk',    texts: ['user: hi', 'user: go', 'Read {"file_path":"/a.ts"}', 'result: x', 'result: y'], names: [],                           isGroup: false },
    { rule: 'an address is no name',                   texts: ['http://a.b', 'http://c.d'],                                                   names: [],                            isGroup: false },
    { rule: 'nothing is nobody',                       texts: [],                                                                             names: [],                            isGroup: false },
  ])('$rule', ({ texts, names, isGroup }) => {
    expect(read(...texts)).toEqual({ names, isGroup });
  });
});
