/** Random transcripts with everything that goes wrong in real ones, and a counter for them. */
import {
  type Arbitrary,
  array,
  boolean,
  constantFrom,
  integer,
  nat,
  oneof,
  option,
  record,
} from 'fast-check';
import type { TokenCounter } from '../../../src/domain/kernel/measures.js';
import type { ExportEntry } from '../../../src/domain/session/export/outgoing-context.js';
import type { TranscriptEntry } from '../../../src/domain/session/transcript.js';
import { SourcePlacer } from '../../../src/domain/session/place-entries.js';
import { type Unit, UnitCollector } from '../../../src/domain/session/unit.js';

/** A token is four UTF-16 units. */
export const QUARTERS: TokenCounter = {
  name: 'quarters',
  version: '1',
  count: (text) => Math.ceil(text.length / 4),
};

const TEXTS = [
  '',
  ' \n',
  'ok',
  'trailing space \n',
  'Fix the build, please.',
  '👩‍👩‍👧🇩🇪 e\u0301',
  'x'.repeat(900),
  '漢字😀'.repeat(120),
];
const CALL_IDS = ['toolu_1', 'toolu_2', 'call:3', '', 'c'.repeat(80), 'toolu_4', 'toolu_5'];
const TOOL_NAMES = ['Read', 'Bash', 'mcp__a.b', 'ümlaut tool', '', 'n'.repeat(200)];
const ARGUMENTS = [{}, { path: 'src/a.ts' }, 'no json {', [1, 2], null, { text: 'y'.repeat(900) }];

type Step =
  | { readonly step: 'say'; readonly who: 'human' | 'harness'; readonly text: string }
  | { readonly step: 'media'; readonly callId: string | null; readonly mediaType: string | null }
  | {
      readonly step: 'system' | 'boundary' | 'summary' | 'inactive' | 'orphan';
      readonly text: string;
    }
  | {
      readonly step: 'message';
      readonly thinking: { readonly text: string; readonly isSigned: boolean } | null;
      readonly text: string | null;
      readonly calls: readonly {
        readonly callId: string;
        readonly toolName: string;
        readonly arguments: (typeof ARGUMENTS)[number];
        readonly results: number;
        readonly isError: boolean;
        readonly hasMedia: boolean;
      }[];
      readonly thought: boolean;
      readonly isInterrupted: boolean;
    };

const text = constantFrom(...TEXTS);
const callId = constantFrom(...CALL_IDS);

const step: Arbitrary<Step> = oneof(
  {
    weight: 3,
    arbitrary: record({
      step: constantFrom('say' as const),
      who: constantFrom('human' as const, 'harness' as const),
      text,
    }),
  },
  {
    weight: 1,
    arbitrary: record({
      step: constantFrom('media' as const),
      callId: option(callId),
      mediaType: constantFrom('image/png', 'application/pdf', 'audio/wav', null),
    }),
  },
  {
    weight: 1,
    arbitrary: record({
      step: constantFrom(
        'system' as const,
        'boundary' as const,
        'summary' as const,
        'inactive' as const,
        'orphan' as const,
      ),
      text,
    }),
  },
  {
    weight: 5,
    arbitrary: record({
      step: constantFrom('message' as const),
      thinking: option(record({ text, isSigned: boolean() })),
      text: option(text),
      calls: array(
        record({
          callId,
          toolName: constantFrom(...TOOL_NAMES),
          arguments: constantFrom(...ARGUMENTS),
          results: constantFrom(0, 1, 1, 1, 1, 2),
          isError: boolean(),
          hasMedia: nat(5).map((number) => number === 0),
        }),
        { maxLength: 4 },
      ),
      thought: boolean(),
      isInterrupted: boolean(),
    }),
  },
);

/** Entries as a session holds them, ascending in `seq`, with units as the collector makes them. */
export const randomTranscript: Arbitrary<readonly ExportEntry[]> = array(step, {
  maxLength: 25,
}).map((steps) => stored(steps.flatMap((taken, index) => entriesOf(taken, index))));

/** A transcript and as many entries of it as a growing file held first. */
export const growingTranscript = record({
  entries: randomTranscript,
  part: integer({ min: 0, max: 100 }),
});

type Loose = TranscriptEntry;

