/** Evaluation: what measures whether a compression still does the work. */
import { ContainerModule } from 'inversify';
import { cleanEvaluators } from '../../application/evaluation/clean-evaluators.js';
import { EvaluationRuns } from '../../application/evaluation/evaluation-runs.js';
import { EvidenceRecallService } from '../../application/evaluation/evidence-recall-service.js';
import { ProbeEvaluationService } from '../../application/evaluation/probe-evaluation-service.js';
import { StrategyComparisonService } from '../../application/evaluation/strategy-comparison-service.js';
import type { HostArms } from '../../application/evaluation/ports.js';
import { promptedEvaluators } from '../models/prompted-evaluators.js';
import { JudgeCheckService } from '../../application/evaluation/judge-check-service.js';
import { TrailRecallService } from '../../application/evaluation/trail-recall-service.js';
import { PlantedFactsService } from '../../application/evaluation/planted-facts-service.js';
import type { OpenScratch } from '../../application/evaluation/scratch.js';
import { provide, provideValue } from './token.js';
import { TOKENS } from './tokens.js';

export interface EvaluationParts {
  readonly openScratch: OpenScratch;
  readonly hostArms: HostArms;
}

export function evaluationModule({ openScratch, hostArms }: EvaluationParts): ContainerModule {
  return new ContainerModule((options) => {
    provideValue(options, TOKENS.openScratch, openScratch);
    provideValue(options, TOKENS.hostArms, hostArms);
    provide(options, TOKENS.evaluators, [TOKENS.languageModel], promptedEvaluators);
    provide(
      options,
      TOKENS.probeParts,
      [
        TOKENS.repositories,
        TOKENS.unitOfWork,
        TOKENS.evaluationRuns,
        TOKENS.evaluators,
        TOKENS.hostArms,
        TOKENS.summarise,
        TOKENS.toolMappings,
        TOKENS.tokenCounter,
        TOKENS.digest,
        TOKENS.clock,
        TOKENS.newId,
        TOKENS.openScratch,
        TOKENS.redact,
      ],
      (
        repositories,
        unitOfWork,
        runs,
        evaluators,
        arms,
        summarizer,
        mappings,
        counter,
        digest,
        clock,
        newId,
        scratch,
        redact,
      ) => ({
        repositories,
        unitOfWork,
        runs,
        evaluators: cleanEvaluators(evaluators, redact),
        hostArms: arms,
        summarizer,
        mappings,
        counter,
        digest,
        clock,
        newId,
        openScratch: scratch,
        redact,
      }),
    );
    provide(
      options,
      TOKENS.probeEvaluation,
      [TOKENS.probeParts],
      (parts) => new ProbeEvaluationService(parts),
    );
    provide(
      options,
      TOKENS.strategyComparison,
      [TOKENS.probeParts],
      (parts) => new StrategyComparisonService(parts),
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
      [TOKENS.probeParts, TOKENS.fragmentScorer],
      (...needs) => new EvidenceRecallService(...needs),
    );
    provide(
      options,
      TOKENS.judgeCheck,
      [TOKENS.probeParts],
      (parts) => new JudgeCheckService(parts.evaluators, parts),
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
      [TOKENS.probeParts],
      (parts) => new PlantedFactsService(parts),
    );
  });
}
