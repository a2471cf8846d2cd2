/** Everything of ours that stands on a DataSource: repositories, transactions, migrations. */
import type { DataSource, EntityManager } from 'typeorm';
import type {
  LessonLock,
  LessonRepositories,
  LessonUnitOfWork,
} from '../../../application/lessons/lesson-store.js';
import type { Repositories, UnitOfWork } from '../../../application/ports/unit-of-work.js';
import { Migrator } from './migrator.js';
import { postgresLessonLock } from './postgres-lesson-lock.js';
import type { Sql } from './sql.js';
import { exportStore, importStore, type TransferSummary } from './store-transfer.js';
import { typeormCapsules } from './typeorm-capsules.js';
import { typeormAttempts } from './typeorm-attempts.js';
import { typeormDecisions } from './typeorm-decisions.js';
import { typeormDescents, typeormLessonPolicies, typeormServings } from './typeorm-descents.js';
import { typeormEpisodes } from './typeorm-episodes.js';
import { typeormEvaluations } from './typeorm-evaluations.js';
import { typeormFragments } from './typeorm-fragments.js';
import { typeormLessons } from './typeorm-lessons.js';
import { typeormPlans } from './typeorm-plans.js';
import { typeormPolicies, typeormProjects } from './typeorm-projects.js';
import { typeormRecords } from './typeorm-records.js';
import { typeormSessions } from './typeorm-sessions.js';
import { typeormSpawns } from './typeorm-spawns.js';
import { typeormSummaries } from './typeorm-summaries.js';
import { typeormTrails } from './typeorm-trails.js';
import { typeormWorkflows } from './typeorm-workflows.js';
import {
  joinedTransactions,
  pooledTransactions,
  type Transactions,
} from './typeorm-unit-of-work.js';

/** What is done to the store as a whole. */
export interface StoreAdministration {
  readonly migrator: Migrator;
  exportStore(write: (line: string) => Promise<void> | void): Promise<TransferSummary>;
  importStore(lines: AsyncIterable<string>): Promise<TransferSummary>;
}

/** Lessons with their own transactions, and the lock that all processes of the database share. */
export interface TypeormLessonStore {
  readonly repositories: LessonRepositories;
  readonly unitOfWork: LessonUnitOfWork;
  readonly lock: LessonLock;
}

export interface TypeormStore {
  readonly repositories: Repositories;
  readonly unitOfWork: UnitOfWork;
  readonly lessons: TypeormLessonStore;
  readonly administration: StoreAdministration;
  /** The same store inside the host's open transaction. */
  within(manager: EntityManager): {
    readonly repositories: Repositories;
    readonly unitOfWork: UnitOfWork;
    readonly lessons: TypeormLessonStore;
  };
}

export function createTypeormStore(dataSource: DataSource, schema: string): TypeormStore {
  const bind = bindRepositories(schema);
  const bindLessons = bindLessonRepositories(schema);
  const lock = postgresLessonLock(dataSource, schema);
  const reach = (
    { sql, unitOfWork }: Transactions<Repositories>,
    ofLessons: Transactions<LessonRepositories>,
  ) => ({
    repositories: bind(sql),
    unitOfWork,
    lessons: {
      repositories: bindLessons(ofLessons.sql),
      unitOfWork: ofLessons.unitOfWork,
      lock,
    },
  });
  return {
    ...reach(pooledTransactions(dataSource, bind), pooledTransactions(dataSource, bindLessons)),
    administration: {
      migrator: new Migrator(dataSource, schema),
      exportStore: (write) => exportStore(dataSource, schema, write),
      importStore: (lines) => importStore(dataSource, schema, lines),
    },
    within: (manager) =>
      reach(joinedTransactions(manager, bind), joinedTransactions(manager, bindLessons)),
  };
}

/** Statements are written once for a schema and bound to a connection for each piece of work. */
function bindRepositories(schema: string): (sql: Sql) => Repositories {
  const projects = typeormProjects(schema);
  const policies = typeormPolicies(schema);
  const fragments = typeormFragments(schema);
  const plans = typeormPlans(schema);
  const spawns = typeormSpawns(schema);
  const decisions = typeormDecisions(schema);
  const records = typeormRecords(schema);
  const sessions = typeormSessions(schema);
  const trails = typeormTrails(schema);
  const summaries = typeormSummaries(schema);
  const capsules = typeormCapsules(schema);
  const workflows = typeormWorkflows(schema);
  const evaluations = typeormEvaluations(schema);
  return (sql) => ({
    projects: projects(sql),
    policies: policies(sql),
    fragments: fragments(sql),
    plans: plans(sql),
    spawns: spawns(sql),
    decisions: decisions(sql),
    records: records(sql),
    sessions: sessions(sql),
    trails: trails(sql),
    summaries: summaries(sql),
    capsules: capsules(sql),
    workflows: workflows(sql),
    evaluations: evaluations(sql),
  });
}

function bindLessonRepositories(schema: string): (sql: Sql) => LessonRepositories {
  const lessons = typeormLessons(schema);
  const episodes = typeormEpisodes(schema);
  const attempts = typeormAttempts(schema);
  const descents = typeormDescents(schema);
  const servings = typeormServings(schema);
  const lessonPolicies = typeormLessonPolicies(schema);
  return (sql) => ({
    lessons: lessons(sql),
    episodes: episodes(sql),
    attempts: attempts(sql),
    descents: descents(sql),
    servings: servings(sql),
    lessonPolicies: lessonPolicies(sql),
  });
}
