/**
 * The composition root. One flat container, loaded in order: platform → features → the host's modules;
 * what is loaded last wins. A host sees the façade and never needs to know Inversify.
 */
import 'reflect-metadata';
import { Container, ContainerModule } from 'inversify';
import type { EntityManager } from 'typeorm';
import type { ContextAssemblyPipeline } from '../../application/assembly/context-assembly-pipeline.js';
import type { ContextInspectionService } from '../../application/assembly/context-inspection-service.js';
import type { ContextStrategy } from '../../application/assembly/context-strategy.js';
import { type ScopedStages, StageOverrides } from '../../application/assembly/stage-overrides.js';
import type { ProjectService } from '../../application/context/project-service.js';
import type { CompressionAudit } from '../../application/plan/compression-audit.js';
import type { ContextImportService } from '../../application/plan/context-import-service.js';
import type { PlanService } from '../../application/plan/plan-service.js';
import type { PlanStatus } from '../../application/plan/plan-status.js';
import type { Embed } from '../../application/plan/semantic-strategy.js';
import type { SessionImportService } from '../../application/plan/session-import-service.js';
import type { StrategyCoordinator } from '../../application/plan/strategy-coordinator.js';
import type { EvaluationRuns } from '../../application/evaluation/evaluation-runs.js';
import type { EvidenceRecallService } from '../../application/evaluation/evidence-recall-service.js';
import type { ProbeEvaluationService } from '../../application/evaluation/probe-evaluation-service.js';
import type { JudgeCheckService } from '../../application/evaluation/judge-check-service.js';
import type { TrailRecallService } from '../../application/evaluation/trail-recall-service.js';
import type { PlantedFactsService } from '../../application/evaluation/planted-facts-service.js';
import type { HostArms } from '../../application/evaluation/ports.js';
import type { StrategyComparisonService } from '../../application/evaluation/strategy-comparison-service.js';
import type { Scratch } from '../../application/evaluation/scratch.js';
import type { LessonCompressionService } from '../../application/lessons/lesson-compression-service.js';
import type { LessonLedgerService } from '../../application/lessons/lesson-ledger-service.js';
import type { LessonRecallService } from '../../application/lessons/lesson-recall-service.js';
import type { LessonRepairService } from '../../application/lessons/lesson-repair-service.js';
import type { Logger } from '../../application/ports/logger.js';
import type { Clock, NewId } from '../../application/ports/system.js';
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
import type { DraftPhase } from '../../application/workflow/draft-phase.js';
import type { WorkflowService } from '../../application/workflow/workflow-service.js';
import type { SkeletonCompressorService } from '../../application/skeleton/skeleton-compressor-service.js';
import type { AssemblySettings } from '../../domain/assembly/assembly-request.js';
import type { AssemblyStages, BudgetCompressor } from '../../domain/assembly/assembly-stages.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest } from '../../domain/kernel/measures.js';
import { type Redact, redactWith } from '../../domain/redaction/redact.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import type { FragmentScorer } from '../../domain/relevance/score-relevance.js';
import { type OssatureConfig, type OssatureConfigInput, parseConfig } from '../config/config.js';
import { httpLanguageModel } from '../models/http-language-model.js';
import type { LanguageModel } from '../models/language-model.js';
import type { RevertOptions, SchemaState } from '../persistence/typeorm/migrator.js';
import type { TransferSummary } from '../persistence/typeorm/store-transfer.js';
import type { StoreAdministration } from '../persistence/typeorm/typeorm-store.js';
import { createInMemoryStore } from '../persistence/in-memory/in-memory-unit-of-work.js';
import { countingIds } from '../system/counting-ids.js';
import { homeKeyedDigest } from '../system/home-key.js';
import { processKeyedDigest } from '../system/process-key.js';
import { createNewId, sha256, systemClock } from '../system/node-system.js';
import { silentLogger } from '../system/silent-logger.js';
import { createO200kCounter } from '../tokens/o200k-counter.js';
import { assemblyModule } from './assembly-module.js';
import { contextModule } from './context-module.js';
import { evaluationModule } from './evaluation-module.js';
import { type LessonOptions, lessonsModule } from './lessons-module.js';
import { sessionModule } from './session-module.js';
import { workflowModule } from './workflow-module.js';
import { joinStore, openStore, type OpenStore, type StoreChoice } from './open-store.js';
import { type Platform, platformModule } from './platform-module.js';
import { provideValue, type Token } from './token.js';
import { TOKENS } from './tokens.js';

