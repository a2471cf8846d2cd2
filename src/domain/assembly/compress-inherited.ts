/** Stage 10: the inherited fragments through the compressor that the settings name. */
import { answerNow } from './answer-now.js';
import type { SkeletonStage } from './assembly-stages.js';

export const compressInherited: SkeletonStage = (inherited, budgetTokens, compressor) => {
  const answer: Partial<ReturnType<typeof compressor.compressToBudget>> | undefined = answerNow(
    compressor.compressToBudget(inherited, budgetTokens),
  );
  // Whoever wrote the compressor: what is no list is refused with the stage's name.
  return answer?.kept as ReturnType<SkeletonStage>;
};
