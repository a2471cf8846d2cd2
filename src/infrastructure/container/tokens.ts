/** Every port and service of the container. A host's module may rebind any of them. */
import type { ProjectService } from '../../application/context/project-service.js';
import type { ContextAssemblyPipeline } from '../../application/assembly/context-assembly-pipeline.js';
import type { ContextInspectionService } from '../../application/assembly/context-inspection-service.js';
import type { ContextStrategy } from '../../application/assembly/context-strategy.js';
import type { PrepareStrategies } from '../../application/assembly/prepare-strategies.js';
import type { PlanContextReader } from '../../application/assembly/plan-context-reader.js';
import type { StageOverrides } from '../../application/assembly/stage-overrides.js';
import type { CompressionAudit } from '../../application/plan/compression-audit.js';
import type { ContextImportService } from '../../application/plan/context-import-service.js';
import type { PlanService } from '../../application/plan/plan-service.js';
import type { PlanStatus } from '../../application/plan/plan-status.js';
import type { SessionImportService } from '../../application/plan/session-import-service.js';
import type { StrategyCoordinator } from '../../application/plan/strategy-coordinator.js';
import type { EvaluationRuns } from '../../application/evaluation/evaluation-runs.js';
import type { EvidenceRecallService } from '../../application/evaluation/evidence-recall-service.js';
import type { Evaluators, HostArms } from '../../application/evaluation/ports.js';
import type { StrategyComparisonService } from '../../application/evaluation/strategy-comparison-service.js';
import type { ProbeEvaluationParts } from '../../application/evaluation/probe-parts.js';
import type { ProbeEvaluationService } from '../../application/evaluation/probe-evaluation-service.js';
import type { JudgeCheckService } from '../../application/evaluation/judge-check-service.js';
import type { TrailRecallService } from '../../application/evaluation/trail-recall-service.js';
import type { PlantedFactsService } from '../../application/evaluation/planted-facts-service.js';
import type { OpenScratch } from '../../application/evaluation/scratch.js';
import type { LessonCompressionService } from '../../application/lessons/lesson-compression-service.js';
import type { LessonLedgerService } from '../../application/lessons/lesson-ledger-service.js';
import type { LessonNeeds } from '../../application/lessons/lesson-needs.js';
import type { LessonRecallService } from '../../application/lessons/lesson-recall-service.js';
import type { LessonRepairService } from '../../application/lessons/lesson-repair-service.js';
import type { LessonStore } from '../../application/lessons/lesson-store.js';
import type { LessonModels } from '../../application/lessons/ports.js';
import type { Logger } from '../../application/ports/logger.js';
import type { Clock, NewId } from '../../application/ports/system.js';
import type { StartTimer } from '../../application/ports/timer.js';
import type { Repositories, UnitOfWork } from '../../application/ports/unit-of-work.js';
import type { ArtifactTrailService } from '../../application/session/artifact-trail-service.js';
import type { CapsuleService } from '../../application/session/capsule-service.js';
import type { SessionExportService } from '../../application/session/session-export-service.js';
import type { SessionService } from '../../application/session/session-service.js';
import type { SessionSummaryService } from '../../application/session/session-summary-service.js';
import type { Reviewer } from '../../application/session/review-summary.js';
import type { Summarizer } from '../../application/session/summarise.js';
import type { TokenAccountService } from '../../application/session/token-account-service.js';
import type { TranscriptIngestionService } from '../../application/session/transcript-ingestion-service.js';
import type { SkeletonCompressorService } from '../../application/skeleton/skeleton-compressor-service.js';
import type { DraftPhase } from '../../application/workflow/draft-phase.js';
import type { WorkflowService } from '../../application/workflow/workflow-service.js';
import type { SkeletonCompressor } from '../../application/skeleton/skeleton-compressor.js';
import type { AssemblySettings } from '../../domain/assembly/assembly-request.js';
import type { AssemblyStages, BudgetCompressor } from '../../domain/assembly/assembly-stages.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { Redact } from '../../domain/redaction/redact.js';
import type { MediaPrices } from '../../domain/session/media-prices.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import type { FragmentScorer } from '../../domain/relevance/score-relevance.js';
import type { OssatureConfig } from '../config/config.js';
import type { LanguageModel } from '../models/language-model.js';
import { namedToken, token } from './token.js';

