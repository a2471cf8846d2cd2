import { describe, expect, it } from '@jest/globals';
import { array, assert as assertProperty, integer, property, record } from 'fast-check';
import type {
  ToolCallEntry,
  ToolResultEntry,
  TranscriptEntry,
} from '../../../src/domain/session/transcript.js';
import { SourcePlacer } from '../../../src/domain/session/place-entries.js';
import { type Unit, UnitCollector } from '../../../src/domain/session/unit.js';

const common = { content: 'x', occurredAt: null, active: true } as const;

function aCall(callId: string, messageKey: string): ToolCallEntry {
  const tool = { toolName: 'Read', arguments: null, effect: 'reads', spawn: null } as const;
  return {
    ...common,
    ...tool,
    kind: 'tool_call',
    author: 'agent',
    sourceKey: `call ${callId}`,
    messageKey,
    callId,
  };
}

function aResult(callId: string): ToolResultEntry {
  const outcome = { isError: false, exitCode: null, ruling: null } as const;
  return {
    ...common,
    ...outcome,
    kind: 'tool_result',
    author: 'tool',
    sourceKey: `result ${callId}`,
    messageKey: null,
    callId,
  };
}

function aPrompt(sourceKey: string): TranscriptEntry {
  return { ...common, kind: 'user', author: 'human', sourceKey, messageKey: sourceKey };
}

function collect(entries: readonly TranscriptEntry[]): {
  units: readonly Unit[];
  incomplete: readonly Unit[];
} {
  const collector = new UnitCollector();
  const placer = new SourcePlacer();
  const units = entries.flatMap((entry) => collector.add(placer.place(entry)));
  const { complete, incomplete } = collector.finish();
  return { units: [...units, ...complete], incomplete };
}

/** Units as `key+key`, in the order they were given out. */
const shown = (units: readonly Unit[]): string =>
  units.map(({ entries }) => entries.map(({ sourceKey }) => sourceKey).join('+')).join(' | ');

describe('UnitCollector', () => {
  it('keeps a message with its calls and their results together, also when they come late', () => {
    const entries = [
      aPrompt('p'),
      aCall('1', 'm'),
      aCall('2', 'm'),
      aResult('2'),
      aCall('3', 'n'),
      aResult('1'),
      aResult('3'),
    ];
    expect(shown(collect(entries).units)).toBe(
      'p | call 1+call 2+result 2+result 1 | call 3+result 3',
    );
  });

  it('counts turns by human prompts and numbers entries without gaps', () => {
    const { units } = collect([
      aCall('0', 'm'),
      aResult('0'),
      aPrompt('p'),
      aCall('1', 'n'),
      aResult('1'),
      aPrompt('q'),
    ]);
    expect(units.map(({ turn, seq }) => [turn, seq])).toEqual([
      [0, 1],
      [1, 3],
      [1, 4],
      [2, 6],
    ]);
  });

  it('does not give out a last unit whose call waits for its result', () => {
    const { units, incomplete } = collect([aPrompt('p'), aCall('1', 'm')]);
    expect([shown(units), shown(incomplete)]).toEqual(['p', 'call 1']);
  });

  it('parts no call from its result and loses no entry, whatever the order of messages and results', () => {
    const message = record({
      calls: integer({ min: 1, max: 4 }),
      delay: integer({ min: 0, max: 3 }),
    });
    assertProperty(
      property(array(message, { maxLength: 12 }), (messages) => {
        const slots: TranscriptEntry[][] = Array.from({ length: messages.length + 4 }, () => []);
        messages.forEach(({ calls, delay }, index) => {
          const ids = Array.from({ length: calls }, (_, call) => `${index}.${call}`);
          slots[index]?.unshift(...ids.map((id) => aCall(id, `m${index}`)));
          slots[Math.min(index + delay, slots.length - 1)]?.push(...ids.map(aResult));
        });
        const entries = slots.flat();
        const { units, incomplete } = collect(entries);
        expect(incomplete).toEqual([]);
        expect(units.flatMap((unit) => unit.entries)).toHaveLength(entries.length);
        for (const unit of units) {
          const called = unit.entries.flatMap((entry) =>
            entry.kind === 'tool_call' ? [entry.callId] : [],
          );
          const answered = unit.entries.flatMap((entry) =>
            entry.kind === 'tool_result' ? [entry.callId] : [],
          );
          expect([...answered].sort()).toEqual([...called].sort());
        }
      }),
      { seed: 20260131 },
    );
  });
});
