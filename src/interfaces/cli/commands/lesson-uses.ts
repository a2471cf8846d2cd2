/** The work of `agents lesson use`: one piece of work, or a file of them, a line each. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { UseRequest } from '../../../domain/lessons/check-use.js';
import type { EpisodeOutcome, UseReceipt } from '../../../domain/lessons/episode.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type CommandResult, countOf, type Field, formatCount, type Message } from '../view.js';
import { Verbatim } from '../wire-names.js';
import {
  lessonOf,
  lessonsOf,
  namedScope,
  scopeToWrite,
  type ScopeOptions,
} from './lesson-names.js';
import { readUseLines } from './lesson-use-lines.js';

export interface UseOptions extends ScopeOptions {
  readonly prompt?: string;
  readonly outcome?: string;
  readonly summary?: string;
  readonly served?: string;
  readonly used?: string;
  readonly corrected?: string;
  readonly correction?: string;
  readonly confidence?: string;
  readonly span?: readonly string[];
  readonly check?: readonly string[];
  readonly session?: string;
  readonly key?: string;
  readonly axis?: string;
  readonly sessionEnd?: boolean;
  readonly file?: string;
}

export async function recordUse(terminal: Terminal, options: UseOptions): Promise<CommandResult> {
  const { file, project: _project, global: _global, ...single } = options;
  if (file !== undefined) {
    const [other] = Object.keys(single);
    if (other !== undefined) throw new UsageError(`--file and --${other} do not go together.`);
    const lines = await readUseLines(terminal, file);
    return withCore(terminal, (core) => recordLines(core, lines, options));
  }
  const [missing] = (['prompt', 'outcome'] as const).filter((name) => single[name] === undefined);
  if (missing !== undefined) throw new UsageError(`--${missing} is missing; or give --file.`);
  return withCore(terminal, async (core) => {
    const request = await requestOf(core, options);
    return recorded(await core.lessons.ledger.recordUse(request));
  });
}

async function requestOf(core: Ossature, options: UseOptions): Promise<UseRequest> {
  const { confidence, span = [], check, summary, session, key, axis, correction } = options;
  const served = await lessonsOf(core, options.served);
  const used = await lessonsOf(core, options.used);
  const corrected = await lessonsOf(core, options.corrected);
  return withScope(core, options, {
    prompt: options.prompt ?? '',
    // What is no outcome is refused by the core, by its field.
    outcome: options.outcome as EpisodeOutcome,
    spans: await Promise.all(span.map((text) => spanOf(core, text))),
    ...(options.sessionEnd === true ? { kind: 'session-end' as const } : {}),
    ...(confidence === undefined ? {} : { confidence: numberOf(confidence) }),
    ...(check === undefined ? {} : { check: { type: 'contains' as const, values: check } }),
    ...(served === undefined ? {} : { served }),
    ...(used === undefined ? {} : { used }),
    ...(corrected === undefined ? {} : { corrected }),
    ...(summary === undefined ? {} : { acceptedSummary: summary }),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(key === undefined ? {} : { useKey: key }),
    ...(axis === undefined ? {} : { axis }),
    ...(correction === undefined ? {} : { correction }),
  });
}

/** The episode belongs where its lessons do, unless somebody says otherwise. */
async function withScope(
  core: Ossature,
  options: ScopeOptions,
  request: UseRequest,
): Promise<UseRequest> {
  const named = await namedScope(core, options);
  if (named !== undefined) return { ...request, projectId: named };
  const [lessonId] = request.served ?? request.used ?? [];
  const projectId =
    lessonId === undefined
      ? await scopeToWrite(core, options)
      : (await core.lessons.ledger.getLesson(lessonId)).lesson.projectId;
  return { ...request, projectId };
}

function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

async function spanOf(core: Ossature, text: string) {
  const at = text.indexOf(':');
  if (at < 1) throw new UsageError(`--span ${text} is no span: write it as LESSON:TEXT.`);
  return { lessonId: await lessonOf(core, text.slice(0, at)), text: text.slice(at + 1) };
}

