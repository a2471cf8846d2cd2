/** The façade that hosts see. */
import type { EntityManager } from 'typeorm';
import type { ContextAssemblyPipeline } from '../../application/assembly/context-assembly-pipeline.js';
import type { ContextInspectionService } from '../../application/assembly/context-inspection-service.js';
import type { StageOverrides } from '../../application/assembly/stage-overrides.js';
import type { ProjectService } from '../../application/context/project-service.js';
import type { CompressionAudit } from '../../application/plan/compression-audit.js';
import type { ContextImportService } from '../../application/plan/context-import-service.js';
import type { PlanService } from '../../application/plan/plan-service.js';
import type { PlanStatus } from '../../application/plan/plan-status.js';
import type { SessionImportService } from '../../application/plan/session-import-service.js';
import type { StrategyCoordinator } from '../../application/plan/strategy-coordinator.js';
import type { EvaluationRuns } from '../../application/evaluation/evaluation-runs.js';
import type { EvidenceRecallService } from '../../application/evaluation/evidence-recall-service.js';
import type { ProbeEvaluationService } from '../../application/evaluation/probe-evaluation-service.js';
import type { JudgeCheckService } from '../../application/evaluation/judge-check-service.js';
import type { TrailRecallService } from '../../application/evaluation/trail-recall-service.js';
import type { PlantedFactsService } from '../../application/evaluation/planted-facts-service.js';
import type { StrategyComparisonService } from '../../application/evaluation/strategy-comparison-service.js';
import type { LessonCompressionService } from '../../application/lessons/lesson-compression-service.js';
import type { LessonLedgerService } from '../../application/lessons/lesson-ledger-service.js';
import type { LessonRecallService } from '../../application/lessons/lesson-recall-service.js';
import type { LessonRepairService } from '../../application/lessons/lesson-repair-service.js';
import type { ArtifactTrailService } from '../../application/session/artifact-trail-service.js';
import type { CapsuleService } from '../../application/session/capsule-service.js';
import type { SessionExportService } from '../../application/session/session-export-service.js';
import type { SessionService } from '../../application/session/session-service.js';
import type { SessionSummaryService } from '../../application/session/session-summary-service.js';
import type { TokenAccountService } from '../../application/session/token-account-service.js';
import type { TranscriptIngestionService } from '../../application/session/transcript-ingestion-service.js';
import type { WorkflowService } from '../../application/workflow/workflow-service.js';
import type { SkeletonCompressorService } from '../../application/skeleton/skeleton-compressor-service.js';
import type { RevertOptions, SchemaState } from '../persistence/typeorm/migrator.js';
import type { TransferSummary } from '../persistence/typeorm/store-transfer.js';
import type { Token } from './token.js';
import { TOKENS } from './tokens.js';

/** Everything that a core does, by what it is about. */
export interface OssatureServices {
  readonly skeletons: SkeletonCompressorService;
  readonly projects: ProjectService;
  readonly plans: PlanService;
  readonly coordinator: StrategyCoordinator;
  readonly imports: ContextImportService;
  /** Transcripts as sessions of the store and context of a plan. */
  readonly sessionImports: SessionImportService;
  readonly audit: CompressionAudit;
  readonly status: PlanStatus;
  readonly contexts: ContextAssemblyPipeline;
  readonly inspections: ContextInspectionService;
  /** Transcripts in the store, what they did, and how they come and go. */
  readonly sessions: {
    readonly ingestion: TranscriptIngestionService;
    readonly trail: ArtifactTrailService;
    readonly stored: SessionService;
    readonly summaries: SessionSummaryService;
    readonly exports: SessionExportService;
    readonly tokens: TokenAccountService;
    readonly capsules: CapsuleService;
  };
  /** Whether what survived a compression still does the work. */
  readonly evaluations: {
    readonly evidence: EvidenceRecallService;
    readonly runs: EvaluationRuns;
    readonly trail: TrailRecallService;
    readonly judge: JudgeCheckService;
    readonly probes: ProbeEvaluationService;
    readonly comparisons: StrategyComparisonService;
    readonly plants: PlantedFactsService;
  };
  /** Research, planning and implementation, each approved before the next. */
  readonly workflows: WorkflowService;
  /** Advice that earns a shorter form by use, and gets back what it lost. */
  readonly lessons: {
    readonly ledger: LessonLedgerService;
    readonly compression: LessonCompressionService;
    readonly recall: LessonRecallService;
    readonly repair: LessonRepairService;
  };
  /** Stages of single projects and plans. */
  readonly stages: StageOverrides;
}

/** A core: its services, and the store behind them. */
export interface Ossature extends OssatureServices {
  /** Where the data are, in words. */
  readonly storeDescription: string;
  /** Any port or service of the container. */
  resolve<Service>(token: Token<Service>): Service;
  /** The same core, writing inside the host's open transaction. Use it only there, one call after another. */
  within(manager: EntityManager): Ossature;
  /** Brings our schema up to date; the names of the migrations that were applied. */
  migrate(): Promise<readonly string[]>;
  /**
   * Undoes the newest migration; its name, or null.
   *
   * @throws OssatureError WOULD_LOSE_DATA where rows or values would go and `force` is not given.
   */
  revert(options?: RevertOptions): Promise<string | null>;
  checkSchema(): Promise<SchemaState>;
  /** Writes the whole store, one line of JSON after another. */
  exportStore(write: (line: string) => Promise<void> | void): Promise<TransferSummary>;
  /** Fills an empty store from the lines of an export: all of it, or nothing. */
  importStore(lines: AsyncIterable<string>): Promise<TransferSummary>;
  /** Closes only what the core opened. */
  close(): Promise<void>;
}

/** Resolved once: what is missing is named when the core is made. */
export function servicesOf(
  resolve: <Service>(wanted: Token<Service>) => Service,
): OssatureServices {
  return {
    skeletons: resolve(TOKENS.skeletonCompressorService),
    projects: resolve(TOKENS.projects),
    plans: resolve(TOKENS.plans),
    coordinator: resolve(TOKENS.coordinator),
    imports: resolve(TOKENS.contextImport),
    sessionImports: resolve(TOKENS.sessionImports),
    audit: resolve(TOKENS.audit),
    status: resolve(TOKENS.status),
    contexts: resolve(TOKENS.contexts),
    inspections: resolve(TOKENS.inspections),
    sessions: {
      ingestion: resolve(TOKENS.ingestion),
      trail: resolve(TOKENS.sessionTrails),
      stored: resolve(TOKENS.storedSessions),
      summaries: resolve(TOKENS.sessionSummaries),
      exports: resolve(TOKENS.sessionExports),
      tokens: resolve(TOKENS.tokenAccounts),
      capsules: resolve(TOKENS.capsules),
    },
    evaluations: {
      evidence: resolve(TOKENS.evidenceRecall),
      runs: resolve(TOKENS.evaluationRuns),
      trail: resolve(TOKENS.trailRecall),
      judge: resolve(TOKENS.judgeCheck),
      probes: resolve(TOKENS.probeEvaluation),
      comparisons: resolve(TOKENS.strategyComparison),
      plants: resolve(TOKENS.plantedFacts),
    },
    workflows: resolve(TOKENS.workflows),
    lessons: {
      ledger: resolve(TOKENS.lessonLedger),
      compression: resolve(TOKENS.lessonCompression),
      recall: resolve(TOKENS.lessonRecall),
      repair: resolve(TOKENS.lessonRepair),
    },
    stages: resolve(TOKENS.stageOverrides),
  };
}
