/** Values of evaluations for tests: fixed but for their ids. */
import { monotonicFactory } from 'ulid';
import type { Probe, ProbeSet } from '../../src/domain/evaluation/probe.js';
import {
  EMPTY_REPORT,
  type EvaluationReport,
} from '../../src/domain/evaluation/report/evaluation-report.js';
import type {
  EvaluationRun,
  StoredAnswer,
  StoredJudgement,
  StoredMark,
} from '../../src/domain/evaluation/repositories.js';
import { HARD_TEXTS, NOW } from './sample-values.js';

const nextId = monotonicFactory();

const HASH = 'a'.repeat(64);

export function aProbe(differing: Partial<Probe> = {}): Probe {
  return {
    probeId: 'probe-1',
    sessionId: '01J8ZQ4Q2M7V0C3K5T9N6R1W8X',
    point: { cycle: 2, lastSeq: 40 },
    type: 'artifact',
    question: Object.values(HARD_TEXTS).join(' '),
    format: 'one-per-line',
    facts: [
      {
        factId: 'f1',
        kind: 'set',
        topic: 'files-modified',
        subject: null,
        value: ['src/a.ts', 'src/b.ts'],
        aliases: ['a'],
        options: ['x'],
        required: true,
        sourceEntryIds: ['01J8ZQ4Q2M7V0C3K5T9N6R1W9A'],
      },
    ],
    forbidden: ['rm -rf'],
    sourceEntryIds: ['01J8ZQ4Q2M7V0C3K5T9N6R1W9A'],
    dimensions: ['accuracy', 'artifact_trail'],
    origin: 'structure',
    spanHash: HASH,
    asOf: 40,
    alsoInTail: true,
    ...differing,
  };
}

export function aProbeSet(differing: Partial<ProbeSet> = {}): ProbeSet {
  return {
    probeSetId: nextId(),
    tenantId: 'acme',
    sessionId: '01J8ZQ4Q2M7V0C3K5T9N6R1W8X',
    point: { cycle: 2, lastSeq: 40 },
    spanHash: HASH,
    seed: 7,
    origin: 'structure',
    missing: ['decision'],
    refused: [{ question: 'why?', reason: 'no evidence' }],
    createdAt: NOW,
    probes: [aProbe(), aProbe({ probeId: 'probe-2', format: null, alsoInTail: false })],
    ...differing,
  };
}

export function aRun(differing: Partial<EvaluationRun> = {}): EvaluationRun {
  return {
    runId: nextId(),
    tenantId: 'acme',
    kind: 'run',
    settings: { seed: 1, strategy: 'offline' },
    settingsHash: HASH,
    startedAt: NOW,
    ...differing,
  };
}

export function aReport(differing: Partial<EvaluationReport> = {}): EvaluationReport {
  return {
    ...EMPTY_REPORT,
    kind: 'run',
    question: 'Does it hold?',
    settings: { zebra: 'last', ape: 'first' },
    n: { probes: 2 },
    arms: [{ name: 'full', figures: { kept: { value: 0.5, low: null, high: 1, n: 2 } } }],
    tables: [{ title: 'T', columns: ['a'], rows: [['1']] }],
    plots: [
      {
        title: 'P',
        xLabel: 'x',
        yLabel: 'y',
        form: 'line',
        series: [{ name: 's', points: [{ x: 1, y: 2, low: null, high: null }] }],
      },
    ],
    notAssessed: [{ criterion: 'c', reason: 'r', count: 1 }],
    quotes: [{ label: 'l', text: 't' }],
    again: 'agents eval run',
    ...differing,
  };
}

export function anAnswer(differing: Partial<StoredAnswer> = {}): StoredAnswer {
  return {
    arm: 'offline',
    sessionId: '01J8ZQ4Q2M7V0C3K5T9N6R1W8X',
    cycle: 2,
    probeId: 'probe-1',
    text: 'src/a.ts',
    reason: null,
    survival: { f1: 'reachable' },
    findings: [
      { factId: 'f1', value: 0.5, contradicted: false, found: ['src/a.ts'], superfluous: ['c.ts'] },
    ],
    answerer: 'model:test',
    promptVersion: '1',
    usage: { inputTokens: 12 },
    answeredAt: NOW,
    ...differing,
  };
}

export function aMark(differing: Partial<StoredMark> = {}): StoredMark {
  return {
    arm: 'offline',
    sessionId: '01J8ZQ4Q2M7V0C3K5T9N6R1W8X',
    cycle: 2,
    probeId: 'probe-1',
    judgeRun: 0,
    criterionId: 'accuracy_factual',
    score: 2.5,
    reason: 'half of it',
    origin: 'grader',
    ...differing,
  };
}

export function aJudgement(differing: Partial<StoredJudgement> = {}): StoredJudgement {
  return {
    arm: 'offline',
    sessionId: '01J8ZQ4Q2M7V0C3K5T9N6R1W8X',
    cycle: 2,
    probeId: 'probe-1',
    judgeRun: 1,
    outcome: 'judged',
    reason: null,
    judge: 'model:judge',
    promptVersion: '1',
    usage: { input_tokens: 7 },
    judgedAt: NOW,
    ...differing,
  };
}
