import { describe, expect, it } from '@jest/globals';
import { assert as assertProperty, nat, property, tuple } from 'fast-check';
import { checkAnthropic } from '../../../../src/domain/session/export/check-anthropic.js';
import { checkLangchain } from '../../../../src/domain/session/export/check-langchain.js';
import { checkOpenaiChat } from '../../../../src/domain/session/export/check-openai-chat.js';
import { checkOpenaiResponses } from '../../../../src/domain/session/export/check-openai-responses.js';
import type { Exported } from '../../../../src/domain/session/export/exported.js';
import {
  type ExportEntry,
  type OutgoingContext,
  selectOutgoing,
} from '../../../../src/domain/session/export/outgoing-context.js';
import type { RuleBreach } from '../../../../src/domain/session/export/rule-breach.js';
import { toAnthropic } from '../../../../src/domain/session/export/to-anthropic.js';
import { toLangchain } from '../../../../src/domain/session/export/to-langchain.js';
import { toOpenaiChat } from '../../../../src/domain/session/export/to-openai-chat.js';
import { toOpenaiResponses } from '../../../../src/domain/session/export/to-openai-responses.js';
import { legalCuts } from '../../../../src/domain/session/pass/legal-cuts.js';
import { isHumanPrompt } from '../../../../src/domain/session/transcript.js';
import { growingTranscript, QUARTERS, randomTranscript, stored } from '../random-transcript.js';

const OPTIONS = {
  counter: QUARTERS,
  mediaBytes: ({ seq }: { seq: number }) => (seq % 2 === 0 ? 'aGVsbG8=' : null),
};

interface Provider {
  readonly provider: string;
  readonly write: (context: OutgoingContext) => Exported<unknown>;
  readonly check: (messages: unknown) => readonly RuleBreach[];
}

const PROVIDERS: readonly Provider[] = [
  {
    provider: 'anthropic',
    write: (context) => toAnthropic(context, OPTIONS),
    check: checkAnthropic,
  },
  {
    provider: 'openai-chat',
    write: (context) => toOpenaiChat(context, OPTIONS),
    check: checkOpenaiChat,
  },
  {
    provider: 'openai-responses',
    write: (context) => toOpenaiResponses(context, OPTIONS),
    check: checkOpenaiResponses,
  },
  {
    provider: 'langchain dicts',
    write: (context) => toLangchain(context, 'dict', OPTIONS),
    check: checkLangchain,
  },
  {
    provider: 'langchain constructors',
    write: (context) => toLangchain(context, 'constructor', OPTIONS),
    check: checkLangchain,
  },
];

function contextOf(
  entries: readonly ExportEntry[],
  cutSeq: number,
  more: Partial<OutgoingContext> = {},
): OutgoingContext {
  const latest = entries.findLast((entry) => entry.active && isHumanPrompt(entry));
  const promptAgainSeq = latest !== undefined && latest.seq <= cutSeq ? latest.seq : null;
  const { tail, promptAgain } = selectOutgoing(entries, {
    cutSeq,
    leftUnits: new Set(),
    promptAgainSeq,
  });
  const summary = cutSeq === 0 ? null : 'Record of earlier work.';
  return { frame: null, summary, promptAgain, tail, previews: new Map(), stubs: [], ...more };
}

/** Every block of every message with the role it stands under, as the provider reads them. */
function blocksOf(messages: readonly unknown[]): readonly string[] {
  return messages.flatMap((message) => {
    const { role, content } = message as { role: string; content: unknown };
    return Array.isArray(content)
      ? content.map((block: unknown) => JSON.stringify([role, block]))
      : [JSON.stringify(message)];
  });
}

