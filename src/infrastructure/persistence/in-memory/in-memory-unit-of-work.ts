/**
 * Transactions in memory: one at a time, on a copy, swapped in on success. A write outside of any is
 * one of its own, so that a copy under way cannot overwrite it. For tests and for a first look.
 */
import type { Repositories, UnitOfWork } from '../../../application/ports/unit-of-work.js';
import { inMemoryRepositories } from './in-memory-repositories.js';
import { copyOf, emptyState } from './in-memory-state.js';

export function createInMemoryStore(): {
  readonly repositories: Repositories;
  readonly unitOfWork: UnitOfWork;
} {
  let committed = emptyState();
  let last: Promise<unknown> = Promise.resolve();

  const unitOfWork: UnitOfWork = (work) => {
    const run = last.then(async () => {
      const draft = copyOf(committed);
      const result = await work(inMemoryRepositories(() => draft));
      committed = draft;
      return result;
    });
    last = run.catch(() => {});
    return run;
  };
  return {
    repositories: withWritesInTurn(
      inMemoryRepositories(() => committed),
      unitOfWork,
    ),
    unitOfWork,
  };
}

function withWritesInTurn(committed: Repositories, unitOfWork: UnitOfWork): Repositories {
  const { projects, policies, fragments, plans, spawns, decisions, records } = committed;
  const { sessions, trails, summaries, capsules, workflows, evaluations } = committed;
  return {
    projects: {
      ...projects,
      insert: (...given) => unitOfWork((all) => all.projects.insert(...given)),
    },
    policies: {
      ...policies,
      setSkeletonRatio: (...given) => unitOfWork((all) => all.policies.setSkeletonRatio(...given)),
    },
    fragments: {
      ...fragments,
      add: (...given) => unitOfWork((all) => all.fragments.add(...given)),
    },
    plans: {
      ...plans,
      insert: (...given) => unitOfWork((all) => all.plans.insert(...given)),
      update: (...given) => unitOfWork((all) => all.plans.update(...given)),
      touch: (...given) => unitOfWork((all) => all.plans.touch(...given)),
      touchSubtree: (...given) => unitOfWork((all) => all.plans.touchSubtree(...given)),
    },
    spawns: {
      ...spawns,
      insert: (...given) => unitOfWork((all) => all.spawns.insert(...given)),
    },
    decisions: {
      ...decisions,
      insert: (...given) => unitOfWork((all) => all.decisions.insert(...given)),
      markSuperseded: (...given) => unitOfWork((all) => all.decisions.markSuperseded(...given)),
    },
    records: {
      ...records,
      insert: (...given) => unitOfWork((all) => all.records.insert(...given)),
    },
    sessions: {
      ...sessions,
      insert: (...given) => unitOfWork((all) => all.sessions.insert(...given)),
      append: (...given) => unitOfWork((all) => all.sessions.append(...given)),
      setActive: (...given) => unitOfWork((all) => all.sessions.setActive(...given)),
      setPlan: (...given) => unitOfWork((all) => all.sessions.setPlan(...given)),
      setParent: (...given) => unitOfWork((all) => all.sessions.setParent(...given)),
      addUsage: (...given) => unitOfWork((all) => all.sessions.addUsage(...given)),
      delete: (...given) => unitOfWork((all) => all.sessions.delete(...given)),
    },
    trails: {
      ...trails,
      write: (...given) => unitOfWork((all) => all.trails.write(...given)),
      replace: (...given) => unitOfWork((all) => all.trails.replace(...given)),
    },
    summaries: {
      ...summaries,
      apply: (...given) => unitOfWork((all) => all.summaries.apply(...given)),
      startAttempt: (...given) => unitOfWork((all) => all.summaries.startAttempt(...given)),
      settleAttempt: (...given) => unitOfWork((all) => all.summaries.settleAttempt(...given)),
    },
    capsules: {
      ...capsules,
      insert: (...given) => unitOfWork((all) => all.capsules.insert(...given)),
    },
    evaluations: {
      ...evaluations,
      addProbeSet: (...given) => unitOfWork((all) => all.evaluations.addProbeSet(...given)),
      startRun: (...given) => unitOfWork((all) => all.evaluations.startRun(...given)),
      finishRun: (...given) => unitOfWork((all) => all.evaluations.finishRun(...given)),
      addAnswers: (...given) => unitOfWork((all) => all.evaluations.addAnswers(...given)),
    },
    workflows: {
      ...workflows,
      insert: (...given) => unitOfWork((all) => all.workflows.insert(...given)),
      apply: (...given) => unitOfWork((all) => all.workflows.apply(...given)),
    },
  };
}
