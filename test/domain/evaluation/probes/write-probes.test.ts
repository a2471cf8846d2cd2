/** Rules that every probe from structure stands, on random sessions cut at a random place (specification, §2). */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { probeMaterial } from '../../../../src/application/evaluation/read-point.js';
import { DIMENSIONS } from '../../../../src/domain/evaluation/criteria.js';
import { valuesOf } from '../../../../src/domain/evaluation/fact.js';
import { foldLines, holdsToken } from '../../../../src/domain/evaluation/grading/find-token.js';
import { gradeAnswer } from '../../../../src/domain/evaluation/grading/grade-answer.js';
import type { Probe } from '../../../../src/domain/evaluation/probe.js';
import { PROBE_TYPES } from '../../../../src/domain/evaluation/probe-type.js';
import type { ProbeMaterial } from '../../../../src/domain/evaluation/probes/probe-material.js';
import { referenceAnswer } from '../../../../src/domain/evaluation/probes/reference-answer.js';
import { writeProbes } from '../../../../src/domain/evaluation/probes/write-probes.js';
import { TranscriptWriter } from '../../../../src/domain/evaluation/transcript-writer.js';
import type { SessionEntry } from '../../../../src/domain/session/session.js';
import { KnownTexts } from '../../../../src/domain/session/summary/identifiers.js';
import { TOOL_MAPPINGS } from '../../../../src/domain/session/trail/extend-trail.js';
import { aSession } from '../../../contracts/session-values.js';
import { QUARTERS } from '../../session/random-transcript.js';
import { sha256 } from '../../session/trail/trail-support.js';

const HIDDEN = '[redacted:api-key:0123abcd]';

const file = fc.constantFrom('src/a.ts', 'src/b.ts', 'lib/a.ts', 'docs/c.md');
const step = fc.oneof(
  fc.record({
    act: fc.constant('say' as const),
    text: fc.constantFrom('Go on.', 'Use port 8123.'),
  }),
  fc.record({ act: fc.constantFrom('edit' as const, 'read' as const, 'write' as const), file }),
  fc.record({ act: fc.constant('back' as const), file }),
  fc.record({ act: fc.constantFrom('fails' as const, 'passes' as const), at: fc.nat(2) }),
  fc.record({ act: fc.constant('todos' as const), done: fc.nat(3) }),
  fc.record({ act: fc.constant('decide' as const), choice: fc.constantFrom('pnpm', 'yarn') }),
  fc.record({ act: fc.constant('hide' as const), at: fc.nat(2) }),
);
type Step = typeof step extends fc.Arbitrary<infer Made> ? Made : never;

function write(writer: TranscriptWriter, one: Step): void {
  const call = (toolName: string, given: Record<string, string>, result = 'done'): void => {
    writer.call({ toolName, arguments: given, result });
  };
  const fails = (at: number, result: string): void => {
    writer.call({
      toolName: 'Bash',
      arguments: { command: `npm test -- part-${at}` },
      result,
      exitCode: 1,
      isError: true,
    });
  };
  switch (one.act) {
    case 'say':
      writer.user(one.text);
      return;
    case 'edit':
      call('Edit', { file_path: one.file, old_string: 'left', new_string: 'right' });
      return;
    case 'back':
      call('Edit', { file_path: one.file, old_string: 'right', new_string: 'left' });
      return;
    case 'read':
      call('Read', { file_path: one.file }, '1\tleft');
      return;
    case 'write':
      call('Write', { file_path: one.file, content: 'left\n' });
      return;
    case 'fails':
      fails(one.at, `Error: E40${one.at} in part-${one.at}`);
      return;
    case 'passes':
      writer.call({
        toolName: 'Bash',
        arguments: { command: `npm test -- part-${one.at}` },
        result: `Tests: ${one.at + 12} passed`,
        exitCode: 0,
      });
      return;
    case 'hide':
      fails(one.at, `Error: the key ${HIDDEN} is refused`);
      return;
    case 'todos': {
      const todos = ['plan', 'build', 'ship'].map((content, at) => ({
        content,
        status: at < one.done ? 'completed' : 'pending',
      }));
      writer.call({ toolName: 'TodoWrite', arguments: { todos }, result: 'ok' });
      return;
    }
    case 'decide':
      writer.call({
        toolName: 'AskUserQuestion',
        arguments: {},
        result: 'answered',
        answers: [
          {
            question: 'Which package manager?',
            answer: one.choice,
            notTaken: ['pnpm', 'yarn'].filter((other) => other !== one.choice),
          },
        ],
      });
  }
}

const session = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 30 }),
  share: fc.double({ min: 0.2, max: 1, noNaN: true }),
});

/** @param share of the entries that left. */
function materialOf({ steps, share }: { readonly steps: readonly Step[]; readonly share: number }) {
  const writer = new TranscriptWriter('made');
  writer.user('Start, please.');
  for (const one of steps) write(writer, one);
  const entries = writer.take().map((entry, at): SessionEntry => ({
    ...entry,
    entryId: `E${at + 1}`,
    seq: at + 1,
    unitId: entry.messageKey ?? entry.sourceKey,
    turn: 1,
    contentHash: sha256(entry.content),
    tokenCount: QUARTERS.count(entry.content),
    entryPrint: '',
  }));
  const span = entries.slice(0, Math.max(1, Math.floor(entries.length * share)));
  return probeMaterial({
    session: aSession({
      sessionId: '01J8ZQ4Q2M7V0C3K5T9N6R1W8X',
      vendor: 'claude-code',
      projectRoot: null,
    }),
    cycle: { cycle: 1, lastSeq: entries.length, spanHash: 'f'.repeat(64) },
    entries,
    span,
    mappings: TOOL_MAPPINGS,
    digest: sha256,
  });
}

