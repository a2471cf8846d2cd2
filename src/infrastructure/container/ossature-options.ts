/** What a host may bring, and what holds where it brings nothing. */
import type { ContainerModule } from 'inversify';
import type { ContextStrategy } from '../../application/assembly/context-strategy.js';
import type { ScopedStages } from '../../application/assembly/stage-overrides.js';
import type { Embed } from '../../application/plan/semantic-strategy.js';
import type { HostArms } from '../../application/evaluation/ports.js';
import type { Logger } from '../../application/ports/logger.js';
import type { Clock, NewId } from '../../application/ports/system.js';
import type { Repositories } from '../../application/ports/unit-of-work.js';
import type { Reviewer } from '../../application/session/review-summary.js';
import type { Summarizer } from '../../application/session/summarise.js';
import type { DraftPhase } from '../../application/workflow/draft-phase.js';
import type { AssemblySettings } from '../../domain/assembly/assembly-request.js';
import type { AssemblyStages, BudgetCompressor } from '../../domain/assembly/assembly-stages.js';
import type { Redact } from '../../domain/redaction/redact.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { FragmentScorer } from '../../domain/relevance/score-relevance.js';
import type { OssatureConfigInput } from '../config/config.js';
import type { LanguageModel } from '../models/language-model.js';
import type { LessonOptions } from './lessons-module.js';
import type { StoreChoice } from './open-store.js';

export interface OssatureOptions {
  readonly store: StoreChoice;
  readonly config?: OssatureConfigInput;
  /** Left out: silence. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly newId?: NewId;
  /** Left out: exact o200k_base. */
  readonly tokenCounter?: TokenCounter;
  /** What `relevance: 'goal'` asks. Left out: `scoreRelevance`. */
  readonly fragmentScorer?: FragmentScorer;
  /**
   * Replaces or wraps single repositories. Called with ours for every transaction, and once for the
   * reads outside; what it returns is used in their place.
   */
  readonly repositories?: (ours: Repositories) => Repositories;
  /** Budget, skeleton ratio, compressor, weights and limits of assemblies, where a request says nothing. */
  readonly assembly?: AssemblySettings;
  /** Stages of the assembly pipeline in place of ours, for all plans. */
  readonly stages?: Partial<AssemblyStages>;
  /** The same for single projects and plans; `core.stages` sets them later on. */
  readonly stagesFor?: ScopedStages;
  /** Sources of context beside ours. */
  readonly strategies?: readonly ContextStrategy[];
  /** Vectors of texts. Given, the strategy `semantic` is bound; left out, there is none. */
  readonly embed?: Embed;
  /** Asked wherever a model is needed, in place of `config.model`. Without either there is none. */
  readonly languageModel?: LanguageModel;
  /** Writes the summaries of sessions. Left out: the language model; without one, structure alone. */
  readonly summarizer?: Summarizer;
  /**
   * Looks over what a summarizer wrote, for sessions whose setting `review` is true; it may refuse what
   * the gate let through. Left out: the language model; without one, no session may ask for it.
   */
  readonly reviewer?: Reviewer;
  /**
   * What every text of sessions and lessons goes through on its way in, where a call brings nothing of
   * its own. Left out: `redactWith`, for a home folder under the key that lies in it, else under a key of
   * this process: bring one under a lasting key to a database, so that equal secrets stay equal. Null:
   * sessions are not redacted, and their receipts say so.
   */
  readonly redact?: Redact | null;
  /** Skeleton compressors by the names that settings and requests may use. */
  readonly compressors?: Readonly<Record<string, BudgetCompressor>>;
  /** Ways to shrink of your own, by the names that comparisons use. */
  readonly evaluationArms?: HostArms;
  /** Settings, models and redaction of lessons. */
  readonly lessons?: LessonOptions;
  /** Drafts the artifacts of workflows. Left out: the language model; without one, people do. */
  readonly draftPhase?: DraftPhase;
  /** Loaded last: `rebind` anything in TOKENS. */
  readonly modules?: readonly ContainerModule[];
  /**
   * `false` opens the store whatever its schema is and leaves it so, for a host that is about to call
   * `migrate()` or `revert()`.
   * Left out: a schema that does not fit is refused; the store of a home folder migrates itself.
   */
  readonly checkSchema?: boolean;
}
