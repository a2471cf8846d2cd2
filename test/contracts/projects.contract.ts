/** What every ProjectRepository and ContextPolicyRepository promises. */
import { deepEqual, equal } from 'node:assert/strict';
import { type Contract, failsWith } from './contract.js';
import { aProject, HARD_TEXTS, LATER, newProjectId, NOW, ratioOf } from './sample-values.js';

export const PROJECTS_CONTRACT: Contract = {
  port: 'ProjectRepository',
  rules: [
    {
      rule: 'a project comes back as it was inserted, by id and by name',
      async check({ repositories: { projects } }) {
        for (const text of Object.values(HARD_TEXTS)) {
          const project = aProject();
          const named = { ...project, name: `${project.name} ${text.slice(0, 500)}` };
          await projects.insert(named);
          deepEqual(await projects.get(named.projectId), named);
          deepEqual(await projects.findByName(named.name), named);
        }
      },
    },
    {
      rule: 'an unknown id is NOT_FOUND, an unknown name is null',
      async check({ repositories: { projects } }) {
        await failsWith('NOT_FOUND', () => projects.get(newProjectId()));
        equal(await projects.findByName(`no such ${newProjectId()}`), null);
      },
    },
    {
      rule: 'a name is taken once; another case is another name',
      async check({ repositories: { projects } }) {
        const first = aProject();
        await projects.insert(first);
        await failsWith('ALREADY_EXISTS', () => projects.insert(aProject({ name: first.name })));
        await projects.insert(aProject({ name: first.name.toUpperCase() }));
        deepEqual(await projects.findByName(first.name), first);
      },
    },
    {
      rule: 'an id is taken once, and the first project stays as it was',
      async check({ repositories: { projects } }) {
        const first = aProject();
        await projects.insert(first);
        await failsWith('STORE_FAILED', () =>
          projects.insert(aProject({ projectId: first.projectId })),
        );
        deepEqual(await projects.get(first.projectId), first);
      },
    },
    {
      rule: 'projects are listed by name, in code-unit order',
      async check({ repositories: { projects } }) {
        const prefix = newProjectId();
        for (const name of ['b', 'B', 'ä', 'a b', 'a', 'a-b', 'Z', '10', '9']) {
          await projects.insert(aProject({ name: `${prefix}${name}` }));
        }
        const names = (await projects.list()).map(({ name }) => name);
        deepEqual(
          names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
          ['10', '9', 'B', 'Z', 'a', 'a b', 'a-b', 'b', 'ä'],
        );
      },
    },
  ],
};

export const POLICIES_CONTRACT: Contract = {
  port: 'ContextPolicyRepository',
  rules: [
    {
      rule: 'a project without settings has an empty policy, an unknown project too',
      async check({ repositories: { projects, policies } }) {
        const project = aProject();
        await projects.insert(project);
        for (const projectId of [project.projectId, newProjectId()]) {
          deepEqual(await policies.get(projectId), { projectId, skeletonRatios: {} });
        }
      },
    },
    {
      rule: 'each view is set, set again and cleared by itself, of one project only',
      async check({ repositories: { projects, policies } }) {
        const [project, other] = [aProject(), aProject()];
        const { projectId } = project;
        await projects.insert(project);
        await projects.insert(other);
        await policies.setSkeletonRatio(projectId, 'default', ratioOf(0.1), NOW);
        await policies.setSkeletonRatio(projectId, 'apply', ratioOf(5e-324), NOW);
        await policies.setSkeletonRatio(projectId, 'execute', ratioOf(0), NOW);
        await policies.setSkeletonRatio(projectId, 'strategize', ratioOf(1), NOW);
        await policies.setSkeletonRatio(projectId, 'default', ratioOf(0.3), LATER);
        deepEqual((await policies.get(projectId)).skeletonRatios, {
          default: 0.3,
          strategize: 1,
          execute: 0,
          apply: 5e-324,
        });
        await policies.setSkeletonRatio(projectId, 'execute', null, LATER);
        await policies.setSkeletonRatio(projectId, 'execute', null, LATER);
        deepEqual((await policies.get(projectId)).skeletonRatios, {
          default: 0.3,
          strategize: 1,
          apply: 5e-324,
        });
        deepEqual((await policies.get(other.projectId)).skeletonRatios, {});
      },
    },
    {
      rule: 'setting or clearing for an unknown project is NOT_FOUND',
      async check({ repositories: { policies } }) {
        for (const ratio of [ratioOf(0.5), null]) {
          await failsWith('NOT_FOUND', () =>
            policies.setSkeletonRatio(newProjectId(), 'default', ratio, NOW),
          );
        }
      },
    },
  ],
};
