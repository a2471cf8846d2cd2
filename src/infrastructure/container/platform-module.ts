/** Time, ids, log, counters and the chosen store. */
import { ContainerModule } from 'inversify';
import type { Logger } from '../../application/ports/logger.js';
import type { Clock, NewId } from '../../application/ports/system.js';
import type { Repositories, UnitOfWork } from '../../application/ports/unit-of-work.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { OssatureConfig } from '../config/config.js';
import type { LanguageModel } from '../models/language-model.js';
import { provide, provideValue } from './token.js';
import { TOKENS } from './tokens.js';

export interface Platform {
  readonly config: OssatureConfig;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly digest: Digest;
  readonly logger: Logger;
  readonly tokenCounter: TokenCounter;
  readonly languageModel: LanguageModel | null;
  readonly repositories: Repositories;
  readonly unitOfWork: UnitOfWork;
}

export function platformModule(platform: Platform): ContainerModule {
  return new ContainerModule((options) => {
    const { repositories } = platform;
    provideValue(options, TOKENS.config, platform.config);
    provideValue(options, TOKENS.clock, platform.clock);
    provideValue(options, TOKENS.newId, platform.newId);
    provideValue(options, TOKENS.digest, platform.digest);
    provideValue(options, TOKENS.logger, platform.logger);
    provideValue(options, TOKENS.tokenCounter, platform.tokenCounter);
    provideValue(options, TOKENS.languageModel, platform.languageModel);
    provideValue(options, TOKENS.projectRepository, repositories.projects);
    provideValue(options, TOKENS.policyRepository, repositories.policies);
    provideValue(options, TOKENS.fragmentRepository, repositories.fragments);
    provideValue(options, TOKENS.planRepository, repositories.plans);
    provideValue(options, TOKENS.spawnRepository, repositories.spawns);
    provideValue(options, TOKENS.decisionRepository, repositories.decisions);
    provideValue(options, TOKENS.recordRepository, repositories.records);
    provideValue(options, TOKENS.sessionRepository, repositories.sessions);
    provideValue(options, TOKENS.trailRepository, repositories.trails);
    provideValue(options, TOKENS.summaryRepository, repositories.summaries);
    provideValue(options, TOKENS.capsuleRepository, repositories.capsules);
    provideValue(options, TOKENS.workflowRepository, repositories.workflows);
    provideValue(options, TOKENS.evaluationRepository, repositories.evaluations);
    provideValue(options, TOKENS.unitOfWork, platform.unitOfWork);
    provide(
      options,
      TOKENS.repositories,
      [
        TOKENS.projectRepository,
        TOKENS.policyRepository,
        TOKENS.fragmentRepository,
        TOKENS.planRepository,
        TOKENS.spawnRepository,
        TOKENS.decisionRepository,
        TOKENS.recordRepository,
        TOKENS.sessionRepository,
        TOKENS.trailRepository,
        TOKENS.summaryRepository,
        TOKENS.capsuleRepository,
        TOKENS.workflowRepository,
        TOKENS.evaluationRepository,
      ],
      (
        projects,
        policies,
        fragments,
        plans,
        spawns,
        decisions,
        records,
        sessions,
        trails,
        summaries,
        capsules,
        workflows,
        evaluations,
      ) => ({
        projects,
        policies,
        fragments,
        plans,
        spawns,
        decisions,
        records,
        sessions,
        trails,
        summaries,
        capsules,
        workflows,
        evaluations,
      }),
    );
  });
}