function recorded(receipt: UseReceipt): CommandResult {
  const { credited, notCredited, spansUnmatched, redactions } = receipt;
  const fields: readonly Field[] = [
    ['recorded', receipt.recorded ? 'yes' : `no: ${receipt.reason ?? ''}`],
    ['use_id', receipt.useId ?? ''],
    ['episode_id', receipt.episodeId ?? ''],
    ['credited', credited.length === 0 ? 'none' : credited.join(' ')],
    ...notCredited.map(({ lessonId, reason }): Field => ['not credited', `${lessonId}: ${reason}`]),
    ['spans', formatCount(receipt.spansStored)],
    ['redacted', shownCounts(redactions)],
  ];
  return {
    data: { ...receipt, redactions: new Verbatim(redactions) },
    messages: receiptMessages(receipt, spansUnmatched),
    view: [
      {
        block: 'fields',
        title: receipt.recorded ? 'Use recorded' : 'Nothing recorded',
        fields: fields.filter(([, value]) => value !== ''),
      },
    ],
  };
}

function receiptMessages(
  { cut }: UseReceipt,
  unmatched: UseReceipt['spansUnmatched'],
): readonly Message[] {
  const messages = unmatched.map(({ lessonId, text }): Message => ({
    level: 'warning',
    text: `Not stored, as lesson ${lessonId} does not say it: ${text}`,
  }));
  const lost = cut.prompt + cut.acceptedSummary;
  if (lost > 0) {
    messages.push({
      level: 'warning',
      text: `Cut to what an episode keeps: ${countOf(lost, 'character')} left out.`,
    });
  }
  return messages;
}

function shownCounts(counts: Readonly<Record<string, number>>): string {
  const all = Object.entries(counts).map(([type, count]) => `${formatCount(count)} ${type}`);
  return all.length === 0 ? 'nothing' : all.join(', ');
}

type UseLine = Awaited<ReturnType<typeof readUseLines>>[number];

interface BadLine {
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** One after another: a bad line takes no other with it. */
async function recordLines(
  core: Ossature,
  lines: readonly UseLine[],
  options: ScopeOptions,
): Promise<CommandResult> {
  const bad: BadLine[] = [];
  const uses: { readonly line: number; readonly receipt: UseReceipt }[] = [];
  for (const { line, use } of lines) {
    try {
      if (use instanceof OssatureError) throw use;
      const [served, used, corrected] = [
        await idsOf(core, use.served),
        await idsOf(core, use.used),
        await idsOf(core, use.corrected),
      ];
      const spans = await spansIn(core, use.spans);
      const request = await withScope(core, options, {
        ...use,
        ...(spans === undefined ? {} : { spans }),
        ...(served === undefined ? {} : { served }),
        ...(used === undefined ? {} : { used }),
        ...(corrected === undefined ? {} : { corrected }),
      });
      const whole =
        use.projectId === undefined ? request : { ...request, projectId: use.projectId };
      uses.push({ line, receipt: await core.lessons.ledger.recordUse(whole) });
    } catch (error) {
      if (!isOfTheLine(error)) throw error;
      bad.push({ line, code: error.code, message: error.message });
    }
  }
  const stored = uses.filter(({ receipt }) => receipt.recorded).length;
  return {
    data: {
      recorded: stored,
      notRecorded: uses.length - stored,
      uses: uses.map(({ line, receipt: { redactions, ...receipt } }) => ({
        line,
        ...receipt,
        redactions: new Verbatim(redactions),
      })),
      bad,
    },
    exitCode: uses.length === 0 && bad.length > 0 ? 1 : 0,
    messages: bad.map(({ line, code, message }) => ({
      level: 'warning',
      text: `Line ${line} was not stored: ${code}: ${message}`,
    })),
    view: [
      {
        block: 'fields',
        title: 'Uses recorded',
        fields: [
          ['recorded', formatCount(stored)],
          ['below the confidence', formatCount(uses.length - stored)],
          ['bad lines', formatCount(bad.length)],
        ],
      },
    ],
  };
}

function idsOf(core: Ossature, names: readonly string[] | undefined) {
  return names === undefined ? undefined : Promise.all(names.map((name) => lessonOf(core, name)));
}

function spansIn(core: Ossature, spans: UseRequest['spans']) {
  return spans === undefined
    ? undefined
    : Promise.all(
        spans.map(async ({ lessonId, text }) => ({
          lessonId: await lessonOf(core, lessonId),
          text,
        })),
      );
}

/** A store that fails is no fault of the line. */
function isOfTheLine(error: unknown): error is OssatureError {
  return (
    OssatureError.is(error) && !error.code.startsWith('STORE_') && !error.code.startsWith('SCHEMA_')
  );
}
