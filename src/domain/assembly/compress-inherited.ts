/** Stage 10: the inherited fragments through the compressor that the settings name. */
import type { SkeletonStage } from './assembly-stages.js';

export const compressInherited: SkeletonStage = (inherited, budgetTokens, compressor) =>
  compressor.compressToBudget(inherited, budgetTokens).kept;
