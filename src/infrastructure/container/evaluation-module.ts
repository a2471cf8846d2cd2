/** Evaluation: what measures whether a compression still does the work. */
import { ContainerModule } from 'inversify';
import { EvidenceRecallService } from '../../application/evaluation/evidence-recall-service.js';
import { provide } from './token.js';
import { TOKENS } from './tokens.js';

export function evaluationModule(): ContainerModule {
  return new ContainerModule((options) => {
    provide(
      options,
      TOKENS.evidenceRecall,
      [TOKENS.tokenCounter, TOKENS.fragmentScorer, TOKENS.clock],
      (...needs) => new EvidenceRecallService(...needs),
    );
  });
}
