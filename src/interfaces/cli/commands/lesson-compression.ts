/** The work of `agents lesson compress`: attempts, told while they run and when they have ended. */
import type { AttemptReport, CompressRequest } from '../../../application/lessons/make-attempt.js';
import type { ReplayResult } from '../../../domain/lessons/attempt.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { DroppedClaim } from '../../../domain/lessons/claim.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { Interrupted, UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import { tell } from '../output.js';
import type { Terminal } from '../terminal.js';
import { diffLines, renderDiff } from '../text-diff.js';
import type { Block, CommandResult, Field } from '../view.js';
import { attemptFacts, attemptFields, replayFacts, verdictTable } from './lesson-attempts.js';
import { lessonFacts, shortPrint, textUnder } from './lesson-facts.js';
import { lessonOf, namedScope, type ScopeOptions } from './lesson-names.js';
import { listLessons } from './lesson-reading.js';

export interface CompressOptions extends ScopeOptions {
  readonly list?: boolean;
  readonly all?: boolean;
  readonly limit?: number;
  readonly dryRun?: boolean;
  readonly ignoreCooldown?: boolean;
  readonly revisit?: boolean;
}

export async function compressLessons(
  terminal: Terminal,
  name: string | undefined,
  options: CompressOptions,
): Promise<CommandResult> {
  const { list = false, all = false, limit } = options;
  const wanted = [name !== undefined, list, all].filter(Boolean).length;
  if (wanted > 1) throw new UsageError('Give one of LESSON, --list and --all.');
  if (limit !== undefined && name !== undefined) throw new UsageError('--limit goes with --all.');
  const { revisit = false, dryRun = false, ignoreCooldown = false } = options;
  if (revisit && (dryRun || ignoreCooldown || list)) {
    throw new UsageError('--revisit goes with LESSON or --all, and with nothing else.');
  }
  if (revisit && name === undefined && !all) throw new UsageError('Give LESSON or --all.');
  if (name === undefined && !all) return listLessons(terminal, { ...options, due: true });
  const request: CompressRequest = {
    dryRun,
    ignoreCooldown,
    signal: terminal.signal,
    onReplay: (result) => void tell({ level: 'info', text: progressOf(result) }, terminal),
  };
  return withCore(
    terminal,
    async (core) => {
      const lessonId = name === undefined ? null : await lessonOf(core, name);
      const result = revisit
        ? await revisitLessons(core, lessonId, request, options)
        : lessonId === null
          ? await compressAll(core, request, options)
          : await compressOne(core, lessonId, request);
      if (terminal.signal.aborted) throw new Interrupted('Interrupted.');
      return result;
    },
    { endsItself: true },
  );
}

function progressOf(replay: ReplayResult) {
  const { ordinal, episodeId, arm, phase, outcome, reason, fault, reused } = replay;
  const what = `${arm}${phase === 'held-out' ? ', held out' : ''}`;
  const told = fault ?? reason;
  const why = outcome === 'passed' || told === null ? '' : `: ${told}`;
  return `Replay ${ordinal}, episode ${episodeId} (${what}): ${outcome}${reused ? ' before' : ''}${why}`;
}

async function compressOne(
  core: Ossature,
  lessonId: string,
  request: CompressRequest,
): Promise<CommandResult> {
  const report = await core.lessons.compression.compress(lessonId, request);
  const told = await reportOf(core, report);
  return {
    data: told.facts,
    view: told.view,
    exitCode: isBroken(report) ? 1 : 0,
  };
}

async function compressAll(
  core: Ossature,
  request: CompressRequest,
  options: CompressOptions,
): Promise<CommandResult> {
  const projectId = await namedScope(core, options);
  const { reports, busy } = await core.lessons.compression.compressDue({
    ...request,
    limit: options.limit ?? Number.MAX_SAFE_INTEGER,
    ...(projectId === undefined ? {} : { projectId }),
  });
  const told = await Promise.all(reports.map((report) => reportOf(core, report)));
  return {
    data: { attempts: told.map(({ facts }) => facts), busy },
    messages: busy.map((lessonId) => ({
      level: 'info',
      text: `Lesson ${lessonId} was passed over: somebody else is at it, or was.`,
    })),
    view:
      told.length === 0
        ? [{ block: 'text', text: 'No lesson is due.' }]
        : told.flatMap(({ view }) => view),
    exitCode: reports.some(isBroken) ? 1 : 0,
  };
}

/** Null: every provisional lesson that is served, or at most so many. */
async function revisitLessons(
  core: Ossature,
  lessonId: string | null,
  request: CompressRequest,
  options: CompressOptions,
): Promise<CommandResult> {
  const reports: AttemptReport[] = [];
  const nothingOwed: string[] = [];
  const busy: string[] = [];
  const ids = lessonId === null ? await provisionalIn(core, options) : [lessonId];
  for (const id of ids) {
    if (reports.length >= (options.limit ?? ids.length) || request.signal?.aborted === true) break;
    try {
      const report = await core.lessons.compression.revisit(id, request);
      if (report === null) nothingOwed.push(id);
      else reports.push(report);
    } catch (error) {
      if (lessonId !== null || !OssatureError.is(error, 'BUSY')) throw error;
      busy.push(id);
    }
  }
  const told = await Promise.all(reports.map((report) => reportOf(core, report)));
  const none = 'Nothing that is owed can be checked now.';
  return {
    data: { attempts: told.map(({ facts }) => facts), nothingOwed, busy },
    view: told.length === 0 ? [{ block: 'text', text: none }] : told.flatMap(({ view }) => view),
    exitCode: reports.some(isBroken) ? 1 : 0,
  };
}

async function provisionalIn(core: Ossature, options: CompressOptions): Promise<readonly string[]> {
  const projectId = await namedScope(core, options);
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Ossature['lessons']['ledger']['listLessons']>> =
      await core.lessons.ledger.listLessons({
        apex: true,
        limit: 500,
        after,
        ...(projectId === undefined ? {} : { projectId }),
      });
    ids.push(
      ...page.items.flatMap(({ lessonId, provisionalBecause }) =>
        provisionalBecause.length > 0 ? [lessonId] : [],
      ),
    );
    after = page.next;
  } while (after !== null);
  return ids;
}

