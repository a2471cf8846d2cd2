/**
 * The composition root. One flat container, loaded in order: platform → features → the host's modules;
 * what is loaded last wins. A host sees the façade and never needs to know Inversify.
 */
import 'reflect-metadata';
import { Container, ContainerModule } from 'inversify';
import { StageOverrides } from '../../application/assembly/stage-overrides.js';
import type { Scratch } from '../../application/evaluation/scratch.js';
import type { Repositories, UnitOfWork } from '../../application/ports/unit-of-work.js';
import type { Summarizer } from '../../application/session/summarise.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest } from '../../domain/kernel/measures.js';
import { type Redact, redactWith } from '../../domain/redaction/redact.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import { type OssatureConfig, parseConfig } from '../config/config.js';
import { httpLanguageModel } from '../models/http-language-model.js';
import type { LanguageModel } from '../models/language-model.js';
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
import { lessonsModule } from './lessons-module.js';
import { sessionModule } from './session-module.js';
import { workflowModule } from './workflow-module.js';
import { type OpenStore, type StoreChoice, joinStore, openStore } from './open-store.js';
import { type Platform, platformModule } from './platform-module.js';
import { type Token, provideValue } from './token.js';
import { TOKENS } from './tokens.js';
import { type Ossature, servicesOf } from './ossature.js';
import type { OssatureOptions } from './ossature-options.js';

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

/** The one way in: who enters by the container sees its types here, and for a home without a key of its own, the key of the home. */
export type { Ossature, OssatureOptions };
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
    ...servicesOf(resolve),
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
