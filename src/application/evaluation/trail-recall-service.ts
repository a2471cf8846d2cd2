/** Artifact-trail recall: real trajectories with compactions of their vendor, one source at a time. */
import type { ReportFailure } from '../../domain/evaluation/report/evaluation-report.js';
import {
  boundariesIn,
  measureBoundary,
  type MeasuredBoundary,
} from '../../domain/evaluation/trail-recall/measure-boundary.js';
import { trailReport } from '../../domain/evaluation/trail-recall/trail-report.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { Redact } from '../../domain/redaction/redact.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import { trailSettings } from '../session/fold-stored-trail.js';
import type { TranscriptReader, TranscriptSource } from '../session/transcript-reader.js';
import type { RunOutcome } from './evaluation-runs.js';
import { entriesUpTo } from './read-point.js';
import type { OpenScratch } from './scratch.js';

/** A transcript, or why a file is none. */
export type Trajectory =
  | { readonly source: TranscriptSource; readonly reader: TranscriptReader }
  | { readonly name: string; readonly fault: string };

export interface TrailRecallRequest {
  readonly trajectories: AsyncIterable<Trajectory>;
  /** Names the data in the report. */
  readonly source: string;
  readonly seed: number;
  /** Left out: that of the core. Null: texts are kept as they are. */
  readonly redact?: Redact | null;
}

const TENANT = 'trail-recall';

export class TrailRecallService {
  constructor(
    private readonly openScratch: OpenScratch,
    private readonly mappings: readonly ToolMapping[],
    private readonly counter: TokenCounter,
    private readonly digest: Digest,
  ) {}

  /** @throws OssatureError INVALID_INPUT where no source holds a compaction. */
  async measure(request: TrailRecallRequest): Promise<RunOutcome> {
    const failures: ReportFailure[] = [];
    /** Of several snapshots of a session the longest counts. */
    const measured = new Map<
      string,
      { readonly entries: number; readonly found: readonly MeasuredBoundary[] }
    >();
    let sources = 0;
    for await (const one of request.trajectories) {
      sources += 1;
      if ('fault' in one) {
        failures.push({ what: one.name, reason: one.fault, count: 1 });
        continue;
      }
      try {
        for (const { name, entries, found } of await this.#measureSource(one, request.redact)) {
          if ((measured.get(name)?.entries ?? -1) < entries) measured.set(name, { entries, found });
        }
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        failures.push({ what: one.source.name, reason, count: 1 });
      }
    }
    const boundaries = [...measured.values()].flatMap(({ found }) => found);
    if (boundaries.length === 0) {
      throw new OssatureError(
        'INVALID_INPUT',
        `No transcript in ${request.source} holds a compaction of its vendor with the summary behind it.`,
        { details: { source: request.source, sources, failures: failures.slice(0, 20) } },
      );
    }
    const versions = { counter: `${this.counter.name}@${this.counter.version}` };
    const { source, seed } = request;
    return {
      report: trailReport(boundaries, { source, seed, sources, versions, failures }),
      timing: {},
    };
  }

  async #measureSource(
    { source, reader }: Extract<Trajectory, { source: TranscriptSource }>,
    redact: Redact | null | undefined,
  ) {
    const { repositories, ingestion } = this.openScratch(null);
    const receipts = await ingestion.import({
      tenantId: TENANT,
      source,
      reader,
      ...(redact !== undefined && { redact }),
    });
    const found: {
      readonly name: string;
      readonly entries: number;
      readonly found: readonly MeasuredBoundary[];
    }[] = [];
    for (const { sessionId } of receipts) {
      if (sessionId === null) continue;
      const session = await repositories.sessions.get({ tenantId: TENANT, sessionId });
      const entries = await entriesUpTo(repositories, session, session.lastSeq);
      const name = session.vendorSessionId ?? source.name;
      const settings = {
        trail: trailSettings(session, this.mappings, this.digest),
        counter: this.counter,
        digest: this.digest,
      };
      const boundaries = boundariesIn(entries).map((boundary) =>
        measureBoundary(name, entries, boundary, settings),
      );
      if (boundaries.length > 0) found.push({ name, entries: entries.length, found: boundaries });
    }
    return found;
  }
}
