/**
 * Importing: fragments and decisions from outside become a plan's own context, in one transaction.
 * What the plan already knows adds nothing; what contradicts it stops the import.
 */
import { OssatureError } from '../../domain/kernel/errors.js';
import { parsePlanId } from '../../domain/kernel/ids.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { Logger } from '../ports/logger.js';
import type { Clock } from '../ports/system.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { BATCH_SIZE, type ImportReceipt, ImportRun, type OnInvalid } from './import-run.js';
import type { IncomingItem } from './incoming-material.js';

export class ContextImportService {
  constructor(
    private readonly unitOfWork: UnitOfWork<'plans' | 'fragments' | 'decisions'>,
    private readonly tokenCounter: TokenCounter,
    private readonly digest: Digest,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /**
   * Imports everything, but for what `onInvalid` leaves out, or nothing.
   *
   * @param onProgress called now and then with the fragments read so far.
   * @param onInvalid asked about every fragment that breaks a rule of its own, of the plan or of the
   *   store; left out, the first one stops the import.
   * @throws OssatureError INVALID_FRAGMENT, DUPLICATE_FRAGMENT (naming the plan that holds the other
   * fragment), NOT_FOUND; whatever the source throws passes through.
   */
  async import(
    planId: string,
    source: AsyncIterable<IncomingItem> | Iterable<IncomingItem>,
    onProgress: (fragmentsRead: number) => void = () => {},
    onInvalid: OnInvalid = () => false,
  ): Promise<ImportReceipt> {
    const id = parsePlanId(planId);
    requireIterable(source);
    const receipt = await this.unitOfWork(async (repositories) => {
      const measures = {
        tokenCounter: this.tokenCounter,
        digest: this.digest,
        now: this.clock(),
      };
      const run = await ImportRun.start(repositories, id, measures, onInvalid);
      for await (const incoming of source) {
        await run.take(incoming);
        if (run.fragmentsRead % BATCH_SIZE === 0) onProgress(run.fragmentsRead);
      }
      return run.finish();
    });
    this.log.info('context.imported', { ...receipt });
    return receipt;
  }
}

function requireIterable(source: unknown): void {
  const isIterable =
    typeof source === 'object' &&
    source !== null &&
    (Symbol.asyncIterator in source || Symbol.iterator in source);
  if (isIterable) return;
  throw new OssatureError('INVALID_INPUT', 'An import needs an iterable of items.', {
    details: { field: 'source' },
  });
}
