/** Lessons: their four services over the store, with the models that are there. */
import { ContainerModule } from 'inversify';
import { LessonCompressionService } from '../../application/lessons/lesson-compression-service.js';
import { LessonLedgerService } from '../../application/lessons/lesson-ledger-service.js';
import { LessonRecallStrategy } from '../../application/lessons/lesson-recall-strategy.js';
import { LessonRecallService } from '../../application/lessons/lesson-recall-service.js';
import { LessonRepairService } from '../../application/lessons/lesson-repair-service.js';
import type { LessonStore } from '../../application/lessons/lesson-store.js';
import type { Logger } from '../../application/ports/logger.js';
import type { LessonModels, ReplayTask } from '../../application/lessons/ports.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import {
  type LessonSettings,
  type LessonSettingsInput,
  parseLessonSettings,
  resolveLessonSettings,
} from '../../domain/lessons/lesson-settings.js';
import { type SplitBody, splitBody } from '../../domain/lessons/split-claims.js';
import { type Redact, redactWith } from '../../domain/redaction/redact.js';
import {
  knowledgeCompressor,
  knowledgeJudge,
  knowledgeRanker,
  splitByFacts,
} from '../models/knowledge-world.js';
import type { LanguageModel } from '../models/language-model.js';
import { knowledgeProcessTask } from '../models/lessons/knowledge-process.js';
import { callReplayTask } from '../models/lessons/call-replay-task.js';
import {
  modelProcessReplayTask,
  type ModelReplaySettings,
} from '../models/lessons/model-process-replay-task.js';
import { processReplayTask } from '../models/lessons/process-replay-task.js';
import { promptedClaimAudit } from '../models/lessons/prompted-audit.js';
import { promptedCompression } from '../models/lessons/prompted-compression.js';
import { promptedReplayJudge } from '../models/lessons/prompted-judge.js';
import { promptedDescentRanking } from '../models/lessons/prompted-ranking.js';
import { promptedLessonRelevance } from '../models/lessons/prompted-relevance.js';
import { nodeTimer } from '../system/node-timer.js';
import { processKeyedDigest } from '../system/process-key.js';
import { provideStrategy } from './provide-strategy.js';
import { provide, provideValue } from './token.js';
import { TOKENS } from './tokens.js';

/** What a host says about its lessons. */
export interface LessonOptions {
  /** Under their names without the prefix `lessons.`, such as `compression.max_ratio`. */
  readonly settings?: LessonSettingsInput;
  /** The same as read from an environment; goes before `settings`. */
  readonly environment?: LessonSettingsInput;
  /** Single model ports in place of those made from the language model; null: none. */
  readonly models?: Partial<LessonModels>;
  /** The model of counted knowledge in place of a language model: deterministic, without a key. */
  readonly offline?: boolean;
  /** Splits bodies into claims. Left out: paragraphs, list items, rows and fenced blocks. */
  readonly splitBody?: SplitBody;
  /** Takes secrets out of every text. Left out: our rules, under a key of this process. */
  readonly redact?: Redact;
  /**
   * Where programs of replays get their allow-listed variables, PATH and the files of `replay.home_files`.
   * The library never looks into its own environment. Left out: a program gets none of it.
   */
  readonly replayEnv?: Readonly<Record<string, string | undefined>>;
  /** Names this process in attempts. */
  readonly worker?: string;
}

/** What a model of ours is made from; null: the host brought its own, or there is none. */
export type ModelEndpoint = ModelReplaySettings['endpoint'] | null;

/**
 * @param store null: the store keeps no lessons.
 * @throws OssatureError INVALID_CONFIG naming a setting and its range.
 */
