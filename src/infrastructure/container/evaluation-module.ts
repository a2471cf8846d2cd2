/** Evaluation: what measures whether a compression still does the work. */
import { ContainerModule } from 'inversify';
import { EvaluationRuns } from '../../application/evaluation/evaluation-runs.js';
import { EvidenceRecallService } from '../../application/evaluation/evidence-recall-service.js';
import { ProbeEvaluationService } from '../../application/evaluation/probe-evaluation-service.js';
import { promptedEvaluators } from '../models/prompted-evaluators.js';
import { JudgeCheckService } from '../../application/evaluation/judge-check-service.js';
import { TrailRecallService } from '../../application/evaluation/trail-recall-service.js';
import { PlantedFactsService } from '../../application/evaluation/planted-facts-service.js';
import type { OpenScratch } from '../../application/evaluation/scratch.js';
import { provide, provideValue } from './token.js';
import { TOKENS } from './tokens.js';

export interface EvaluationParts {
  readonly openScratch: OpenScratch;
}

export function evaluationModule({ openScratch }: EvaluationParts): ContainerModule {
  return new ContainerModule((options) => {
    provideValue(options, TOKENS.openScratch, openScratch);
    provide(options, TOKENS.evaluators, [TOKENS.languageModel], promptedEvaluators);
    provide(
      options,
      TOKENS.probeEvaluation,
      [
        TOKENS.repositories,
        TOKENS.unitOfWork,
        TOKENS.evaluationRuns,
        TOKENS.evaluators,
        TOKENS.toolMappings,
        TOKENS.tokenCounter,
        TOKENS.digest,
        TOKENS.clock,
        TOKENS.newId,
        TOKENS.openScratch,
      ],
      (
        repositories,
        unitOfWork,
        runs,
        evaluators,
        mappings,
        counter,
        digest,
        clock,
        newId,
        scratch,
      ) =>
        new ProbeEvaluationService({
          repositories,
          unitOfWork,
          runs,
          evaluators,
          mappings,
          counter,
          digest,
          clock,
          newId,
          openScratch: scratch,
        }),
    );
    provide(
      options,
      TOKENS.evaluationRuns,
      [TOKENS.evaluationRepository, TOKENS.digest, TOKENS.clock, TOKENS.newId, TOKENS.logger],
      (...needs) => new EvaluationRuns(...needs),
    );
    provide(
      options,
      TOKENS.evidenceRecall,
      [TOKENS.tokenCounter, TOKENS.fragmentScorer, TOKENS.clock],
      (...needs) => new EvidenceRecallService(...needs),
    );
    provide(
      options,
      TOKENS.judgeCheck,
      [TOKENS.evaluators, TOKENS.digest],
      (...needs) => new JudgeCheckService(...needs),
    );
    provide(
      options,
      TOKENS.trailRecall,
      [TOKENS.openScratch, TOKENS.toolMappings, TOKENS.tokenCounter, TOKENS.digest],
      (...needs) => new TrailRecallService(...needs),
    );
    provide(
      options,
      TOKENS.plantedFacts,
      [TOKENS.openScratch, TOKENS.tokenCounter, TOKENS.clock],
      (...needs) => new PlantedFactsService(...needs),
    );
  });
}
