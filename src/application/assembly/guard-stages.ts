/** Whatever a host's stage throws, when it is called or its answer is read, is a breach of that stage, with its cause. */
import { answerNow } from '../../domain/assembly/answer-now.js';
import { type AssemblyStages, STAGE_NAMES } from '../../domain/assembly/assembly-stages.js';
import { failureMessage } from '../../domain/assembly/failure-message.js';
import { stageBreach } from '../../domain/assembly/stage-breach.js';
import { OssatureError } from '../../domain/kernel/errors.js';

type StageName = keyof AssemblyStages;
type Stage = (...given: readonly unknown[]) => unknown;

/** The same stages, whose promises end no process where an answer is due at once. */
export function answeringNow(stages: AssemblyStages): AssemblyStages {
  return mapStages(stages, (name, stage) =>
    name === 'strategyExecutor' ? stage : (...given) => answerNow(stage(...given)),
  );
}

/** The same stages, whose failures name the stage. An OssatureError is what it says. */
export function guardStages<Stages extends Record<StageName, unknown>>(stages: Stages): Stages {
  return mapStages(stages, (name, stage) => (...given) => {
    try {
      const answer = stage(...given);
      if (name !== 'strategyExecutor') return answer;
      return Promise.resolve(answer).catch((error: unknown) => {
        throw breachOf(name, error);
      });
    } catch (error) {
      throw breachOf(name, error);
    }
  });
}

function mapStages<Stages extends Record<StageName, unknown>>(
  stages: Stages,
  change: (name: StageName, stage: Stage) => Stage,
): Stages {
  const changed = STAGE_NAMES.map((name) => [name, change(name, stages[name] as Stage)]);
  return Object.fromEntries(changed) as Stages;
}

function breachOf(stage: StageName, error: unknown): OssatureError {
  if (OssatureError.is(error)) return error;
  return stageBreach(stage, `threw: ${failureMessage(error, 'no error')}`, {}, error);
}
