/** The public API: named exports only, and nothing else of the package is importable but `ossature/testing`. */

// The core and how it is wired.
export { createOssature } from './infrastructure/container/create-ossature.js';
export type { Ossature } from './infrastructure/container/ossature.js';
export type { OssatureOptions } from './infrastructure/container/ossature-options.js';
export type { StoreChoice } from './infrastructure/container/open-store.js';
export { provide, provideValue, replace, type Token } from './infrastructure/container/token.js';
export { TOKENS } from './infrastructure/container/tokens.js';
export type { OssatureConfigInput } from './infrastructure/config/config.js';

// Errors and ids.
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorDetails,
  OssatureError,
} from './domain/kernel/errors.js';
export {
  type DecisionId,
  isUlid,
  parseDecisionId,
  parsePlanId,
  type PlanId,
  type ProjectId,
} from './domain/kernel/ids.js';

// Context: fragments, ratios, policies.
export {
  type CompressionRatio,
  DEFAULT_SKELETON_RATIO,
  parseCompressionRatio,
  parseReserveRatio,
  type ReserveRatio,
  tokensLeft,
  tokensReserved,
} from './domain/context/compression-ratio.js';
export type { ContextFragment, WeighedFragment } from './domain/context/context-fragment.js';
export type {
  ContextEntry,
  ContextItem,
  FragmentReference,
  StoredFragment,
} from './domain/context/accumulated-context.js';
export type { ContextPolicy, PolicyView } from './domain/context/context-policy.js';
export type { Project } from './domain/context/project.js';
export {
  type FragmentScorer,
  type ScorableFragment,
  scoreRelevance,
} from './domain/relevance/score-relevance.js';
export { type Selection, selectWithinBudget } from './domain/relevance/select-within-budget.js';

// Skeletons.
export {
  compressSkeleton,
  compressToBudget,
  compressWeighed,
  type Skeleton,
} from './domain/skeleton/compress-skeleton.js';
export type { SkeletonMetadata } from './domain/skeleton/skeleton-metadata.js';
export type {
  CapsuleLeftOut,
  CompressionRecord,
  RecordedFragment,
  SkippedFragment,
} from './domain/skeleton/compression-record.js';
export type { SkeletonCompressor } from './application/skeleton/skeleton-compressor.js';
export { SkeletonCompressorService } from './application/skeleton/skeleton-compressor-service.js';

// Assembly.
export {
  availableInWindow,
  type ContextBudget,
  parseContextBudget,
} from './domain/context/context-budget.js';
export {
  type ContentDomain,
  contentDomainOf,
  MAX_DEPTHS,
  type Rendering,
  renderAtDepth,
} from './domain/context/detail-level.js';
export type {
  AssembledFragment,
  AssemblyFragment,
  ExcludedFragment,
  ExclusionReason,
  LeftOutFragment,
  OfferedFragment,
  PackedFragment,
  ScoreBreakdown,
  ScoredFragment,
  ShownFragment,
} from './domain/assembly/assembly-fragment.js';
export type {
  AssemblyPayload,
  BudgetReport,
  StrategyReport,
} from './domain/assembly/assembly-payload.js';
export type {
  AssemblyRequest,
  AssemblyRequestInput,
  AssemblySettings,
  ScoreWeights,
} from './domain/assembly/assembly-request.js';
export {
  type AssemblyStages,
  type BudgetCompressor,
  type BudgetShare,
  type RankedStrategy,
  STAGE_NAMES,
  type StrategyFailure,
  type StrategyResult,
  type StrategyRun,
} from './domain/assembly/assembly-stages.js';
export { dropDuplicates, resolveDepth } from './domain/assembly/merge-fragments.js';
export { orderFragments } from './domain/assembly/order-fragments.js';
export { packFragments } from './domain/assembly/pack-fragments.js';
export { rankFragments } from './domain/assembly/rank-fragments.js';
export { renderPayload } from './domain/assembly/render-payload.js';
export { selectStrategies } from './domain/assembly/select-strategies.js';
export { shareBudget } from './domain/assembly/share-budget.js';
export { writePreamble } from './domain/assembly/write-preamble.js';
export type { ContextAssemblyPipeline } from './application/assembly/context-assembly-pipeline.js';
export type {
  ContextInspectionService,
  Inspection,
  InspectionRequest,
  Simulation,
} from './application/assembly/context-inspection-service.js';
export type {
  ContextStrategy,
  StrategyAnswer,
  StrategyRequest,
  StrategyRoom,
} from './application/assembly/context-strategy.js';
export type { ScopedStages, StageOverrides } from './application/assembly/stage-overrides.js';
export type { Embed, Vector } from './application/plan/semantic-strategy.js';
export { createStrategyExecutor } from './application/assembly/strategy-executor.js';
export type { StartTimer } from './application/ports/timer.js';
export { provideStrategy } from './infrastructure/container/provide-strategy.js';