/** A rejected candidate is a result; an attempt that did not come to one is not. */
function isBroken({ attempt: { outcome } }: AttemptReport): boolean {
  return outcome !== 'accepted' && outcome !== 'rejected';
}

async function reportOf(core: Ossature, report: AttemptReport) {
  const { attempt, replays, accepted, sourceBody, eligibleAt } = report;
  const proposal = attempt.candidate?.proposal ?? null;
  const bodyAfter = accepted?.body ?? proposal?.body ?? null;
  const manifest =
    accepted === null
      ? null
      : (await core.lessons.ledger.getLesson(accepted.lessonId)).ledger.dropped;
  const nextAt = eligibleAt === null || accepted !== null ? null : eligibleAt;
  const proposed = proposal?.dropped ?? [];
  return {
    facts: {
      ...attemptFacts(attempt),
      accepted: accepted === null ? null : lessonFacts(accepted),
      bodyBefore: sourceBody,
      bodyAfter,
      dropped:
        manifest?.map(({ holderId, ...entry }) => ({ ...entry, holder: holderId })) ?? proposed,
      replays: replays.map(replayFacts),
      eligibleAt: nextAt,
    },
    view: [
      {
        block: 'fields' as const,
        title: `Attempt ${attempt.attemptNo}${attempt.dryRun ? ' (dry run)' : ''}`,
        fields: [
          ...attemptFields(attempt),
          ...(nextAt === null ? [] : [['eligible_at', nextAt.toISOString()] as const]),
        ] satisfies readonly Field[],
      },
      ...(bodyAfter === null
        ? []
        : [textUnder('diff', renderDiff(diffLines(sourceBody, bodyAfter)))]),
      ...(bodyAfter === null ? [] : [lossTable(manifest, proposed)]),
      verdictTable(replays),
    ] satisfies readonly Block[],
  };
}

function lossTable(
  manifest: readonly DroppedClaim[] | null,
  proposed: readonly { readonly claim: string; readonly kind: string }[],
): Block {
  return {
    block: 'table',
    title: manifest === null ? 'Would no longer be said' : 'No longer said',
    isPart: true,
    columns: [{ title: 'kind' }, { title: 'text', isElastic: true }, { title: 'holder' }],
    rows:
      manifest === null
        ? proposed.map(({ kind, claim }) => [kind, claim, ''])
        : manifest.map(({ kind, claim, holderId, fingerprint }) => [
            kind,
            `${shortPrint(fingerprint)} ${claim}`,
            holderId,
          ]),
    none: 'nothing',
  };
}