export interface OssatureOptions {
  readonly store: StoreChoice;
  readonly config?: OssatureConfigInput;
  /** Left out: silence. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly newId?: NewId;
  /** Left out: exact o200k_base. */
  readonly tokenCounter?: TokenCounter;
  /** What `relevance: 'goal'` asks. Left out: `scoreRelevance`. */
  readonly fragmentScorer?: FragmentScorer;
  /**
   * Replaces or wraps single repositories. Called with ours for every transaction, and once for the
   * reads outside; what it returns is used in their place.
   */
  readonly repositories?: (ours: Repositories) => Repositories;
  /** Budget, skeleton ratio, compressor, weights and limits of assemblies, where a request says nothing. */
  readonly assembly?: AssemblySettings;
  /** Stages of the assembly pipeline in place of ours, for all plans. */
  readonly stages?: Partial<AssemblyStages>;
  /** The same for single projects and plans; `core.stages` sets them later on. */
  readonly stagesFor?: ScopedStages;
  /** Sources of context beside ours. */
  readonly strategies?: readonly ContextStrategy[];
  /** Vectors of texts. Given, the strategy `semantic` is bound; left out, there is none. */
  readonly embed?: Embed;
  /** Asked wherever a model is needed, in place of `config.model`. Without either there is none. */
  readonly languageModel?: LanguageModel;
  /** Writes the summaries of sessions. Left out: the language model; without one, structure alone. */
  readonly summarizer?: Summarizer;
  /**
   * Looks over what a summarizer wrote, for sessions whose setting `review` is true; it may refuse what
   * the gate let through. Left out: the language model; without one, no session may ask for it.
   */
  readonly reviewer?: Reviewer;
  /**
   * What every text of sessions and lessons goes through on its way in, where a call brings nothing of
   * its own. Left out: `redactWith`, for a home folder under the key that lies in it, else under a key of
   * this process: bring one under a lasting key to a database, so that equal secrets stay equal. Null:
   * sessions are not redacted, and their receipts say so.
   */
  readonly redact?: Redact | null;
  /** Skeleton compressors by the names that settings and requests may use. */
  readonly compressors?: Readonly<Record<string, BudgetCompressor>>;
  /** Ways to shrink of your own, by the names that comparisons use. */
  readonly evaluationArms?: HostArms;
  /** Settings, models and redaction of lessons. */
  readonly lessons?: LessonOptions;
  /** Drafts the artifacts of workflows. Left out: the language model; without one, people do. */
  readonly draftPhase?: DraftPhase;
  /** Loaded last: `rebind` anything in TOKENS. */
  readonly modules?: readonly ContainerModule[];
  /**
   * `false` opens the store whatever its schema is and leaves it so, for a host that is about to call
   * `migrate()` or `revert()`.
   * Left out: a schema that does not fit is refused; the store of a home folder migrates itself.
   */
  readonly checkSchema?: boolean;
}

