import { describe, expect, it } from '@jest/globals';
import { chooseFormat } from '../../../src/interfaces/transcripts/choose-format.js';
import { transcriptReaders } from '../../../src/interfaces/transcripts/transcript-readers.js';
import { countQuarters, sha256 } from './transcript-support.js';

const readers = transcriptReaders(sha256, countQuarters);
const choose = (text: string, forced: string | null = null) =>
  chooseFormat(readers, { text, isWhole: true }, 'a.json', forced);

const TRIED = 'claude-code, codex, openai, anthropic, langchain, text';

describe('the format of a source', () => {
  // prettier-ignore
  it.each([
    { agent: 'Gemini CLI', text: '{"sessionId":"a","projectHash":"b","messages":[{"type":"user","content":"x"}]}' },
    { agent: 'Kimi CLI',   text: '{"type":"metadata","protocol_version":"1.4"}\n' },
    { agent: 'opencode',   text: '{"id":"m","sessionID":"s","role":"user"}' },
    { agent: 'opencode',   text: '{"id":"s","projectID":"p","directory":"/x"}' },
    { agent: 'Google ADK', text: '{"id":"s","events":[{"invocation_id":"x","author":"user"}]}' },
    { agent: 'OpenHands',  text: '[{"id":0,"source":"agent","action":"run"}]' },
    { agent: 'OpenHands',  text: '{"instance_id":"x","metadata":{"agent_class":"CodeActAgent"}}\n' },
    { agent: 'aider',      text: '# aider chat started at 2026-01-31\n\n> Added a.py\n\n#### do it\n' },
    { agent: 'Who&When',   text: '{"history":[{"role":"assistant","content":"x"}],"mistake_agent":"x"}' },
  ])('of $agent is refused by its name', ({ agent, text }) => {
    expect(() => choose(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_TRANSCRIPT',
        message: `a.json looks like a transcript of ${agent}, for which there is no reader yet. Tried: ${TRIED}. Convert it to messages of openai, or force a format with --from.`,
      }),
    );
  });

  it.each(['{"a":1}', 'Some prose.', '[1,2]'])(
    'of nothing that is known (%j) names what was tried',
    (text) => {
      expect(() => choose(text)).toThrow(
        expect.objectContaining({
          code: 'INVALID_TRANSCRIPT',
          message: `a.json has none of the known formats. Tried: ${TRIED}.`,
        }),
      );
    },
  );

  it('is the one that fits, or the one that is forced', () => {
    expect(choose('User: hello').name).toBe('text');
    expect(choose('Some prose.', 'text').name).toBe('text');
  });
});