// Plans.
export { type Plan, DEFAULT_MAX_DEPTH } from './domain/plan/plan.js';
export type { PlanMove, PlanPhase, PlanState } from './domain/plan/plan-phase.js';
export type { Spawn, SpawnSource } from './domain/plan/spawn.js';
export { type Decision, DECISION_TYPES } from './domain/plan/decision.js';
export type { DecisionRequest, PlanRequest } from './application/plan/plan-service.js';
export type {
  PlannedSpawn,
  SpawnedChild,
  SpawnOutcome,
  SpawnPreview,
} from './application/plan/strategy-coordinator.js';
export type { SessionSpawnRequest, SpawnRequest } from './application/plan/spawn-request.js';
export type { PlanStatusReport } from './application/plan/plan-status.js';
export type {
  DroppedFragment,
  DroppedReport,
  Recall,
} from './application/plan/compression-audit.js';
export type {
  ImportedSessions,
  SessionImportService,
} from './application/plan/session-import-service.js';
export type { SessionMaterialReceipt } from './application/plan/session-material-receipt.js';
export type { ImportReceipt } from './application/plan/import-run.js';
export type {
  IncomingDecision,
  IncomingFragment,
  IncomingItem,
} from './application/plan/incoming-material.js';

// Sessions.
export type { Session, SessionEntry, SessionUsage } from './domain/session/session.js';
export type { TranscriptEntry } from './domain/session/transcript.js';
export type {
  ExportRequest,
  SessionExport,
  SessionExportService,
} from './application/session/session-export-service.js';
export type { ExportNote, ExportNoteReason } from './domain/session/export/export-note.js';
export type { ExportProvider, ProviderMessages } from './domain/session/export/providers.js';
export type { MediaPrices } from './domain/session/media-prices.js';
export type { Artifact } from './domain/session/trail/artifact.js';
export type { ArtifactEvent } from './domain/session/trail/artifact-event.js';
export type { Trail } from './domain/session/trail/trail.js';
export type { TrailNeeds } from './domain/session/trail/trail-needs.js';
export type { OpenTrail, TrailRows } from './domain/session/trail/trail-part.js';
export { TOOL_MAPPINGS } from './domain/session/trail/extend-trail.js';
export type { MapCall, ToolMapping, TrailFact } from './domain/session/trail/tool-mapping.js';
export {
  artifactsUnder,
  doneSince,
  findArtifact,
  lastCommands,
  listArtifacts,
  openErrors,
} from './domain/session/trail/trail-answers.js';
export { type Redact, redactWith } from './domain/redaction/redact.js';
export { detectFormat } from './application/session/detect-format.js';
export type {
  TranscriptEvent,
  TranscriptReader,
  TranscriptSource,
} from './application/session/transcript-reader.js';
export type {
  AppendReceipt,
  AppendRequest,
  IngestionRequest,
} from './application/session/ingestion-request.js';
export type { TranscriptIngestionService } from './application/session/transcript-ingestion-service.js';
export type { IngestionReceipt } from './application/session/ingestion-receipt.js';
export type {
  ArtifactTrailService,
  SessionTrail,
  TrailRequest,
} from './application/session/artifact-trail-service.js';
export type {
  AccountGrouping,
  AccountRequest,
  HostTask,
  TokenAccount,
  TokenAccountService,
} from './application/session/token-account-service.js';
export type { TokenSums } from './domain/session/tokens/task-tokens.js';
export type { SessionService } from './application/session/session-service.js';
export { EXPAND_TOOL } from './application/session/expand-tool.js';
export type { CalibrationReport } from './application/session/pass/calibrate-session.js';
export type { SettingsReceipt } from './application/session/stored-settings-act.js';
export type { SessionSummaryService } from './application/session/session-summary-service.js';
export type {
  OpaqueBlob,
  Summarise,
  Summarizer,
  SummarizerFailure,
  SummarizerUsage,
  SummaryAnswer,
  SummaryApproach,
  SummaryRequest,
  SummaryWindow,
} from './application/session/summarise.js';
export type {
  Refusal,
  ReviewAnswer,
  ReviewedItem,
  Reviewer,
  ReviewRequest,
  ReviewSummary,
} from './application/session/review-summary.js';
export type { SectionSchema, SummarySection } from './domain/session/summary/section-schema.js';
export type {
  CompactReport,
  CompactRequest,
  OverflowReport,
  OverflowRequest,
  PassCheck,
  PassRequest,
  SummaryStatus,
  UsageRequest,
} from './application/session/pass-request.js';
export type { FrameTexts } from './application/session/pass/host-frame.js';
export type { HostFrame } from './domain/session/pass/request-state.js';
export type { CapsuleItem, CapsuleOrigin, CapsuleSection } from './domain/session/capsule.js';
export type {
  CapsuleRepository,
  MadeCapsule,
  StoredCapsule,
} from './domain/session/stored-capsule.js';
export type {
  CapsuleOverBudget,
  CapsuleRequest,
  CapsuleService,
  CapsuleState,
  MadeCapsuleVerdict,
} from './application/session/capsule-service.js';
export type { WorkflowService } from './application/workflow/workflow-service.js';
export type {
  ApprovalReport,
  ApproveRequest,
  ContextRequest,
  CreateWorkflowRequest,
  DraftingRequest,
  PutReport,
  PutRequest,
  SourcesReport,
  SourcesRequest,
  TraceReport,
  VerdictRequest,
  WorkflowView,
} from './application/workflow/workflow-request.js';
export type { DraftPhase, DraftRequest, PhaseDraft } from './application/workflow/draft-phase.js';
export type { ProjectReading, ReadProjectFile } from './application/workflow/project-reading.js';
export type { GivenText } from './application/workflow/read-sources.js';
export type { WorkflowRepository, WorkflowStep } from './domain/workflow/repositories.js';
export type {
  Approval,
  ArtifactVersion,
  PhaseBudgets,
  RegisteredSource,
  Workflow,
  WorkflowKey,
} from './domain/workflow/workflow.js';
export type {
  Artifact as WorkflowArtifact,
  RecordItem,
  ResearchItem,
  SpecItem,
} from './domain/workflow/artifact.js';
export type { Gap, Trace } from './domain/workflow/trace.js';
export type { ImplementationContext } from './domain/workflow/implementation-context.js';
export type { WorkflowPhase, WorkflowState } from './domain/workflow/workflow-phase.js';
export type { SessionAttempt, SessionCycle } from './domain/session/summary/session-cycle.js';
export type { SummaryItem } from './domain/session/summary/summary-item.js';
export { transcriptReaders } from './interfaces/transcripts/transcript-readers.js';
export { fileSource } from './interfaces/transcripts/transcript-source.js';

