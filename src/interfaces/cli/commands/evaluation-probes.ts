/** `agents eval probes`, `run` and `grade`: questions about what left, asked, and marked. */
import { parseArms } from '../../../domain/evaluation/compared-arm.js';
import type { ProbeSet } from '../../../domain/evaluation/probe.js';
import type { AssertedFigures } from '../../../domain/evaluation/report/check-assertion.js';
import { type Figure, plainFigure } from '../../../domain/evaluation/report/evaluation-report.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { PROBE_TYPES, type ProbeType } from '../../../domain/evaluation/probe-type.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import { openSources } from '../open-sources.js';
import type { Terminal } from '../terminal.js';
import { type CommandResult, formatCount } from '../view.js';
import { countOption, seedOf } from './evaluation-options.js';
import {
  type AssertOptions,
  assertionText,
  holdAssertions,
  requireAssertions,
} from './evaluation-assertions.js';
import { reportResult } from './evaluation-result.js';

export interface ProbesOptions extends AssertOptions {
  readonly cycle?: string;
  readonly types?: string;
  readonly seed: string;
  readonly model?: boolean;
  readonly tenant: string;
}

export function makeProbes(
  terminal: Terminal,
  name: string,
  options: ProbesOptions,
): Promise<CommandResult> {
  const request = {
    tenantId: options.tenant,
    cycle: cycleOf(options.cycle),
    types: typesOf(options.types),
    seed: seedOf(options.seed),
    byModel: options.model ?? false,
  };
  requireAssertions(options);
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(options.tenant, name);
    const set = await core.evaluations.probes.write({ ...request, sessionId });
    const { checked, messages, exitCode } = holdAssertions(options, figuresOf(set));
    return {
      data: checked.length === 0 ? set : { ...set, assertions: checked },
      exitCode,
      messages: [
        ...set.missing.map((type) => ({
          level: 'warning' as const,
          text: `The span holds no material for probes of type ${type}.`,
        })),
        ...messages,
      ],
      view: [
        {
          block: 'fields',
          title: 'Probes',
          fields: [
            ['probe_set_id', set.probeSetId],
            ['session_id', sessionId],
            ['cycle', String(set.point.cycle)],
            ['seed', String(set.seed)],
            ['missing types', set.missing.join(', ') || 'none'],
            ['refused', formatCount(set.refused.length)],
            ...checked.map((one) => ['assertion', assertionText(one)] as const),
          ],
        },
        {
          block: 'table',
          title: 'Questions',
          isPart: true,
          columns: [
            { title: 'probe_id', isId: true },
            { title: 'type' },
            { title: 'facts', align: 'right' },
            { title: 'question', isElastic: true },
          ],
          rows: set.probes.map(({ probeId, type, question, facts }) => [
            probeId,
            type,
            String(facts.length),
            question,
          ]),
          none: 'No probes.',
        },
      ],
    };
  });
}

/** What `--assert` may ask of a set: counts of probes, by type too, and of dimensions that they reach. */
function figuresOf({ probes, missing, refused }: ProbeSet): AssertedFigures {
  const { length } = probes;
  const byType: Record<string, Figure> = {};
  for (const type of PROBE_TYPES) {
    byType[type] = plainFigure(probes.filter((probe) => probe.type === type).length, length);
  }
  const dimensions = new Set(probes.flatMap((probe) => probe.dimensions)).size;
  return {
    n: { probes: length, missing: missing.length, refused: refused.length },
    arms: [
      {
        name: 'probes',
        figures: {
          count: plainFigure(length, length),
          dimensions: plainFigure(dimensions, length),
          ...byType,
        },
      },
    ],
  };
}

export interface RunOptions extends AssertOptions {
  readonly probes?: string;
  readonly strategy?: string;
  readonly cycle?: string;
  readonly judge?: boolean;
  readonly judgeRuns: string;
  readonly seed: string;
  readonly tenant: string;
}

