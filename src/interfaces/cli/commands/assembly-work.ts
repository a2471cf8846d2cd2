/** What the commands of an assembly do. */
import type { AssemblyRequestInput } from '../../../domain/assembly/assembly-request.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult } from '../view.js';
import { writePayload } from './assembly-file.js';
import {
  inspectionView,
  messagesOn,
  payloadView,
  simulationView,
  summaryView,
} from './assembly-view.js';

interface BudgetOptions {
  readonly budget?: number;
  readonly reserve?: number;
  readonly skeletonReserve?: number;
  readonly compressor?: string;
}

export interface InspectOptions extends BudgetOptions {
  readonly view: string;
  readonly plan?: string;
}

export interface SimulateOptions extends BudgetOptions {
  readonly query: string;
  readonly plan?: string;
  readonly prefer?: readonly string[];
}

export interface AssembleOptions extends BudgetOptions {
  readonly query?: string;
  readonly prefer?: readonly string[];
  readonly out?: string;
}

export function inspect(
  terminal: Terminal,
  project: string,
  { view, plan, ...budget }: InspectOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const inspection = await core.inspections.inspect({
      project,
      view,
      ...(await planOf(core, plan)),
      ...settingsOf(budget),
    });
    const { payload, spawnRatio, planId } = inspection;
    const { budget: tokens, strategies, totalTokens, budgetUsed } = payload;
    const fragments = payload.fragments.length;
    const skeletonFragments = payload.skeletonFragments.length;
    return {
      data: {
        project: inspection.project.name,
        planId,
        query: payload.query,
        view: inspection.view,
        spawnRatio,
        budget: tokens,
        strategies,
        fragments,
        skeletonFragments,
        excluded: payload.excluded.length,
        totalTokens,
        budgetUsed,
      },
      view: inspectionView(inspection),
      messages: messagesOn(payload),
    };
  });
}

export function simulate(
  terminal: Terminal,
  project: string,
  { query, plan, prefer = [], ...budget }: SimulateOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const simulation = await core.inspections.simulate({
      project,
      query,
      ...(await planOf(core, plan)),
      ...settingsOf(budget),
      preferredStrategies: prefer,
    });
    const { payload, fused, planId } = simulation;
    return {
      data: { project: simulation.project.name, dryRun: true, fused, ...payload, planId },
      view: simulationView(simulation),
      messages: [
        { level: 'info', text: 'A dry run: nothing was written.' },
        ...messagesOn(payload),
      ],
    };
  });
}

export function assemble(
  terminal: Terminal,
  name: string,
  { query, prefer = [], out, ...budget }: AssembleOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { planId } = await core.plans.resolve(name);
    const payload = await core.contexts.assemble({
      planId,
      ...(query === undefined ? {} : { query }),
      preferredStrategies: prefer,
      ...settingsOf(budget),
    });
    if (out === undefined) {
      return { data: payload, view: payloadView(payload), messages: messagesOn(payload) };
    }
    await writePayload(out, payload);
    return {
      data: { ...payload, file: out },
      view: summaryView(payload, out),
      messages: messagesOn(payload),
    };
  });
}

async function planOf(
  core: Ossature,
  name: string | undefined,
): Promise<{ readonly planId?: string }> {
  return name === undefined ? {} : { planId: (await core.plans.resolve(name)).planId };
}

function settingsOf({
  budget,
  reserve,
  skeletonReserve,
  compressor,
}: BudgetOptions): Omit<AssemblyRequestInput, 'planId'> {
  return {
    ...(budget === undefined ? {} : { maxTokens: budget }),
    ...(reserve === undefined ? {} : { reservedTokens: reserve }),
    ...(skeletonReserve === undefined ? {} : { skeletonRatio: skeletonReserve }),
    ...(compressor === undefined ? {} : { compressor }),
  };
}
