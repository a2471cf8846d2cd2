/** What recipes of lessons need. */
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import {
  type LessonSettingsInput,
  parseLessonSettings,
  type ResolvedLessonSettings,
  resolveLessonSettings,
} from '../../domain/lessons/lesson-settings.js';
import { ledgerOf, type SplitBody } from '../../domain/lessons/split-claims.js';
import type { Claim } from '../../domain/lessons/claim.js';
import { redactLesson } from '../../domain/lessons/lesson-shapes.js';
import { NO_REDACTION, type Redact } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import type { Logger } from '../ports/logger.js';
import type { Clock, NewId } from '../ports/system.js';
import type { StartTimer } from '../ports/timer.js';
import type { LessonLock, LessonRepositories, LessonUnitOfWork } from './lesson-store.js';
import type { LessonModels } from './ports.js';

export interface LessonNeeds {
  readonly repositories: LessonRepositories;
  readonly unitOfWork: LessonUnitOfWork;
  readonly lock: LessonLock;
  readonly models: LessonModels;
  readonly tokenCounter: TokenCounter;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly redact: Redact;
  readonly startTimer: StartTimer;
  readonly splitBody: SplitBody;
  readonly log: Logger;
  /** Overrides of the host's configuration and of its environment. */
  readonly hostSettings: LessonSettingsInput;
  readonly environmentSettings: LessonSettingsInput;
  /** Names this process in attempts. */
  readonly worker: string;
}

/** The settings in force: call → project's stored overrides → environment → host → default. */
export async function settingsFor(
  needs: LessonNeeds,
  projectId: string | null,
  call: LessonSettingsInput | undefined,
): Promise<ResolvedLessonSettings> {
  const given = call === undefined ? {} : parseLessonSettings(call);
  return resolveLessonSettings([
    { origin: 'call', settings: given },
    { origin: 'project', settings: await needs.repositories.lessonPolicies.get(projectId) },
    { origin: 'environment', settings: needs.environmentSettings },
    { origin: 'host', settings: needs.hostSettings },
  ]);
}

/** The way in for every text: repaired, then redacted unless the host switched that off. */
export function cleanerOf(needs: LessonNeeds, isRedacting: boolean): TextCleaner {
  return new TextCleaner(isRedacting ? redactLesson(needs.redact) : NO_REDACTION);
}

export function claimsIn(needs: LessonNeeds, body: string): readonly Claim[] {
  return ledgerOf(body, needs.digest, needs.splitBody);
}

/** Model ports that the work cannot do without. @throws OssatureError MODEL_UNAVAILABLE. */
export function requireModels<Name extends keyof LessonModels>(
  { models }: LessonNeeds,
  names: readonly Name[],
): { readonly [Key in Name]: NonNullable<LessonModels[Key]> } {
  const missing = names.find((name) => models[name] === null);
  if (missing === undefined) {
    return models as { readonly [Key in Name]: NonNullable<LessonModels[Key]> };
  }
  throw new OssatureError(
    'MODEL_UNAVAILABLE',
    `This needs a model (${missing}) and none is bound. Hand one over, or set OSSATURE_MODEL; nothing was written.`,
    { details: { reason: 'not-set', port: missing } },
  );
}
