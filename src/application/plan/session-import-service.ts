/**
 * A transcript becomes a session of the store and context of a plan: first its entries and its trail,
 * then, from what is stored, decisions and fragments. So it does not matter how often, or by which
 * way, a transcript comes in.
 *
 *   source → session, batch by batch ─→ capsule of the plan pinned
 *               └→ stored entries → decisions, fragments: all or nothing
 */
import { OssatureError } from '../../domain/kernel/errors.js';
import { parsePlanId, type PlanId } from '../../domain/kernel/ids.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import { NO_REDACTION, type Redact } from '../../domain/redaction/redact.js';
import type { MaterialChoice } from '../../domain/session/plan-material.js';
import type { Session } from '../../domain/session/session.js';
import type { Logger } from '../ports/logger.js';
import type { Clock } from '../ports/system.js';
import type { Repositories, UnitOfWork } from '../ports/unit-of-work.js';
import type { CapsuleService } from '../session/capsule-service.js';
import { type IngestionReceipt, mainReceipts } from '../session/ingestion-receipt.js';
import { readPlanMaterial } from '../session/read-plan-material.js';
import { readStoredMaterial } from '../session/read-stored-material.js';
import type { IngestionRequest } from '../session/ingestion-request.js';
import type { TranscriptIngestionService } from '../session/transcript-ingestion-service.js';
import { type ImportReceipt, ImportRun, type OnInvalid } from './import-run.js';
import type { IncomingFragment, IncomingItem } from './incoming-material.js';
import { MaterialTally, type SessionMaterialReceipt } from './session-material-receipt.js';
import { sessionItems } from './session-items.js';

export interface SessionImportParts {
  readonly repositories: Pick<Repositories, 'plans' | 'sessions' | 'decisions'>;
  readonly unitOfWork: UnitOfWork<'plans' | 'fragments' | 'decisions' | 'sessions'>;
  readonly ingestion: Pick<TranscriptIngestionService, 'import'>;
  readonly capsules: Pick<CapsuleService, 'takeOver'>;
  readonly tokenCounter: TokenCounter;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of requests that bring none; null: nothing is redacted. */
  readonly redact: Redact | null;
  /** What of sessions becomes fragments where a request does not say. */
  readonly choice: MaterialChoice;
}

export type SessionImportRequest = Omit<IngestionRequest, 'planId'> & MaterialChoice;

export interface ImportedSessions {
  /** One a session of the source, as of an import without a plan. */
  readonly receipts: readonly IngestionReceipt[];
  /** What the plan got, of all sessions of the source. */
  readonly material: SessionMaterialReceipt;
}

type Bound = Pick<Repositories, 'plans' | 'fragments' | 'decisions' | 'sessions'>;

/** Digits of the digest that tells a grown unit from what it was. */
const MARK_DIGITS = 8;

/** Tokens in which head, tail and handle of a long unit find room. */
const LEAST_TOKENS = 100;

export class SessionImportService {
  constructor(private readonly parts: SessionImportParts) {}

  /**
   * Stores the sessions of a source and makes them context of the plan. The same source again adds
   * nothing; one that has grown adds what is new. On a dry run the material is what the source holds.
   *
   * @throws OssatureError NOT_FOUND, INVALID_TRANSCRIPT, what the store throws. What was stored before
   * is a valid beginning, which the next import completes.
   */
  async import(
    planId: string,
    { maxFragmentTokens, thinking, ...request }: SessionImportRequest,
  ): Promise<ImportedSessions> {
    const id = parsePlanId(planId);
    const choice = { ...this.parts.choice, ...chosen(maxFragmentTokens, thinking) };
    await this.parts.repositories.plans.get(id);
    const receipts = await this.parts.ingestion.import({ ...request, planId: id });
    if (request.dryRun === true)
      return { receipts, material: await this.#look(id, request, choice) };
    const tally = new MaterialTally();
    for (const { sessionId } of mainReceipts(receipts)) {
      if (sessionId === null) continue;
      const session = await this.#adopt(id, { tenantId: request.tenantId, sessionId });
      await this.#bring(id, session, tally, choice);
    }
    this.parts.log.info('sessions.brought', { planId: id, ...tally.receipt() });
    return { receipts, material: tally.receipt() };
  }

  /** A session that came in without a plan serves this one from now on. */
  async #adopt(planId: PlanId, key: Pick<Session, 'tenantId' | 'sessionId'>): Promise<Session> {
    const { sessions } = this.parts.repositories;
    const session = await sessions.get(key);
    if (session.planId !== null) return session;
    await sessions.setPlan(session, planId);
    const adopted = { ...session, planId };
    await this.parts.capsules.takeOver(adopted);
    return adopted;
  }

