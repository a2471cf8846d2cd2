/** `agents eval list`, `show` and `report`: what was measured, from the store. */
import type { ReportForm } from './evaluation-options.js';
import type { FinishedRun, StoredRun } from '../../../domain/evaluation/repositories.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { refuseTarget, writeTarget } from '../export-target.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult } from '../view.js';
import { Verbatim } from '../wire-names.js';
import { type AssertOptions, holdAssertions, requireAssertions } from './evaluation-assertions.js';
import { reportResult } from './evaluation-result.js';

export function listRuns(
  terminal: Terminal,
  { tenant, ...options }: AssertOptions & { readonly tenant: string },
): Promise<CommandResult> {
  requireAssertions(options);
  return withCore(terminal, async (core) => {
    const runs = await core.evaluations.runs.list(tenant);
    const held = holdAssertions(options, {
      n: {
        runs: runs.length,
        finished: runs.filter(({ finished }) => finished !== null).length,
      },
      arms: [],
    });
    return {
      exitCode: held.exitCode,
      messages: held.messages,
      data: {
        ...(held.checked.length === 0 ? {} : { assertions: held.checked }),
        runs: runs.map(({ runId, kind, settings, startedAt, finished }) => ({
          runId,
          kind,
          settings: new Verbatim(settings),
          startedAt,
          finishedAt: finished?.finishedAt ?? null,
        })),
      },
      view: [
        {
          block: 'table',
          title: 'Evaluation runs',
          columns: [
            { title: 'run_id' },
            { title: 'kind' },
            { title: 'started' },
            { title: 'state' },
          ],
          rows: runs.map(({ runId, kind, startedAt, finished }) => [
            runId,
            kind,
            startedAt.toISOString(),
            finished === null ? 'not finished' : 'finished',
          ]),
          none: 'No runs. Begin with `agents eval plant`, or `agents eval run SESSION`.',
        },
      ],
    };
  });
}

export function showRun(
  terminal: Terminal,
  runId: string,
  options: AssertOptions & { readonly tenant: string },
): Promise<CommandResult> {
  requireAssertions(options);
  return withCore(terminal, async (core) => {
    const { report, timing } = finishedOf(await core.evaluations.runs.get(options.tenant, runId));
    return reportResult({ runId, report, timing }, options);
  });
}

export interface ReportOptions extends AssertOptions {
  readonly to: ReportForm;
  readonly out?: string;
  readonly force?: boolean;
  /** False where `--no-quotes` is given. */
  readonly quotes: boolean;
  readonly tenant: string;
}

export function writeReport(
  terminal: Terminal,
  runId: string,
  { to, out, force = false, quotes, tenant, ...options }: ReportOptions,
): Promise<CommandResult> {
  requireAssertions(options);
  if (out !== undefined) refuseTarget(out, force);
  return withCore(terminal, async (core) => {
    const finished = finishedOf(await core.evaluations.runs.get(tenant, runId));
    const { renderReport } = await import('./evaluation-rendering.js');
    const text = renderReport(to, runId, finished, quotes);
    if (out !== undefined) await writeTarget(out, force, text);
    const { checked, messages, exitCode } = holdAssertions(options, finished.report);
    return {
      exitCode,
      messages,
      data: {
        runId,
        form: to,
        file: out ?? null,
        text: out === undefined ? text : null,
        ...(checked.length === 0 ? {} : { assertions: checked }),
      },
      view: [
        out === undefined
          ? { block: 'text', text: text.trimEnd() }
          : {
              block: 'fields',
              title: 'Report written',
              fields: [
                ['run_id', runId],
                ['form', to],
                ['file', out],
              ],
            },
      ],
    };
  });
}

function finishedOf({ runId, finished }: StoredRun): FinishedRun {
  if (finished !== null) return finished;
  throw new OssatureError(
    'NOT_FOUND',
    `Run ${runId} is not finished, so it has no report. Run the same command again: it goes on where it stopped.`,
    { details: { runId } },
  );
}