describe.each(PROVIDERS)('an export for $provider', ({ provider, write, check }) => {
  it('keeps the published rules at every legal cut, in several passes', () => {
    assertProperty(
      property(randomTranscript, (entries) => {
        for (const cutSeq of legalCuts(entries)) {
          const kept = contextOf(entries, cutSeq);
          expect(check(write(kept).messages)).toEqual([]);
          const further = legalCuts(kept.tail).at(-1) ?? 0;
          expect(check(write(contextOf(entries, Math.max(cutSeq, further))).messages)).toEqual([]);
        }
      }),
      { seed: 20261130, numRuns: 150 },
    );
  });

  it('holds the latest human prompt word for word at every legal cut', () => {
    assertProperty(
      property(randomTranscript, (entries) => {
        const prompt =
          entries.findLast((entry) => entry.active && isHumanPrompt(entry))?.content ?? '';
        for (const cutSeq of legalCuts(entries)) {
          const written = JSON.stringify(write(contextOf(entries, cutSeq)).messages);
          expect(prompt.trim() === '' || written.includes(JSON.stringify(prompt))).toBe(true);
        }
      }),
      { seed: 20261134, numRuns: 60 },
    );
  });

  it('keeps the published rules with previews at every position', () => {
    assertProperty(
      property(randomTranscript, nat(300), (entries, characters) => {
        const previews = new Map(entries.map(({ seq }) => [seq, 2 + characters]));
        expect(check(write(contextOf(entries, 0, { previews })).messages)).toEqual([]);
        for (const { seq } of entries) {
          const alone = contextOf(entries, 0, { previews: new Map([[seq, characters + 2]]) });
          expect(check(write(alone).messages)).toEqual([]);
        }
      }),
      { seed: 20261131, numRuns: 60 },
    );
  });

  it('keeps the published rules where units left out of the middle', () => {
    assertProperty(
      property(tuple(randomTranscript, nat(7)), ([entries, mask]) => {
        const units = [...new Set(entries.map(({ unitId }) => unitId))];
        const leftUnits = new Set(units.filter((_, index) => (index * 3 + mask) % 4 === 0));
        const { tail } = selectOutgoing(entries, { cutSeq: 0, leftUnits, promptAgainSeq: null });
        const stubs = entries
          .filter(
            ({ unitId }, index) =>
              leftUnits.has(unitId) &&
              entries.findIndex((other) => other.unitId === unitId) === index,
          )
          .map(({ seq }) => ({ seq, text: `[left out: entry:${seq}]` }));
        const request = write({
          frame: 'Be brief.',
          summary: null,
          promptAgain: null,
          tail,
          previews: new Map(),
          stubs,
        });
        expect(check(request.messages)).toEqual([]);
        const written = JSON.stringify(request.messages);
        for (const { seq } of stubs) expect(written).toContain(`[left out: entry:${seq}]`);
      }),
      { seed: 20261132, numRuns: 80 },
    );
  });

  it('repeats its prefix byte for byte when the session grows', () => {
    assertProperty(
      property(growingTranscript, ({ entries, part }) => {
        const before = entries.slice(0, Math.floor((entries.length * part) / 100));
        // Only the message being written, and calls without a result, may still grow.
        const lastUnit = before.at(-1)?.unitId;
        const isGrowth = entries.slice(before.length).every(({ unitId }) => {
          const unit = before.filter((entry) => entry.unitId === unitId);
          const calls = unit.filter(({ kind }) => kind === 'tool_call').length;
          const results = unit.filter(({ kind }) => kind === 'tool_result').length;
          const isMessage = unit.some(({ author }) => author === 'agent');
          return (
            unit.length === 0 || (isMessage && (calls === 0 ? unitId === lastUnit : results === 0))
          );
        });
        if (!isGrowth) return;
        const early = write(contextOf(before, 0));
        const late = write(contextOf(entries, 0));
        const { messages, blocks } = early.prefix;
        const settled =
          blocksOf(early.messages.slice(0, messages)).length +
          (provider === 'anthropic' ? blocks : 0);
        expect(blocksOf(late.messages).slice(0, settled)).toEqual(
          blocksOf(early.messages).slice(0, settled),
        );
      }),
      { seed: 20261133, numRuns: 200 },
    );
  });

  it('is a request even of an empty session', () => {
    expect(check(write(contextOf([], 0)).messages)).toEqual([]);
  });

  it('begins with the frame, then the summary, then the latest prompt, once', () => {
    const entries = stored([
      {
        kind: 'user',
        author: 'human',
        content: 'Make it faster.',
        sourceKey: 'a',
        occurredAt: null,
        active: true,
        messageKey: 'a',
      },
      {
        kind: 'assistant',
        author: 'agent',
        content: 'First step.',
        sourceKey: 'b',
        occurredAt: null,
        active: true,
        messageKey: 'b',
      },
      {
        kind: 'assistant',
        author: 'agent',
        content: 'Second step.',
        sourceKey: 'c',
        occurredAt: null,
        active: true,
        messageKey: 'c',
      },
    ]);
    const request = write(contextOf(entries, 2, { frame: 'Be brief.' }));
    const written = JSON.stringify([request.system, request.messages]);
    const places = ['Be brief.', 'Record of earlier work.', 'Make it faster.', 'Second step.'].map(
      (text) => written.indexOf(text),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(written.split('Make it faster.')).toHaveLength(2);
    expect(written).not.toContain('First step.');
    expect(request.prefix.tokens).toBeGreaterThan(0);
  });
});

describe('the size of a prefix', () => {
  it('counts thinking only where it goes out', () => {
    const said = { occurredAt: null, active: true, messageKey: 'b' } as const;
    const asked = { ...said, kind: 'user', author: 'human', messageKey: null } as const;
    const [prompt, thinking, answer, thanks] = stored([
      { ...asked, content: 'Make it faster.', sourceKey: 'a' },
      { ...said, kind: 'thinking', author: 'agent', content: 'x'.repeat(400), sourceKey: 'b' },
      { ...said, kind: 'assistant', author: 'agent', content: 'Done.', sourceKey: 'c' },
      { ...asked, content: 'Thank you.', sourceKey: 'd' },
    ]);
    const tokensWith = (vendor: NonNullable<ExportEntry['vendor']>): number => {
      const tail = [prompt, { ...thinking, vendor }, answer, thanks] as readonly ExportEntry[];
      const empty = {
        frame: null,
        summary: null,
        promptAgain: null,
        previews: new Map(),
        stubs: [],
      };
      return toAnthropic({ ...empty, tail }, OPTIONS).prefix.tokens;
    };
    expect(tokensWith({ signature: 's' }) - tokensWith({})).toBe(100);
  });
});