export const TOKENS = {
  /** Without the key of the model. */
  config: token<OssatureConfig>('config'),
  clock: token<Clock>('clock'),
  newId: token<NewId>('new-id'),
  digest: token<Digest>('digest'),
  logger: token<Logger>('logger'),
  tokenCounter: token<TokenCounter>('token-counter'),
  /** Null: there is none. What cannot do without asks `requireLanguageModel`. */
  languageModel: token<LanguageModel | null>('language-model'),

  projectRepository: token<Repositories['projects']>('project-repository'),
  policyRepository: token<Repositories['policies']>('policy-repository'),
  fragmentRepository: token<Repositories['fragments']>('fragment-repository'),
  spawnRepository: token<Repositories['spawns']>('spawn-repository'),
  planRepository: token<Repositories['plans']>('plan-repository'),
  decisionRepository: token<Repositories['decisions']>('decision-repository'),
  recordRepository: token<Repositories['records']>('compression-record-repository'),
  sessionRepository: token<Repositories['sessions']>('session-repository'),
  trailRepository: token<Repositories['trails']>('trail-repository'),
  capsuleRepository: token<Repositories['capsules']>('capsule-repository'),
  summaryRepository: token<Repositories['summaries']>('summary-repository'),
  evaluationRepository: token<Repositories['evaluations']>('evaluation-repository'),
  workflowRepository: token<Repositories['workflows']>('workflow-repository'),
  repositories: token<Repositories>('repositories'),
  unitOfWork: token<UnitOfWork>('unit-of-work'),

  fragmentScorer: token<FragmentScorer>('fragment-scorer'),
  skeletonCompressorService: namedToken<SkeletonCompressorService>('skeleton_compressor_service'),
  skeletonCompressor: token<SkeletonCompressor>('skeleton-compressor'),
  startTimer: token<StartTimer>('start-timer'),
  assemblySettings: token<AssemblySettings>('assembly-settings'),
  /** Every strategy, in no stated order. Add one by `provideStrategy`, or rebind the whole list. */
  contextStrategies: token<readonly ContextStrategy[]>('context-strategies'),
  prepareStrategies: token<PrepareStrategies>('prepare-strategies'),
  compressorFor: token<(name: string | symbol) => BudgetCompressor>('compressor-for'),
  strategySelectorStage: token<AssemblyStages['strategySelector']>('stage/strategy-selector'),
  budgetAllocatorStage: token<AssemblyStages['budgetAllocator']>('stage/budget-allocator'),
  strategyExecutorStage: token<AssemblyStages['strategyExecutor']>('stage/strategy-executor'),
  fragmentDeduplicatorStage: token<AssemblyStages['fragmentDeduplicator']>(
    'stage/fragment-deduplicator',
  ),
  detailDepthResolverStage: token<AssemblyStages['detailDepthResolver']>(
    'stage/detail-depth-resolver',
  ),
  fragmentScorerStage: token<AssemblyStages['fragmentScorer']>('stage/fragment-scorer'),
  budgetPackerStage: token<AssemblyStages['budgetPacker']>('stage/budget-packer'),
  fragmentOrdererStage: token<AssemblyStages['fragmentOrderer']>('stage/fragment-orderer'),
  preambleGeneratorStage: token<AssemblyStages['preambleGenerator']>('stage/preamble-generator'),
  skeletonCompressorStage: token<AssemblyStages['skeletonCompressor']>('stage/skeleton-compressor'),
  assemblyStages: token<AssemblyStages>('assembly-stages'),
  stageOverrides: token<StageOverrides>('stage-overrides'),
  planContexts: token<PlanContextReader>('plan-context-reader'),
  contexts: token<ContextAssemblyPipeline>('context-assembly-pipeline'),
  inspections: token<ContextInspectionService>('context-inspection-service'),
  projects: token<ProjectService>('project-service'),
  plans: token<PlanService>('plan-service'),
  coordinator: token<StrategyCoordinator>('strategy-coordinator'),
  contextImport: token<ContextImportService>('context-import-service'),
  audit: token<CompressionAudit>('compression-audit'),
  status: token<PlanStatus>('plan-status'),

  lessonStore: token<LessonStore>('lesson-store'),
  lessonModels: token<LessonModels>('lesson-models'),
  lessonNeeds: token<LessonNeeds>('lesson-needs'),
  lessonLedger: namedToken<LessonLedgerService>('lesson_ledger_service'),
  lessonCompression: namedToken<LessonCompressionService>('lesson_compression_service'),
  lessonRecall: namedToken<LessonRecallService>('lesson_recall_service'),
  lessonRepair: namedToken<LessonRepairService>('lesson_repair_service'),

  /** What every text of a session goes through on its way in. Null: switched off, which receipts note. */
  redact: token<Redact | null>('redact'),
  mediaPrices: token<MediaPrices>('media-prices'),
  /** In order of preference: a host puts its own in front. */
  toolMappings: token<readonly ToolMapping[]>('tool-mappings'),
  ingestion: token<TranscriptIngestionService>('transcript-ingestion-service'),
  sessionTrails: token<ArtifactTrailService>('artifact-trail-service'),
  storedSessions: token<SessionService>('session-service'),
  /** Null: no model, so that passes work without one. */
  summarise: token<Summarizer | null>('summarise'),
  reviewSummary: token<Reviewer | null>('reviewSummary'),
  sessionSummaries: token<SessionSummaryService>('session-summary-service'),
  sessionImports: token<SessionImportService>('session-import-service'),
  capsules: token<CapsuleService>('capsule-service'),
  sessionExports: token<SessionExportService>('session-export-service'),
  tokenAccounts: token<TokenAccountService>('token-account-service'),

  /** Null members: no model is configured. A host may bring its own. */
  evaluators: token<Evaluators>('evaluators'),
  hostArms: token<HostArms>('host-arms'),
  probeParts: token<ProbeEvaluationParts>('probe-evaluation-parts'),
  strategyComparison: token<StrategyComparisonService>('strategy-comparison-service'),
  probeEvaluation: token<ProbeEvaluationService>('probe-evaluation-service'),
  judgeCheck: token<JudgeCheckService>('judge-check-service'),
  trailRecall: token<TrailRecallService>('trail-recall-service'),
  evaluationRuns: token<EvaluationRuns>('evaluation-runs'),
  openScratch: token<OpenScratch>('open-scratch'),
  plantedFacts: token<PlantedFactsService>('planted-facts-service'),
  evidenceRecall: token<EvidenceRecallService>('evidence-recall-service'),
  /** Null: no model, so that every artifact comes from a person. */
  draftPhase: token<DraftPhase | null>('draft-phase'),
  workflows: token<WorkflowService>('workflow-service'),
} as const;
