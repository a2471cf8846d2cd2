/** `agents project …`: projects and their context policies. */
import type { Command } from 'commander';
import { POLICY_VIEWS } from '../../../domain/context/context-policy.js';
import { defineCommand, parseRatioOption, type Session } from '../define-command.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult } from '../view.js';
import { defineInspectionCommands } from './assembly.js';

interface ContextSetOptions {
  readonly skeletonRatio?: number;
  readonly view?: string;
  readonly unset?: string;
}

export function defineProjectCommands(program: Command, session: Session): void {
  const project = program.command('project').description('projects and their context policies');
  defineCommand(
    project,
    session,
    { usage: 'create <name>', does: 'make a project', example: 'agents project create demo' },
    (terminal, [name = '']) => createProject(terminal, name),
  );
  defineCommand(
    project,
    session,
    { usage: 'list', does: 'list the projects by name', example: 'agents project list' },
    listProjects,
  );
  const context = project.command('context').description("a project's context policy");
  defineCommand<ContextSetOptions>(
    context,
    session,
    {
      usage: 'set <name>',
      does: 'set or clear the share of tokens that spawns of this project remove',
      example: 'agents project context set demo --skeleton-ratio 0.5',
      more: 'A view without a ratio of its own falls back: apply → execute → strategize → default.',
    },
    (terminal, [name = ''], options) => setContext(terminal, name, options),
  )
    .option('--skeleton-ratio <ratio>', 'share of tokens to remove, 0 to 1', parseRatioOption)
    .option('--view <view>', `the view to set: ${POLICY_VIEWS.join(', ')}`, 'default')
    .option('--unset <setting>', 'clear a setting: skeleton-ratio');
  defineCommand(
    context,
    session,
    {
      usage: 'show <name>',
      does: 'show every view, each value with where it came from',
      example: 'agents project context show demo',
    },
    (terminal, [name = '']) => showContext(terminal, name),
  );
  defineInspectionCommands(context, session);
}

function createProject(terminal: Terminal, name: string): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const project = await core.projects.create(name);
    return {
      data: project,
      view: [
        {
          block: 'fields',
          title: 'Project created',
          fields: [
            ['name', project.name],
            ['project_id', project.projectId],
          ],
        },
      ],
    };
  });
}

function listProjects(terminal: Terminal): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const projects = await core.projects.list();
    return {
      data: { projects },
      view: [
        {
          block: 'table',
          title: 'Projects',
          columns: [
            { title: 'name', isElastic: true },
            { title: 'project_id' },
            { title: 'created_at' },
          ],
          rows: projects.map(({ name, projectId, createdAt }) => [
            name,
            projectId,
            createdAt.toISOString(),
          ]),
          none: 'There are no projects. Make one with `agents project create NAME`.',
        },
      ],
    };
  });
}

function setContext(
  terminal: Terminal,
  name: string,
  { skeletonRatio, view, unset }: ContextSetOptions,
): Promise<CommandResult> {
  if (unset !== undefined && unset !== 'skeleton-ratio') {
    throw new UsageError(`There is no setting ${JSON.stringify(unset)}; known is skeleton-ratio.`);
  }
  if ((skeletonRatio === undefined) === (unset === undefined)) {
    throw new UsageError('Give either --skeleton-ratio RATIO or --unset skeleton-ratio.');
  }
  return withCore(terminal, async (core) => {
    const change = await core.projects.setSkeletonRatio(name, skeletonRatio ?? null, view);
    const { project, before, after } = change;
    return {
      data: {
        project: project.name,
        projectId: project.projectId,
        view: change.view,
        setting: 'skeleton_ratio',
        before,
        after,
      },
      view: [
        {
          block: 'fields',
          title: 'Context policy',
          fields: [
            ['project', project.name],
            ['view', change.view],
            ['skeleton_ratio before', before === null ? 'not set' : String(before)],
            ['skeleton_ratio after', after === null ? 'not set' : String(after)],
          ],
        },
      ],
    };
  });
}

function showContext(terminal: Terminal, name: string): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { project, views } = await core.projects.explainPolicy(name);
    const rows = POLICY_VIEWS.map((view) => ({
      view,
      skeletonRatio: views[view].ratio,
      setBy: views[view].setBy ?? 'built-in',
    }));
    return {
      data: { project: project.name, projectId: project.projectId, views: rows },
      view: [
        {
          block: 'table',
          title: `Context policy of ${project.name}`,
          columns: [
            { title: 'view' },
            { title: 'skeleton_ratio', align: 'right' },
            { title: 'set_by' },
          ],
          rows: rows.map(({ view, skeletonRatio, setBy }) => [view, String(skeletonRatio), setBy]),
          none: '',
        },
      ],
    };
  });
}
