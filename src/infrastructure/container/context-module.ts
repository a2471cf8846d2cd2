/** Plans, context, skeletons and relevance. */
import { ContainerModule } from 'inversify';
import { ProjectService } from '../../application/context/project-service.js';
import { CompressionAudit } from '../../application/plan/compression-audit.js';
import { ContextImportService } from '../../application/plan/context-import-service.js';
import { PlanService } from '../../application/plan/plan-service.js';
import { PlanStatus } from '../../application/plan/plan-status.js';
import { SessionImportService } from '../../application/plan/session-import-service.js';
import { StrategyCoordinator } from '../../application/plan/strategy-coordinator.js';
import { SkeletonCompressorService } from '../../application/skeleton/skeleton-compressor-service.js';
import { scoreRelevance } from '../../domain/relevance/score-relevance.js';
import { provide, provideValue } from './token.js';
import { TOKENS } from './tokens.js';

export function contextModule(): ContainerModule {
  return new ContainerModule((options) => {
    provideValue(options, TOKENS.fragmentScorer, scoreRelevance);
    provide(
      options,
      TOKENS.skeletonCompressorService,
      [TOKENS.logger],
      (log) => new SkeletonCompressorService(log),
    );
    // The compiler's proof that the service satisfies the port stands in this line.
    provide(
      options,
      TOKENS.skeletonCompressor,
      [TOKENS.skeletonCompressorService],
      (service) => service,
    );
    provide(
      options,
      TOKENS.projects,
      [TOKENS.repositories, TOKENS.unitOfWork, TOKENS.clock, TOKENS.newId],
      (repositories, unitOfWork, clock, newId) =>
        new ProjectService(repositories, unitOfWork, clock, newId),
    );
    provide(
      options,
      TOKENS.plans,
      [TOKENS.repositories, TOKENS.unitOfWork, TOKENS.projects, TOKENS.clock, TOKENS.newId],
      (repositories, unitOfWork, projects, clock, newId) =>
        new PlanService(repositories, unitOfWork, projects, clock, newId),
    );
    provide(
      options,
      TOKENS.coordinator,
      [
        TOKENS.repositories,
        TOKENS.unitOfWork,
        TOKENS.capsules,
        TOKENS.skeletonCompressorService,
        TOKENS.fragmentScorer,
        TOKENS.config,
        TOKENS.clock,
        TOKENS.newId,
        TOKENS.logger,
      ],
      (...needs) => new StrategyCoordinator(...needs),
    );
    provide(
      options,
      TOKENS.contextImport,
      [TOKENS.unitOfWork, TOKENS.tokenCounter, TOKENS.digest, TOKENS.clock, TOKENS.logger],
      (unitOfWork, tokenCounter, digest, clock, log) =>
        new ContextImportService(unitOfWork, tokenCounter, digest, clock, log),
    );
    provide(
      options,
      TOKENS.sessionImports,
      [
        TOKENS.repositories,
        TOKENS.unitOfWork,
        TOKENS.ingestion,
        TOKENS.capsules,
        TOKENS.tokenCounter,
        TOKENS.digest,
        TOKENS.clock,
        TOKENS.logger,
        TOKENS.config,
        TOKENS.redact,
      ],
      (
        repositories,
        unitOfWork,
        ingestion,
        capsules,
        tokenCounter,
        digest,
        clock,
        log,
        config,
        redact,
      ) =>
        new SessionImportService({
          repositories,
          unitOfWork,
          ingestion,
          capsules,
          tokenCounter,
          digest,
          clock,
          log,
          redact,
          choice: { maxFragmentTokens: config.maxFragmentTokens, thinking: config.thinking },
        }),
    );
    provide(
      options,
      TOKENS.audit,
      [TOKENS.repositories, TOKENS.unitOfWork, TOKENS.clock, TOKENS.newId, TOKENS.logger],
      (repositories, unitOfWork, clock, newId, log) =>
        new CompressionAudit(repositories, unitOfWork, clock, newId, log),
    );
    provide(
      options,
      TOKENS.status,
      [TOKENS.repositories, TOKENS.capsules],
      (repositories, capsules) => new PlanStatus(repositories, capsules),
    );
  });
}