export interface Ossature {
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

/**
 * Opens the store and wires everything.
 *
 * @throws OssatureError INVALID_CONFIG, STORE_UNAVAILABLE, STORE_BUSY, SCHEMA_OUTDATED, SCHEMA_TOO_NEW.
 */
export async function createOssature(options: OssatureOptions): Promise<Ossature> {
  if ((options as Partial<OssatureOptions> | undefined)?.store === undefined) {
    throw new OssatureError(
      'INVALID_CONFIG',
      "createOssature needs a store: { kind: 'embedded', home }, { kind: 'url', url }, { kind: 'data-source', dataSource }, { kind: 'repositories', … } or, for tests, { kind: 'in-memory' }.",
      { details: { field: 'store' } },
    );
  }
  const config = parseConfig(options.config);
  const logger = options.logger ?? silentLogger;
  const store = await openStore(options.store, config, logger);
  try {
    const migrator = store.administration?.migrator;
    if (options.checkSchema !== false) {
      await (store.migratesItself ? migrator?.migrate() : migrator?.requireCurrent());
    }
    return compose(
      {
        ...modelOf(config, options.languageModel),
        logger,
        clock: options.clock ?? systemClock,
        newId: options.newId ?? createNewId(),
        digest: sha256,
        tokenCounter: options.tokenCounter ?? createO200kCounter(),
      },
      options,
      store,
      new StageOverrides(options.stagesFor),
    );
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The key ends here: nobody who asks for the config needs it. */
function modelOf(
  { model, ...config }: OssatureConfig,
  given: LanguageModel | undefined,
): Pick<Platform, 'config' | 'languageModel'> {
  if (model === undefined) return { config, languageModel: given ?? null };
  const { apiKey: _, ...shown } = model;
  return { config: { ...config, model: shown }, languageModel: given ?? httpLanguageModel(model) };
}

/** For hosts that keep no key of their own but have a home. */
export { homeKeyedDigest };

/** A home folder keeps its key; of a database, its host has to (docs/embedding.md). */
function lastingDigest(store: StoreChoice): Digest {
  return store.kind === 'embedded' ? homeKeyedDigest(store.home) : processKeyedDigest();
}

function compose(
  platform: Omit<Platform, 'repositories' | 'unitOfWork'>,
  options: OssatureOptions,
  store: OpenStore,
  overrides: StageOverrides,
): Ossature {
  const redact =
    options.redact === undefined ? redactWith(lastingDigest(options.store)) : options.redact;
  const container = new Container();
  container.load(
    platformModule({ ...platform, ...replaced(store, options.repositories) }),
    contextModule(),
    sessionModule({
      summarizer: options.summarizer ?? null,
      reviewer: options.reviewer ?? null,
      redact,
    }),
    evaluationModule({
      openScratch: (given) => openScratch(platform, container, given),
      hostArms: options.evaluationArms ?? {},
    }),
    workflowModule({ draftPhase: options.draftPhase ?? null }),
    lessonsModule(
      { ...(redact !== null && { redact }), ...options.lessons },
      store.lessons ?? null,
      platform.languageModel,
      options.languageModel === undefined ? (parseConfig(options.config).model ?? null) : null,
    ),
    assemblyModule({
      settings: options.assembly ?? {},
      stages: options.stages ?? {},
      overrides,
      strategies: options.strategies ?? [],
      embed: options.embed,
      compressors: options.compressors ?? {},
      find: (wanted) => (container.isBound(wanted) ? container.get<unknown>(wanted) : undefined),
    }),
  );
  const { fragmentScorer } = options;
  if (fragmentScorer !== undefined) {
    container.unbind(TOKENS.fragmentScorer);
    provideValue({ bind: container.bind.bind(container) }, TOKENS.fragmentScorer, fragmentScorer);
  }
  container.load(...(options.modules ?? []));
  const resolve = <Service>(wanted: Token<Service>): Service => container.get<Service>(wanted);
  // Every service once, now: what is missing is named at the start and not in the middle of the work.
  for (const wanted of Object.values(TOKENS)) resolve<unknown>(wanted);
  const administration = (): StoreAdministration => {
    if (store.administration !== undefined) return store.administration;
    throw new OssatureError('INVALID_CONFIG', `There is no schema in ${store.description}.`);
  };

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
    storeDescription: store.description,
    resolve,
    within: (manager) => compose(platform, options, joinStore(store, manager), overrides),
    migrate: async () => administration().migrator.migrate(),
    revert: async (wanted) => administration().migrator.revert(wanted, store.migratesItself),
    checkSchema: async () => administration().migrator.check(),
    exportStore: async (write) => administration().exportStore(write),
    importStore: async (lines) => administration().importStore(lines),
    close: () => store.close(),
  };
}

/**
 * A core over an empty memory. Modules and repositories of the host stay out, as they could lead into
 * the host's store; the mappings and the summarizer that passes depend on are those of the core.
 */
function openScratch(
  platform: Omit<Platform, 'repositories' | 'unitOfWork'>,
  outer: Container,
  given: Summarizer | null,
): Scratch {
  const standing = platform.clock();
  const summarizer = given ?? outer.get<Summarizer | null>(TOKENS.summarise);
  const store: OpenStore = {
    ...createInMemoryStore(),
    description: 'memory, until nobody holds it',
    migratesItself: false,
    close: async () => {},
  };
  const core = compose(
    { ...platform, logger: silentLogger, clock: () => standing, newId: countingIds() },
    {
      store: { kind: 'in-memory' },
      redact: outer.get<Redact | null>(TOKENS.redact),
      ...(summarizer === null ? {} : { summarizer }),
      modules: [
        new ContainerModule(({ rebind }) => {
          const mappings = outer.get<readonly ToolMapping[]>(TOKENS.toolMappings);
          rebind<readonly ToolMapping[]>(TOKENS.toolMappings).toConstantValue(mappings);
        }),
      ],
    },
    store,
    new StageOverrides(),
  );
  return {
    repositories: core.resolve(TOKENS.repositories),
    ingestion: core.sessions.ingestion,
    trails: core.sessions.trail,
    summaries: core.sessions.summaries,
  };
}

function replaced(
  { repositories, unitOfWork }: OpenStore,
  replace: OssatureOptions['repositories'],
): { readonly repositories: Repositories; readonly unitOfWork: UnitOfWork } {
  if (replace === undefined) return { repositories, unitOfWork };
  return {
    repositories: replace(repositories),
    unitOfWork: (work) => unitOfWork((ours) => work(replace(ours as Repositories))),
  };
}
