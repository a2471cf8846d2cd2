/** Everything of ours that stands on a DataSource: repositories, transactions, migrations. */
import type { DataSource, EntityManager } from 'typeorm';
import type { Repositories, UnitOfWork } from '../../../application/ports/unit-of-work.js';
import { Migrator } from './migrator.js';
import type { Sql } from './sql.js';
import { exportStore, importStore, type TransferSummary } from './store-transfer.js';
import { typeormCapsules } from './typeorm-capsules.js';
import { typeormDecisions } from './typeorm-decisions.js';
import { typeormFragments } from './typeorm-fragments.js';
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

export interface TypeormStore {
  readonly repositories: Repositories;
  readonly unitOfWork: UnitOfWork;
  readonly administration: StoreAdministration;
  /** The same store inside the host's open transaction. */
  within(manager: EntityManager): {
    readonly repositories: Repositories;
    readonly unitOfWork: UnitOfWork;
  };
}

export function createTypeormStore(dataSource: DataSource, schema: string): TypeormStore {
  const bind = bindRepositories(schema);
  const reach = ({ sql, unitOfWork }: Transactions) => ({ repositories: bind(sql), unitOfWork });
  return {
    ...reach(pooledTransactions(dataSource, bind)),
    administration: {
      migrator: new Migrator(dataSource, schema),
      exportStore: (write) => exportStore(dataSource, schema, write),
      importStore: (lines) => importStore(dataSource, schema, lines),
    },
    within: (manager) => reach(joinedTransactions(manager, bind)),
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
  });
}
