/** Every port and service of the container. A host's module may rebind any of them. */
import type { ProjectService } from '../../application/context/project-service.js';
import type { CompressionAudit } from '../../application/plan/compression-audit.js';
import type { ContextImportService } from '../../application/plan/context-import-service.js';
import type { PlanService } from '../../application/plan/plan-service.js';
import type { PlanStatus } from '../../application/plan/plan-status.js';
import type { StrategyCoordinator } from '../../application/plan/strategy-coordinator.js';
import type { Logger } from '../../application/ports/logger.js';
import type { Clock, NewId } from '../../application/ports/system.js';
import type { Repositories, UnitOfWork } from '../../application/ports/unit-of-work.js';
import type { SkeletonCompressorService } from '../../application/skeleton/skeleton-compressor-service.js';
import type { SkeletonCompressor } from '../../application/skeleton/skeleton-compressor.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { FragmentScorer } from '../../domain/relevance/score-relevance.js';
import type { OssatureConfig } from '../config/config.js';
import { namedToken, token } from './token.js';

export const TOKENS = {
  config: token<OssatureConfig>('config'),
  clock: token<Clock>('clock'),
  newId: token<NewId>('new-id'),
  digest: token<Digest>('digest'),
  logger: token<Logger>('logger'),
  tokenCounter: token<TokenCounter>('token-counter'),

  projectRepository: token<Repositories['projects']>('project-repository'),
  policyRepository: token<Repositories['policies']>('policy-repository'),
  fragmentRepository: token<Repositories['fragments']>('fragment-repository'),
  planRepository: token<Repositories['plans']>('plan-repository'),
  decisionRepository: token<Repositories['decisions']>('decision-repository'),
  recordRepository: token<Repositories['records']>('compression-record-repository'),
  repositories: token<Repositories>('repositories'),
  unitOfWork: token<UnitOfWork>('unit-of-work'),

  fragmentScorer: token<FragmentScorer>('fragment-scorer'),
  skeletonCompressorService: namedToken<SkeletonCompressorService>('skeleton_compressor_service'),
  skeletonCompressor: token<SkeletonCompressor>('skeleton-compressor'),
  projects: token<ProjectService>('project-service'),
  plans: token<PlanService>('plan-service'),
  coordinator: token<StrategyCoordinator>('strategy-coordinator'),
  contextImport: token<ContextImportService>('context-import-service'),
  audit: token<CompressionAudit>('compression-audit'),
  status: token<PlanStatus>('plan-status'),
} as const;
