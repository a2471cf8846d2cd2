/** Runs in the store: begun once, resumed where they stopped, finished with their report. */
import type {
  EvaluationRepository,
  EvaluationRun,
  FinishedRun,
  StoredRun,
} from '../../domain/evaluation/repositories.js';
import type {
  EvaluationReport,
  RunKind,
} from '../../domain/evaluation/report/evaluation-report.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { isUlid } from '../../domain/kernel/ids.js';
import type { Digest } from '../../domain/kernel/measures.js';
import type { JsonObject } from '../../domain/redaction/json-value.js';
import { requireTenant } from '../../domain/session/session.js';
import type { Logger } from '../ports/logger.js';
import type { Clock, NewId } from '../ports/system.js';

export interface RunRequest {
  readonly tenantId: string;
  readonly kind: RunKind;
  /** Everything that the figures depend on: another setting is another run. */
  readonly settings: JsonObject;
}

export interface RunOutcome {
  readonly report: EvaluationReport;
  readonly timing: Readonly<Record<string, number>>;
}

export interface RecordedRun extends RunOutcome {
  readonly runId: string;
}

export class EvaluationRuns {
  constructor(
    private readonly evaluations: EvaluationRepository,
    private readonly digest: Digest,
    private readonly clock: Clock,
    private readonly newId: NewId,
    private readonly log: Logger,
  ) {}

  /**
   * Does the work and keeps what it came to. Work that was interrupted under the same settings is gone on
   * with, under its id: what it answered already is in the store.
   */
  async record(
    request: RunRequest,
    work: (run: EvaluationRun) => Promise<RunOutcome>,
  ): Promise<RecordedRun> {
    const tenantId = requireTenant(request.tenantId);
    const settingsHash = this.#settingsHash(request);
    const known = await this.evaluations.findUnfinished(tenantId, settingsHash);
    const startedAt = this.clock();
    const run: EvaluationRun = known ?? {
      runId: this.newId(),
      tenantId,
      kind: request.kind,
      settings: request.settings,
      settingsHash,
      startedAt,
    };
    if (known === null) await this.evaluations.startRun(run);
    const { report, timing: told } = await work(run);
    const finishedAt = this.clock();
    const timing = { ...told, elapsed_ms: finishedAt.getTime() - startedAt.getTime() };
    await this.evaluations.finishRun(tenantId, run.runId, { report, timing, finishedAt });
    this.log.info('evaluation.finished', { runId: run.runId, kind: run.kind, ...timing });
    return { runId: run.runId, report, timing };
  }

  /** What the newest run of these settings came to; null where none came to an end. */
  async findFinished(request: RunRequest): Promise<FinishedRun | null> {
    const tenantId = requireTenant(request.tenantId);
    const run = await this.evaluations.findFinished(tenantId, this.#settingsHash(request));
    return run?.finished ?? null;
  }

  /** @throws OssatureError INVALID_ID, NOT_FOUND. */
  async get(tenantId: string, runId: string): Promise<StoredRun> {
    if (!isUlid(runId)) {
      throw new OssatureError(
        'INVALID_ID',
        'run_id must be a ULID, as `agents eval list` shows it.',
        {
          details: { field: 'run_id' },
        },
      );
    }
    return this.evaluations.getRun(requireTenant(tenantId), runId);
  }

  /** Newest first. */
  list(tenantId: string): Promise<readonly StoredRun[]> {
    return this.evaluations.listRuns(requireTenant(tenantId));
  }

  #settingsHash({ kind, settings }: Omit<RunRequest, 'tenantId'>): string {
    return this.digest(JSON.stringify([kind, settings]));
  }
}
