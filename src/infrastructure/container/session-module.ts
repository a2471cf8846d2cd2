/** Sessions: what imports them, and what is told of them. */
import { ContainerModule } from 'inversify';
import { ArtifactTrailService } from '../../application/session/artifact-trail-service.js';
import { CapsuleService } from '../../application/session/capsule-service.js';
import { SessionExportService } from '../../application/session/session-export-service.js';
import { ArtifactTrailStrategy } from '../../application/session/artifact-trail-strategy.js';
import { requireSummarizer } from '../../application/session/pass/pass-needs.js';
import { SessionService } from '../../application/session/session-service.js';
import { SessionSummaryStrategy } from '../../application/session/session-summary-strategy.js';
import { SessionSummaryService } from '../../application/session/session-summary-service.js';
import type { Reviewer } from '../../application/session/review-summary.js';
import type { Summarizer } from '../../application/session/summarise.js';
import { TokenAccountService } from '../../application/session/token-account-service.js';
import { TranscriptIngestionService } from '../../application/session/transcript-ingestion-service.js';
import type { Redact } from '../../domain/redaction/redact.js';
import { mediaPrices } from '../../domain/session/media-prices.js';
import { TOOL_MAPPINGS } from '../../domain/session/trail/extend-trail.js';
import { promptedReviewer } from '../models/prompted-reviewer.js';
import { promptedSummarizer } from '../models/prompted-summarizer.js';
import { newSha256 } from '../system/node-system.js';
import { provideStrategy } from './provide-strategy.js';
import { provide, provideValue } from './token.js';
import { TOKENS } from './tokens.js';

/** What a host brings to sessions. */
export interface SessionParts {
  readonly summarizer: Summarizer | null;
  readonly reviewer: Reviewer | null;
  readonly redact: Redact | null;
}

export function sessionModule({ summarizer, reviewer, redact }: SessionParts): ContainerModule {
  if (summarizer !== null) requireSummarizer(summarizer);
  return new ContainerModule((options) => {
    if (summarizer !== null) provideValue(options, TOKENS.summarise, summarizer);
    else {
      provide(
        options,
        TOKENS.summarise,
        [TOKENS.languageModel, TOKENS.tokenCounter, TOKENS.config],
        (model, tokenCounter, { model: { windowTokens } = {} }) =>
          model === null
            ? null
            : promptedSummarizer(model, {
                tokenCounter,
                ...(windowTokens !== undefined && { windowTokens }),
              }),
      );
    }
    if (reviewer !== null) provideValue(options, TOKENS.reviewSummary, reviewer);
    else {
      provide(
        options,
        TOKENS.reviewSummary,
        [TOKENS.languageModel, TOKENS.tokenCounter],
        (model, tokenCounter) =>
          model === null ? null : promptedReviewer(model, { tokenCounter }),
      );
    }
    provideValue(options, TOKENS.redact, redact);
    provideValue(options, TOKENS.mediaPrices, mediaPrices);
    provideValue(options, TOKENS.toolMappings, TOOL_MAPPINGS);
    provide(
      options,
      TOKENS.ingestion,
      [
        TOKENS.repositories,
        TOKENS.unitOfWork,
        TOKENS.tokenCounter,
        TOKENS.mediaPrices,
        TOKENS.toolMappings,
        TOKENS.digest,
        TOKENS.clock,
        TOKENS.newId,
        TOKENS.logger,
        TOKENS.config,
        TOKENS.capsules,
        TOKENS.sessionSummaries,
        TOKENS.redact,
      ],
      (
        repositories,
        unitOfWork,
        tokenCounter,
        prices,
        mappings,
        digest,
        clock,
        newId,
        log,
        { maxAttachmentBytes },
        capsules,
        summaries,
        redaction,
      ) =>
        new TranscriptIngestionService({
          repositories,
          unitOfWork,
          tokenCounter,
          mediaPrices: prices,
          mappings,
          digest,
          clock,
          newId,
          log,
          maxAttachmentBytes,
          capsules,
          summaries,
          redact: redaction,
          newByteDigest: newSha256,
        }),
    );
    provide(
      options,
      TOKENS.sessionTrails,
      [
        TOKENS.repositories,
        TOKENS.unitOfWork,
        TOKENS.toolMappings,
        TOKENS.tokenCounter,
        TOKENS.digest,
        TOKENS.logger,
      ],
      (...needs) => new ArtifactTrailService(...needs),
    );
    provideStrategy(
      options,
      [TOKENS.repositories, TOKENS.tokenCounter],
      (...needs) => new SessionSummaryStrategy(...needs),
    );
    provideStrategy(
      options,
      [TOKENS.sessionRepository, TOKENS.trailRepository, TOKENS.tokenCounter],
      (...needs) => new ArtifactTrailStrategy(...needs),
    );
    provide(
      options,
      TOKENS.storedSessions,
      [TOKENS.sessionRepository, TOKENS.logger],
      (sessions, log) => new SessionService(sessions, log),
    );
    provide(
      options,
      TOKENS.sessionSummaries,
      [
        TOKENS.repositories,
        TOKENS.unitOfWork,
        TOKENS.tokenCounter,
        TOKENS.digest,
        TOKENS.clock,
        TOKENS.newId,
        TOKENS.logger,
        TOKENS.startTimer,
        TOKENS.summarise,
        TOKENS.reviewSummary,
        TOKENS.redact,
      ],
      (
        repositories,
        unitOfWork,
        tokenCounter,
        digest,
        clock,
        newId,
        log,
        startTimer,
        given,
        review,
        redaction,
      ) =>
        new SessionSummaryService({
          repositories,
          unitOfWork,
          tokenCounter,
          digest,
          clock,
          newId,
          log,
          startTimer,
          summarizer: given,
          reviewer: review,
          redact: redaction,
        }),
    );
    provide(
      options,
      TOKENS.capsules,
      [
        TOKENS.repositories,
        TOKENS.unitOfWork,
        TOKENS.tokenCounter,
        TOKENS.digest,
        TOKENS.clock,
        TOKENS.newId,
        TOKENS.logger,
      ],
      (repositories, unitOfWork, tokenCounter, digest, clock, newId, log) =>
        new CapsuleService({
          repositories,
          unitOfWork,
          tokenCounter,
          digest,
          clock,
          newId,
          log,
        }),
    );
    provide(
      options,
      TOKENS.sessionExports,
      [TOKENS.repositories, TOKENS.tokenCounter, TOKENS.logger, TOKENS.clock],
      (...needs) => new SessionExportService(...needs),
    );
    provide(
      options,
      TOKENS.tokenAccounts,
      [TOKENS.repositories, TOKENS.logger],
      (...needs) => new TokenAccountService(...needs),
    );
  });
}
