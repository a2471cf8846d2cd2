/** Every repository over maps, with the rules that the database enforces by constraints. */
import type { Repositories } from '../../../application/ports/unit-of-work.js';
import type { CompressionRecord } from '../../../domain/skeleton/compression-record.js';
import { inMemoryCapsules } from './in-memory-capsules.js';
import { inMemoryEvaluations } from './in-memory-evaluations.js';
import { inMemoryFragments } from './in-memory-fragments.js';
import { inMemoryPlans } from './in-memory-plans.js';
import {
  byAge,
  found,
  refusal,
  requireDecision,
  requireNew,
  requirePlan,
} from './in-memory-rules.js';
import { inMemorySessions } from './in-memory-sessions.js';
import { inMemorySpawns } from './in-memory-spawns.js';
import type { State } from './in-memory-state.js';
import { inMemorySummaries } from './in-memory-summaries.js';
import { inMemoryWorkflows } from './in-memory-workflows.js';
import { inMemoryTrails } from './in-memory-trails.js';

/** @param current the state to work on: the committed one, or the copy of a transaction. */
export function inMemoryRepositories(current: () => State): Repositories {
  const others = {
    plans: inMemoryPlans(current),
    fragments: inMemoryFragments(current),
    sessions: inMemorySessions(current),
    trails: inMemoryTrails(current),
    summaries: inMemorySummaries(current),
    capsules: inMemoryCapsules(current),
    workflows: inMemoryWorkflows(current),
    evaluations: inMemoryEvaluations(current),
    projects: {
      async insert(project) {
        const { projects } = current();
        if ([...projects.values()].some(({ name }) => name === project.name)) {
          throw refusal(
            'ALREADY_EXISTS',
            `There is already a project ${JSON.stringify(project.name)}.`,
          );
        }
        requireNew(projects, project.projectId);
        projects.set(project.projectId, project);
      },
      findByName: async (name) =>
        [...current().projects.values()].find((project) => project.name === name) ?? null,
      get: async (projectId) =>
        found(current().projects.get(projectId), `There is no project ${projectId}.`),
      list: async () => [...current().projects.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    },
    policies: {
      get: async (projectId) =>
        current().policies.get(projectId) ?? { projectId, skeletonRatios: {} },
      async setSkeletonRatio(projectId, view, ratio) {
        const { policies, projects } = current();
        if (!projects.has(projectId)) {
          throw refusal('NOT_FOUND', `There is no project ${projectId}.`);
        }
        const { [view]: _replaced, ...others } = policies.get(projectId)?.skeletonRatios ?? {};
        const skeletonRatios = ratio === null ? others : { ...others, [view]: ratio };
        policies.set(projectId, { projectId, skeletonRatios });
      },
    },
    decisions: {
      async insert(decisions) {
        const state = current();
        for (const decision of decisions) {
          if (state.decisions.has(decision.decisionId)) {
            throw refusal('ALREADY_EXISTS', 'A decision of this id is already stored.');
          }
          requirePlan(state, decision.planId);
          state.decisions.set(decision.decisionId, decision);
        }
        // Only now: the parent may stand behind its child in the same list.
        for (const { parentDecisionId } of decisions) requireDecision(state, parentDecisionId);
      },
      get: async (decisionId) =>
        found(current().decisions.get(decisionId), `There is no decision ${decisionId}.`),
      findMany: async (decisionIds) =>
        [...new Set(decisionIds)].flatMap((id) => current().decisions.get(id) ?? []),
      listByPlan: async (planId) =>
        [...current().decisions.values()]
          .filter((decision) => decision.planId === planId)
          .sort(byAge(({ decisionId }) => decisionId)),
      async markSuperseded(decisionId, by) {
        const { decisions } = current();
        const decision = found(decisions.get(decisionId), `There is no decision ${decisionId}.`);
        found(decisions.get(by), `There is no decision ${by}.`);
        decisions.set(decisionId, { ...decision, supersededBy: by });
      },
    },
    records: {
      async insert(record) {
        const state = current();
        requirePlan(state, record.childPlanId);
        requirePlan(state, record.parentPlanId);
        const isTaken = (other: CompressionRecord): boolean =>
          other.recordId === record.recordId ||
          (record.pass === 'spawn' &&
            other.pass === 'spawn' &&
            other.childPlanId === record.childPlanId);
        if (state.records.some(isTaken)) {
          throw refusal('STORE_FAILED', `Plan ${record.childPlanId} has a record of this pass.`);
        }
        state.records.push(record);
      },
      listByChild: async (childPlanId) =>
        current()
          .records.filter((record) => record.childPlanId === childPlanId)
          .sort(byAge(({ recordId }) => recordId)),
    },
  } satisfies Omit<Repositories, 'spawns'>;
  return { ...others, spawns: inMemorySpawns(current, others) };
}