function entriesOf(taken: Step, index: number): readonly Loose[] {
  const common = (number: number, messageKey: string | null = null) => ({
    sourceKey: `k${index}.${number}`,
    occurredAt: null,
    active: true,
    messageKey,
    content: '',
  });
  switch (taken.step) {
    case 'say':
      return [
        { ...common(0, `k${index}.0`), kind: 'user', author: taken.who, content: taken.text },
      ];
    case 'media':
      return [
        {
          ...common(0),
          kind: 'attachment',
          author: 'human',
          mediaKind: 'image',
          mediaType: taken.mediaType,
          bytes: 12,
          callId: taken.callId,
        },
      ];
    case 'system':
      return [
        { ...common(0), kind: 'system', author: 'system', boundary: false, content: taken.text },
      ];
    case 'boundary':
      return [
        { ...common(0), kind: 'system', author: 'system', boundary: true, content: taken.text },
      ];
    case 'summary':
      return [
        { ...common(0), kind: 'summary', author: 'harness', origin: 'vendor', content: taken.text },
      ];
    case 'inactive':
      return [{ ...common(0), active: false, kind: 'user', author: 'human', content: taken.text }];
    case 'orphan':
      return [
        {
          ...common(0),
          kind: 'tool_result',
          author: 'tool',
          callId: 'gone',
          isError: false,
          exitCode: null,
          ruling: null,
          content: taken.text,
        },
      ];
    case 'message':
      return messageEntries(taken, common, `m${index}`);
  }
}

function messageEntries(
  taken: Extract<Step, { step: 'message' }>,
  common: (
    number: number,
    messageKey?: string | null,
  ) => Pick<Loose, 'sourceKey' | 'occurredAt' | 'active' | 'messageKey' | 'content'>,
  messageKey: string,
): readonly Loose[] {
  let number = 0;
  const next = (key: string | null) => common((number += 1), key);
  const { thinking, calls } = taken;
  const thoughts: readonly Loose[] =
    thinking === null
      ? []
      : [
          {
            ...next(messageKey),
            kind: 'thinking',
            author: 'agent',
            content: thinking.text,
            ...(thinking.isSigned ? { vendor: { signature: 'sealed' } } : {}),
          },
        ];
  const said: readonly Loose[] =
    taken.text === null
      ? []
      : [{ ...next(messageKey), kind: 'assistant', author: 'agent', content: taken.text }];
  const made = calls.map((call): Loose => ({
    ...next(messageKey),
    kind: 'tool_call',
    author: 'agent',
    callId: call.callId,
    toolName: call.toolName,
    arguments: call.arguments,
    effect: 'other',
    spawn: null,
  }));
  const answered = calls.toReversed().flatMap((call) => [
    ...Array.from({ length: call.results }, (_, count): Loose => ({
      ...next(null),
      kind: 'tool_result',
      author: 'tool',
      callId: call.callId,
      isError: call.isError,
      exitCode: null,
      ruling: null,
      content: count === 0 ? 'x'.repeat(call.callId.length * 9) : '',
    })),
    ...(call.hasMedia
      ? [
          {
            ...next(null),
            kind: 'attachment' as const,
            author: 'tool' as const,
            mediaKind: 'image' as const,
            mediaType: 'image/png',
            bytes: 9,
            callId: call.callId,
          },
        ]
      : []),
  ]);
  const reminder: readonly Loose[] = taken.isInterrupted
    ? [{ ...next(null), kind: 'user', author: 'harness', content: 'reminder' }]
    : [];
  return [
    ...(taken.thought ? [...said, ...thoughts] : [...thoughts, ...said]),
    ...made,
    ...reminder,
    ...answered,
  ];
}

/** Gives entries their places, as an import does. */
export function stored(entries: readonly Loose[]): readonly ExportEntry[] {
  const collector = new UnitCollector();
  const units: Unit[] = [];
  const placer = new SourcePlacer();
  for (const entry of entries) units.push(...collector.add(placer.place(entry)));
  const { complete, incomplete } = collector.finish();
  const unitOf = new Map<string, Unit>();
  for (const unit of [...units, ...complete, ...incomplete]) {
    for (const { sourceKey } of unit.entries) unitOf.set(sourceKey, unit);
  }
  return entries.map((entry, index) => {
    const unit = unitOf.get(entry.sourceKey);
    const text = entry.kind === 'tool_call' ? JSON.stringify(entry.arguments) : entry.content;
    return {
      ...entry,
      entryId: `e${index + 1}`,
      seq: index + 1,
      // A unit keeps its id when it grows: that of its first entry.
      unitId: unit?.entries[0]?.sourceKey ?? entry.sourceKey,
      turn: unit?.turn ?? 0,
      contentHash: '',
      tokenCount: entry.kind === 'attachment' ? 1_500 : QUARTERS.count(text),
    };
  });
}
