/** The public API. Nothing else of the package is importable, but `ossature/testing`. */
export { createOssature } from './infrastructure/container/create-ossature.js';
export type { Ossature, OssatureOptions } from './infrastructure/container/create-ossature.js';
export type { StoreChoice } from './infrastructure/container/open-store.js';
export { provide, provideValue, type Token } from './infrastructure/container/token.js';
export { TOKENS } from './infrastructure/container/tokens.js';
export { ERROR_CODES, type ErrorCode, OssatureError } from './domain/kernel/errors.js';
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
export {
  compressSkeleton,
  compressToBudget,
  compressWeighed,
  type Skeleton,
} from './domain/skeleton/compress-skeleton.js';
export type { SkeletonMetadata } from './domain/skeleton/skeleton-metadata.js';
export type { CompressionRecord } from './domain/skeleton/compression-record.js';
export type { Plan } from './domain/plan/plan.js';
export type { Decision } from './domain/plan/decision.js';
export type { Repositories, UnitOfWork } from './application/ports/unit-of-work.js';
export type { Logger } from './application/ports/logger.js';
export type { Clock, NewId } from './application/ports/system.js';
export type { TokenCounter } from './domain/kernel/measures.js';
export {
  type FragmentScorer,
  type ScorableFragment,
  scoreRelevance,
} from './domain/relevance/score-relevance.js';
export type { SkeletonCompressor } from './application/skeleton/skeleton-compressor.js';
export type { IncomingItem } from './application/plan/context-import-service.js';
