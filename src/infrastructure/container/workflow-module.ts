/** Workflows in three phases, with or without a model that drafts. */
import { ContainerModule } from 'inversify';
import type { DraftPhase } from '../../application/workflow/draft-phase.js';
import { WorkflowService } from '../../application/workflow/workflow-service.js';
import { promptedDraftPhase } from '../models/prompted-draft-phase.js';
import { provide, provideValue } from './token.js';
import { TOKENS } from './tokens.js';

/** @param draftPhase null: the language model drafts, where there is one. */
export function workflowModule({
  draftPhase,
}: {
  readonly draftPhase: DraftPhase | null;
}): ContainerModule {
  return new ContainerModule((options) => {
    if (draftPhase !== null) provideValue(options, TOKENS.draftPhase, draftPhase);
    else {
      provide(options, TOKENS.draftPhase, [TOKENS.languageModel], (model) =>
        model === null ? null : promptedDraftPhase(model),
      );
    }
    provide(
      options,
      TOKENS.workflows,
      [
        TOKENS.repositories,
        TOKENS.unitOfWork,
        TOKENS.sessionSummaries,
        TOKENS.draftPhase,
        TOKENS.tokenCounter,
        TOKENS.digest,
        TOKENS.clock,
        TOKENS.newId,
        TOKENS.logger,
        TOKENS.redact,
      ],
      (
        repositories,
        unitOfWork,
        summaries,
        draft,
        tokenCounter,
        digest,
        clock,
        newId,
        log,
        redact,
      ) =>
        new WorkflowService({
          repositories,
          unitOfWork,
          summaries,
          draftPhase: draft,
          tokenCounter,
          digest,
          clock,
          newId,
          log,
          redact,
        }),
    );
  });
}
