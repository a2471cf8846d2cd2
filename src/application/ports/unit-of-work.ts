/**
 * The unit of work hands over repositories that are bound to one transaction. It commits when the
 * work returns and rolls back when it throws: all is written, or nothing is.
 */
import type {
  ContextPolicyRepository,
  FragmentRepository,
  ProjectRepository,
} from '../../domain/context/repositories.js';
import type {
  CompressionRecordRepository,
  DecisionRepository,
  PlanRepository,
  SpawnRepository,
} from '../../domain/plan/repositories.js';
import type { CapsuleRepository } from '../../domain/session/stored-capsule.js';
import type { EvaluationRepository } from '../../domain/evaluation/repositories.js';
import type { SessionRepository, TrailRepository } from '../../domain/session/repositories.js';
import type { SummaryRepository } from '../../domain/session/summary/summary-repository.js';
import type { WorkflowRepository } from '../../domain/workflow/repositories.js';

export interface Repositories {
  readonly projects: ProjectRepository;
  readonly policies: ContextPolicyRepository;
  readonly fragments: FragmentRepository;
  readonly plans: PlanRepository;
  readonly spawns: SpawnRepository;
  readonly decisions: DecisionRepository;
  readonly records: CompressionRecordRepository;
  readonly sessions: SessionRepository;
  readonly trails: TrailRepository;
  readonly summaries: SummaryRepository;
  readonly capsules: CapsuleRepository;
  readonly workflows: WorkflowRepository;
  readonly evaluations: EvaluationRepository;
}

/**
 * Runs the work in one transaction. Writes of one work may be asked for at once; they are carried out in
 * the order asked. The type parameter says what a recipe may touch. No model is
 * called inside. A serialization failure or deadlock of the store is STALE: run the whole recipe again.
 */
export type UnitOfWork<Names extends keyof Repositories = keyof Repositories> = <Result>(
  work: (repositories: Pick<Repositories, Names>) => Promise<Result>,
) => Promise<Result>;
