/** The repositories that recipes of lessons work on, their transactions, and the lock of one lesson. */
import type {
  AttemptRepository,
  DescentRepository,
  EpisodeRepository,
  LessonPolicyRepository,
  LessonRepository,
  ServingRepository,
} from '../../domain/lessons/repositories.js';

export interface LessonRepositories {
  readonly lessons: LessonRepository;
  readonly episodes: EpisodeRepository;
  readonly attempts: AttemptRepository;
  readonly descents: DescentRepository;
  readonly servings: ServingRepository;
  readonly lessonPolicies: LessonPolicyRepository;
}

/** Runs the work in one transaction, as `UnitOfWork` does. No model is called inside. */
export type LessonUnitOfWork = <Result>(
  work: (repositories: LessonRepositories) => Promise<Result>,
) => Promise<Result>;

export type Locked<Result> =
  { readonly held: true; readonly result: Result } | { readonly held: false };

/**
 * Port: runs the work while this process alone holds the lesson. Tried once and never waited for: where
 * another holds it, `held` is false and the work does not run. Given back when the work ends, also by
 * an error or by the end of the process. It holds no transaction.
 */
export type LessonLock = <Result>(
  lessonId: string,
  work: () => Promise<Result>,
) => Promise<Locked<Result>>;

/** All that a store gives to recipes of lessons. */
export interface LessonStore {
  /** For reads outside of a transaction, and for single writes, each a transaction of its own. */
  readonly repositories: LessonRepositories;
  readonly unitOfWork: LessonUnitOfWork;
  readonly lock: LessonLock;
}