// Models.
export {
  type AiSdkModel,
  aiSdkLanguageModel,
  type AiSdkModelOptions,
} from './infrastructure/models/ai-sdk-language-model.js';
export {
  type HttpModelOptions,
  httpLanguageModel,
} from './infrastructure/models/http-language-model.js';
export {
  type PromptedSummarizerOptions,
  promptedSummarizer,
} from './infrastructure/models/prompted-summarizer.js';
export { promptedReviewer } from './infrastructure/models/prompted-reviewer.js';
export { requireLanguageModel } from './infrastructure/models/require-language-model.js';

// Ports a host may bring.
export type {
  FinishReason,
  LanguageModel,
  ModelAnswer,
  ModelMessage,
  ModelRequest,
  ModelUsage,
} from './infrastructure/models/language-model.js';
export type {
  ContextPolicyRepository,
  FragmentRepository,
  ProjectRepository,
} from './domain/context/repositories.js';
export type {
  CompressionRecordRepository,
  DecisionRepository,
  PlanRepository,
  SpawnRepository,
} from './domain/plan/repositories.js';
export type {
  OpenTrailUpdate,
  SessionKey,
  SessionRepository,
  TrailRepository,
  TrailUpdate,
} from './domain/session/repositories.js';
export type {
  SummaryRepository,
  SummaryStep,
} from './domain/session/summary/summary-repository.js';
export type { Repositories, UnitOfWork } from './application/ports/unit-of-work.js';
export type { Logger, LogFields } from './application/ports/logger.js';
export type { Clock, NewId } from './application/ports/system.js';
export type { Digest, TokenCounter } from './domain/kernel/measures.js';

// Lessons.
export type { LessonOptions } from './infrastructure/container/lessons-module.js';
export type { LessonStore } from './application/lessons/lesson-store.js';
export type {
  AuditClaims,
  JudgeRelevance,
  JudgeReplay,
  LessonModels,
  ProposeCompression,
  RankDescent,
  ReplayTask,
} from './application/lessons/ports.js';
export type { Lesson, LessonSummary } from './domain/lessons/lesson.js';
export type { LessonSettings, LessonSettingsInput } from './domain/lessons/lesson-settings.js';