export function lessonsModule(
  given: LessonOptions,
  store: LessonStore | null,
  languageModel: LanguageModel | null,
  endpoint: ModelEndpoint,
): ContainerModule {
  const hostSettings = parseLessonSettings(given.settings);
  const environmentSettings = parseLessonSettings(given.environment);
  return new ContainerModule((options) => {
    provideValue(options, TOKENS.lessonStore, store ?? noLessons());
    provide(options, TOKENS.lessonModels, [TOKENS.tokenCounter, TOKENS.logger], (counter, log) =>
      modelsFrom(given, languageModel, counter, () =>
        replayFrom(
          given,
          resolveLessonSettings([
            { origin: 'environment', settings: environmentSettings },
            { origin: 'host', settings: hostSettings },
          ]).values,
          languageModel,
          endpoint,
          log,
        ),
      ),
    );
    provide(
      options,
      TOKENS.lessonNeeds,
      [
        TOKENS.lessonStore,
        TOKENS.lessonModels,
        TOKENS.tokenCounter,
        TOKENS.digest,
        TOKENS.clock,
        TOKENS.newId,
        TOKENS.logger,
      ],
      (lessonStore, models, tokenCounter, digest, clock, newId, log) => ({
        ...lessonStore,
        models,
        tokenCounter,
        digest,
        clock,
        newId,
        log,
        hostSettings,
        environmentSettings,
        redact: given.redact ?? redactWith(processKeyedDigest()),
        startTimer: nodeTimer,
        splitBody: given.splitBody ?? (given.offline === true ? splitByFacts : splitBody),
        worker: given.worker ?? `process ${process.pid}`,
      }),
    );
    const needs = [TOKENS.lessonNeeds] as const;
    provide(options, TOKENS.lessonLedger, needs, (all) => new LessonLedgerService(all));
    provide(options, TOKENS.lessonCompression, needs, (all) => new LessonCompressionService(all));
    provide(options, TOKENS.lessonRecall, needs, (all) => new LessonRecallService(all));
    provide(options, TOKENS.lessonRepair, needs, (all) => new LessonRepairService(all));
    // Where no lessons are kept there is no source of any.
    if (store !== null) {
      provideStrategy(
        options,
        [TOKENS.lessonRecall, TOKENS.lessonNeeds, TOKENS.tokenCounter],
        (recall, { repositories }, tokenCounter) =>
          new LessonRecallStrategy(recall, repositories.lessons, tokenCounter),
      );
    }
  });
}

function modelsFrom(
  { models = {}, offline = false }: LessonOptions,
  languageModel: LanguageModel | null,
  counter: TokenCounter,
  replay: () => ReplayTask | null,
): LessonModels {
  if (offline) {
    return {
      propose: knowledgeCompressor(counter),
      replay: replay(),
      judge: knowledgeJudge,
      rank: knowledgeRanker,
      audit: null,
      relevance: null,
      ...models,
    };
  }
  const prompted: LessonModels =
    languageModel === null
      ? { propose: null, replay: replay(), judge: null, rank: null, audit: null, relevance: null }
      : {
          propose: promptedCompression(languageModel),
          replay: replay(),
          judge: promptedReplayJudge(languageModel),
          rank: promptedDescentRanking(languageModel),
          audit: promptedClaimAudit(languageModel),
          relevance: promptedLessonRelevance(languageModel),
        };
  return { ...prompted, ...models };
}

/** The agent of replays: a program where one is named, else a process of ours, else the host's client. */
function replayFrom(
  { replayEnv = {}, offline = false }: LessonOptions,
  settings: LessonSettings,
  languageModel: LanguageModel | null,
  endpoint: ModelEndpoint,
  log: Logger,
): ReplayTask | null {
  const { 'replay.command': command } = settings;
  const place = {
    env: replayEnv,
    envAllow: settings['replay.env_allow'],
    homeFiles: settings['replay.home_files'],
    maxAnswerBytes: settings['replay.max_answer_bytes'],
    log,
  };
  if (command !== null) return madeWhenNeeded(() => processReplayTask({ command, ...place }));
  if (offline) return knowledgeProcessTask(place);
  if (endpoint !== null) return modelProcessReplayTask({ endpoint, ...place });
  return languageModel === null ? null : callReplayTask(languageModel);
}

/** A command that cannot be run is told to whoever replays, before anything is written, and to nobody else. */
function madeWhenNeeded(make: () => ReplayTask): ReplayTask {
  let made: ReplayTask | undefined;
  const task = (): ReplayTask => (made ??= make());
  return {
    isolation: 'process',
    get identity() {
      return task().identity;
    },
    replay: (request, signal) => task().replay(request, signal),
  };
}

/** In place of a store without lessons: whatever is asked of it is refused, before anything is done. */
function noLessons(): LessonStore {
  const refuse = (): never => {
    throw new OssatureError(
      'FEATURE_OFF',
      'This store keeps no lessons. Give one that does: { kind: "in-memory" }, or repositories with `lessons`.',
      { details: { setting: 'store.lessons' } },
    );
  };
  const refusing = new Proxy({}, { get: () => async () => refuse() });
  return {
    repositories: new Proxy({}, { get: () => refusing }) as LessonStore['repositories'],
    unitOfWork: async () => refuse(),
    lock: async () => refuse(),
  };
}
