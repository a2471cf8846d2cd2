/** The work of `agents lesson repair`: claims folded back for good. */
import type { Repair } from '../../../domain/lessons/evidence.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { Block, CommandResult } from '../view.js';
import { shortPrint, sizeChange } from './lesson-facts.js';
import { lessonOf, namedScope, type ScopeOptions } from './lesson-names.js';

export interface RepairOptions extends ScopeOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

export async function repairLessons(
  terminal: Terminal,
  name: string | undefined,
  options: RepairOptions,
): Promise<CommandResult> {
  const { all = false } = options;
  if (name !== undefined && all) throw new UsageError('Give LESSON or --all, not both.');
  // Without either it tells what is due, and leaves it.
  const dryRun = options.dryRun === true || (name === undefined && !all);
  return withCore(terminal, async (core) => {
    const { repair } = core.lessons;
    const projectId = await namedScope(core, options);
    const repairs =
      name === undefined
        ? await repair.repairDue({ dryRun, ...(projectId === undefined ? {} : { projectId }) })
        : await repair.repair(await lessonOf(core, name), { dryRun });
    const title = dryRun ? 'Due for repair' : 'Repaired';
    return {
      data: { dryRun, repairs: repairs.map(repairFacts) },
      view: [repairTable(repairs, title, 'No claim is due: nothing changed.')],
      messages:
        dryRun && repairs.length > 0 ? [{ level: 'info', text: 'Nothing was written.' }] : [],
    };
  });
}

export function repairFacts({ holderId, ...repair }: Repair) {
  return { ...repair, holder: holderId };
}

export function repairTable(repairs: readonly Repair[], title: string, none: string): Block {
  return {
    block: 'table',
    title,
    isPart: none === '',
    columns: [
      { title: 'lesson_id' },
      { title: 'claim', isElastic: true },
      { title: 'tokens' },
      { title: 'body' },
      { title: 'level' },
    ],
    rows: repairs.map((repair) => [
      repair.lessonId,
      `${shortPrint(repair.fingerprint)} ${repair.claim}`,
      sizeChange(repair.tokensBefore, repair.tokensAfter),
      repair.appended ? 'appended' : 'said it already',
      repair.retired ? 'retired' : 'stays',
    ]),
    none,
  };
}
