/** Whatever a host's stage throws reaches the caller as a breach of that stage, with its cause. */
import { answerNow } from '../../domain/assembly/answer-now.js';
import {
  type AssemblyStages,
  STAGE_NAMES,
  type StrategyExecutor,
} from '../../domain/assembly/assembly-stages.js';
import { failureMessage } from '../../domain/assembly/failure-message.js';
import { stageBreach } from '../../domain/assembly/stage-breach.js';
import { OssatureError } from '../../domain/kernel/errors.js';

type Stage = (...given: readonly unknown[]) => unknown;

export function guardStages(stages: AssemblyStages): AssemblyStages {
  const guarded = STAGE_NAMES.filter((name) => name !== 'strategyExecutor').map((name) => {
    const stage = stages[name] as Stage;
    const call: Stage = (...given) => {
      try {
        return answerNow(stage(...given));
      } catch (error) {
        throw breachOf(name, error);
      }
    };
    return [name, call];
  });
  const strategyExecutor: StrategyExecutor = async (runs, timeoutMs) => {
    try {
      return await stages.strategyExecutor(runs, timeoutMs);
    } catch (error) {
      throw breachOf('strategyExecutor', error);
    }
  };
  return { ...(Object.fromEntries(guarded) as unknown as AssemblyStages), strategyExecutor };
}

/** An OssatureError is what it says; anything else is the stage's. */
export function breachOf(stage: keyof AssemblyStages, error: unknown): OssatureError {
  if (OssatureError.is(error)) return error;
  return stageBreach(stage, `threw: ${failureMessage(error, 'no error')}`, {}, error);
}