export function runProbes(
  terminal: Terminal,
  name: string,
  options: RunOptions,
): Promise<CommandResult> {
  const request = {
    tenantId: options.tenant,
    cycle: cycleOf(options.cycle),
    probeSetId: options.probes ?? null,
    strategy: options.strategy === undefined ? null : (armNames([options.strategy])[0] ?? null),
    seed: seedOf(options.seed),
    judge: options.judge ?? false,
    judgeRuns: countOption('--judge-runs', options.judgeRuns, 1, 20),
  };
  requireAssertions(options);
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(options.tenant, name);
    const recorded = await core.evaluations.probes.run({ ...request, sessionId }, terminal.signal);
    return reportResult(recorded, options);
  });
}

export interface CompareOptions extends AssertOptions {
  /** False where `--no-judge` is given. */
  readonly judge: boolean;
  readonly judgeRuns: string;
  readonly strategies: string;
  readonly targetTokens: string;
  readonly cycles: string;
  readonly seed: string;
  readonly tenant: string;
}

export function compareStrategies(
  terminal: Terminal,
  names: readonly string[],
  options: CompareOptions,
): Promise<CommandResult> {
  const { tenant: tenantId } = options;
  const request = {
    tenantId,
    arms: armNames([options.strategies]),
    judge: options.judge,
    judgeRuns: countOption('--judge-runs', options.judgeRuns, 1, 20),
    targetTokens: countOption('--target-tokens', options.targetTokens, 400, 100_000_000),
    cycles: countOption('--cycles', options.cycles, 1, 100),
    seed: seedOf(options.seed),
  };
  requireAssertions(options);
  return withCore(terminal, async (core) => {
    const sessionIds: string[] = [];
    for (const name of names) {
      sessionIds.push((await core.sessions.stored.resolve(tenantId, name)).sessionId);
    }
    const recorded = await core.evaluations.comparisons.compare(
      { ...request, sessionIds },
      terminal.signal,
    );
    return reportResult(recorded, options);
  });
}

/** @throws UsageError for an arm that is none, with those that there are. */
function armNames(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
  const parsed = parseArms(names, []);
  if ('arms' in parsed) return parsed.arms.map(({ name }) => name);
  const unknown = JSON.stringify(parsed.unknown.slice(0, 60));
  throw new UsageError(`There is no strategy ${unknown}. There are ${parsed.valid}.`);
}

export interface GradeOptions extends AssertOptions {
  readonly tenant: string;
}

export async function gradeAnswers(
  terminal: Terminal,
  probeSetId: string,
  file: string,
  options: GradeOptions,
): Promise<CommandResult> {
  requireAssertions(options);
  const [source] = await openSources(terminal, [file]);
  if (source === undefined) throw new UsageError('A file with answers is missing.');
  const { answerLines } = await import('../../evaluation/answer-lines.js');
  try {
    await source.head();
    const answers: { readonly probeId: string; readonly text: string }[] = [];
    const unreadable: string[] = [];
    for await (const line of answerLines(source)) {
      if ('fault' in line) unreadable.push(`Line ${line.line} ${line.fault}.`);
      else answers.push(line);
    }
    if (answers.length === 0) throw nothingReadable(file, unreadable);
    return await withCore(terminal, async (core) => {
      const recorded = await core.evaluations.probes.grade({
        tenantId: options.tenant,
        probeSetId,
        answers,
      });
      const result = reportResult(recorded, options);
      const told = unreadable.map((text) => ({ level: 'warning' as const, text }));
      return { ...result, messages: [...told, ...(result.messages ?? [])] };
    });
  } finally {
    await source.dispose();
  }
}

function nothingReadable(file: string, [first = 'It is empty.']: readonly string[]): OssatureError {
  return new OssatureError(
    'INVALID_INPUT',
    `${file} holds no answer. ${first} Give JSONL, one answer a line, with probe_id and text.`,
    { details: { file } },
  );
}

function cycleOf(text: string | undefined): number | null {
  return text === undefined ? null : countOption('--cycle', text, 1, 1_000_000_000);
}

function typesOf(text: string | undefined): readonly ProbeType[] {
  if (text === undefined) return PROBE_TYPES;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !PROBE_TYPES.some((type) => type === name));
  if (unknown === undefined) return PROBE_TYPES.filter((type) => names.includes(type));
  throw new UsageError(
    `There is no type ${JSON.stringify(unknown.slice(0, 60))}. There are ${PROBE_TYPES.join(', ')}.`,
  );
}