  async #bring(
    planId: PlanId,
    session: Session,
    tally: MaterialTally,
    choice: MaterialChoice,
  ): Promise<void> {
    await this.parts
      .unitOfWork(async (bound) => {
        const planHasPrompt = await hasPrompt(bound, planId);
        const { tokenCounter: counter, digest } = this.parts;
        const stored = {
          sessions: bound.sessions,
          session,
          planId,
          planHasPrompt,
          counter,
          digest,
          choice,
        };
        const { items, material } = readStoredMaterial(stored);
        const grown: IncomingFragment[] = [];
        const read = { decisions: 0, fragments: 0 };
        const receipt = await this.#run(
          bound,
          planId,
          counted(sessionItems(items, counter), read),
          (error, fragment) => {
            if (!OssatureError.is(error, 'DUPLICATE_FRAGMENT')) return false;
            grown.push(fragment);
            return true;
          },
        );
        const regrown = grown.map((fragment) => this.#underNewId(fragment));
        const second =
          regrown.length === 0 ? null : await this.#run(bound, planId, regrown, () => false);
        return { receipt, second, material, read, grown: grown.length };
      })
      .then((written) => tally.add(written));
  }

  async #run(
    bound: Bound,
    planId: PlanId,
    items: AsyncIterable<IncomingItem> | Iterable<IncomingItem>,
    onInvalid: OnInvalid,
  ): Promise<ImportReceipt> {
    const { tokenCounter, digest, clock } = this.parts;
    const measures = { tokenCounter, digest, now: clock() };
    const run = await ImportRun.start(bound, planId, measures, onInvalid);
    for await (const item of items) await run.take(item);
    return run.finish();
  }

  /**
   * Fragments never change. The last unit of a source that was still growing is one that has been made
   * too early: it stays, and the whole unit comes under an id of its own.
   */
  #underNewId(fragment: IncomingFragment): IncomingItem {
    const mark = this.parts.digest(fragment.content).slice(0, MARK_DIGITS);
    return {
      item: 'fragment',
      fragment: { ...fragment, fragmentId: `${fragment.fragmentId}:${mark}` },
    };
  }

  async #look(
    planId: PlanId,
    { source, reader, redact = this.parts.redact }: Omit<IngestionRequest, 'planId'>,
    choice: MaterialChoice,
  ): Promise<SessionMaterialReceipt> {
    const { tokenCounter: counter, digest, repositories } = this.parts;
    const planHasPrompt = await hasPrompt(repositories, planId);
    const reading = readPlanMaterial({
      source,
      reader,
      digest,
      counter,
      redact: redact ?? NO_REDACTION,
      planId,
      planHasPrompt,
      choice,
    });
    let tokens = 0;
    for await (const item of reading.items) {
      if (item.item === 'fragment') tokens += item.fragment.tokenCount;
    }
    const { decisions, fragments, leftOut, incomplete, shortened } = reading.receipt();
    return {
      decisionsAdded: decisions,
      fragmentsAdded: fragments,
      fragmentsKnown: 0,
      tokensAdded: tokens,
      decisionsRead: decisions,
      fragmentsRead: fragments,
      leftOut,
      incomplete,
      shortened,
      regrown: 0,
    };
  }
}

/** @throws OssatureError INVALID_INPUT where the size is none. */
function chosen(maxFragmentTokens?: number, thinking?: boolean): MaterialChoice {
  if (maxFragmentTokens !== undefined) {
    const isSize = Number.isSafeInteger(maxFragmentTokens) && maxFragmentTokens >= LEAST_TOKENS;
    if (!isSize) {
      throw new OssatureError(
        'INVALID_INPUT',
        `maxFragmentTokens must be a whole number of at least ${LEAST_TOKENS}, got ${maxFragmentTokens}.`,
        { details: { field: 'maxFragmentTokens' } },
      );
    }
  }
  return {
    ...(maxFragmentTokens !== undefined && { maxFragmentTokens }),
    ...(thinking !== undefined && { thinking }),
  };
}

async function hasPrompt(
  { decisions }: Pick<Repositories, 'decisions'>,
  planId: PlanId,
): Promise<boolean> {
  return (await decisions.listByPlan(planId)).some(({ type }) => type === 'prompt_definition');
}

async function* counted(
  items: AsyncIterable<IncomingItem>,
  read: { decisions: number; fragments: number },
): AsyncGenerator<IncomingItem> {
  for await (const item of items) {
    if (item.item === 'decision') read.decisions += 1;
    if (item.item === 'fragment') read.fragments += 1;
    yield item;
  }
}