const ALL = { seed: 1, types: PROBE_TYPES, perType: 100 };

function everyProbe(check: (probe: Probe, material: ProbeMaterial) => void): void {
  fc.assert(
    fc.property(session, (given) => {
      const material = materialOf(given);
      for (const probe of writeProbes(material, ALL, sha256).probes) check(probe, material);
    }),
    { seed: 84, numRuns: 150 },
  );
}

describe('every probe from structure', () => {
  it('cites entries of the span alone, with each of its facts', () => {
    everyProbe((probe, { span }) => {
      const left = new Set(span.map(({ entryId }) => entryId));
      expect(probe.sourceEntryIds.length).toBeGreaterThan(0);
      for (const { sourceEntryIds } of [probe, ...probe.facts]) {
        expect(sourceEntryIds.length).toBeGreaterThan(0);
        expect(sourceEntryIds.every((entryId) => left.has(entryId))).toBe(true);
      }
    });
  });

  it('tells the state at the point: sets of files are complete, and reads are in no set of changes', () => {
    everyProbe((probe, { trail }) => {
      for (const one of probe.facts.filter(({ kind }) => kind === 'set')) {
        const states = {
          'files-modified': 'modified',
          'files-created': 'created',
          'files-read': 'read',
        };
        const state = Object.entries(states).find(([topic]) => topic === one.topic)?.[1];
        if (state === undefined) continue;
        const wanted = [...trail.artifacts.values()].filter(
          (artifact) =>
            artifact.state === state && !(state === 'modified' && artifact.netChange === 'none'),
        );
        expect([...valuesOf(one)].sort()).toEqual(wanted.map(({ path }) => path).sort());
      }
    });
  });

  it('asks for nothing that redaction hid', () => {
    everyProbe((probe) => {
      expect(JSON.stringify(probe)).not.toContain('[redacted:');
    });
  });

  it('says where the tail answers as well, and nowhere else', () => {
    everyProbe((probe, { tailText }) => {
      const tail = foldLines(tailText);
      const isThere = probe.facts.every((one) =>
        valuesOf(one).every((value) => holdsToken(tail, foldLines(value))),
      );
      expect(probe.alsoInTail).toBe(isThere);
    });
  });

  it('gets full marks from the grader for its own facts', () => {
    everyProbe((probe, { span, trail, tailText }) => {
      const texts = {
        known: new KnownTexts([
          ...span.map(({ content }) => content),
          tailText,
          ...trail.artifacts.keys(),
        ]),
        knownPaths: [...trail.artifacts.keys()],
      };
      const { marks } = gradeAnswer(probe, referenceAnswer(probe), texts);
      const poor = marks.filter(({ score }) => score !== null && score !== 5);
      expect({ question: probe.question, poor }).toEqual({ question: probe.question, poor: [] });
    });
  });
});

describe('a set of probes', () => {
  it('names every type that it has none of, and is the same again from the same seed', () => {
    fc.assert(
      fc.property(session, fc.nat(50), (given, seed) => {
        const material = materialOf(given);
        const choice = { ...ALL, seed, perType: 2 };
        const { probes, missing } = writeProbes(material, choice, sha256);
        expect(writeProbes(materialOf(given), choice, sha256)).toEqual({ probes, missing });
        const made = new Set(probes.map(({ type }) => type));
        expect([...missing].sort()).toEqual(PROBE_TYPES.filter((type) => !made.has(type)).sort());
        expect(new Set(probes.map(({ probeId }) => probeId)).size).toBe(probes.length);
      }),
      { seed: 85, numRuns: 100 },
    );
  });

  const rich = {
    share: 1,
    steps: [
      { act: 'edit', file: 'src/a.ts' },
      { act: 'read', file: 'docs/c.md' },
      { act: 'decide', choice: 'pnpm' },
      { act: 'fails', at: 1 },
      { act: 'fails', at: 2 },
      { act: 'passes', at: 0 },
      { act: 'todos', done: 1 },
    ] as const,
  };

  it('reaches all six dimensions where every type has material', () => {
    const { probes, missing } = writeProbes(materialOf(rich), ALL, sha256);
    expect(missing).toEqual([]);
    expect(new Set(probes.flatMap(({ dimensions }) => dimensions))).toEqual(new Set(DIMENSIONS));
  });

  it('is another choice from the same material for some next seed', () => {
    const chosen = (seed: number) =>
      JSON.stringify(
        writeProbes(materialOf(rich), { ...ALL, seed, perType: 1 }, sha256).probes.map(
          ({ question }) => question,
        ),
      );
    expect(new Set([1, 2, 3, 4, 5].map(chosen)).size).toBeGreaterThan(1);
  });

  it('opened and closed is no open error, and what was only read is no change', () => {
    const material = materialOf({
      share: 1,
      steps: [
        { act: 'read', file: 'src/a.ts' },
        { act: 'edit', file: 'src/b.ts' },
        { act: 'edit', file: 'lib/a.ts' },
        { act: 'fails', at: 1 },
        { act: 'passes', at: 1 },
        { act: 'fails', at: 2 },
      ],
    });
    const { probes } = writeProbes(material, ALL, sha256);
    const values = (topic: string) =>
      probes.flatMap(({ facts }) => facts.filter((one) => one.topic === topic).flatMap(valuesOf));
    expect(values('files-modified')).toEqual(['lib/a.ts', 'src/b.ts']);
    const open = probes.filter(({ type }) => type === 'continuation').flatMap(({ facts }) => facts);
    const errors = open.filter(({ topic }) => topic === 'errors').flatMap(valuesOf);
    expect(errors).toEqual(['Error: E402 in part-2']);
  });
});
