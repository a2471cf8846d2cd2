/** The knowledge world with a lesson about retries: words are tokens, time stands still until it is moved. */
import type { LessonStore } from '../../src/application/lessons/lesson-store.js';
import { LessonCompressionService } from '../../src/application/lessons/lesson-compression-service.js';
import { LessonRecallService } from '../../src/application/lessons/lesson-recall-service.js';
import { LessonRepairService } from '../../src/application/lessons/lesson-repair-service.js';
import { LessonLedgerService } from '../../src/application/lessons/lesson-ledger-service.js';
import type { LessonNeeds } from '../../src/application/lessons/lesson-needs.js';
import type {
  CompressionRequest,
  JudgeRequest,
  LessonModels,
  ReplayRequest,
} from '../../src/application/lessons/ports.js';
import type { LessonChange } from '../../src/domain/lessons/lesson-event.js';
import type { UseRequest } from '../../src/domain/lessons/check-use.js';
import { BASE_RULES, type LessonSettingsInput } from '../../src/domain/lessons/lesson-settings.js';
import type { TokenCounter } from '../../src/domain/kernel/measures.js';
import { redactWith } from '../../src/domain/redaction/redact.js';
import {
  knowledgeAgent,
  knowledgeCompressor,
  knowledgeJudge,
  knowledgeRanker,
  splitByFacts,
} from '../../src/infrastructure/models/knowledge-world.js';
import { sha256 } from '../../src/infrastructure/system/node-system.js';
import { nodeTimer } from '../../src/infrastructure/system/node-timer.js';
import { silentLogger } from '../../src/infrastructure/system/silent-logger.js';

export const BLOCKS = {
  B0: 'Calling flaky remote services: follow these four rules.',
  B1: 'Retry only idempotent calls; writes always need a dedupe key first. @idem',
  B2: 'Space attempts with jittered exponential backoff so clients never synchronise again. @backoff',
  B3: 'Delays are 100ms then 400ms then 1.6s, jitter plus-minus 25 percent. @delays',
  B4: 'The object store may answer 200 with an error document, so always parse the body. @body200',
} as const;

export type BlockName = keyof typeof BLOCKS;

export function bodyOf(...names: readonly BlockName[]): string {
  return names.map((name) => BLOCKS[name]).join('\n\n');
}

/** Facts that the episodes need. */
export const NEEDS = {
  e1: ['@idem'],
  e2: ['@idem', '@backoff'],
  e3: ['@backoff'],
  e4: ['@idem', '@body200'],
  e5: ['@delays'],
} as const;

export type EpisodeName = keyof typeof NEEDS;

export const wordCounter: TokenCounter = {
  name: 'words',
  version: '1',
  count: (text) => text.split(/\s+/).filter(Boolean).length,
};

export interface WorldOptions {
  readonly settings?: LessonSettingsInput;
  readonly models?: Partial<LessonModels>;
  readonly priorFacts?: readonly string[];
  /** Calls of models run out of time after 30 ms. */
  readonly shortTimes?: boolean;
  /** Two worlds of one number give the same ids; left out: a number of its own. */
  readonly number?: number;
}

/** 26 characters of a ULID, ascending; worlds on one store must not share ids. */
let worlds = 0;

export class LessonWorld {
  now = new Date('2026-01-01T00:00:00.000Z');
  readonly asked: CompressionRequest[] = [];
  readonly probed: ReplayRequest[] = [];
  readonly judged: JudgeRequest[] = [];
  readonly needs: LessonNeeds;
  readonly ledger: LessonLedgerService;
  readonly compression: LessonCompressionService;
  readonly recall: LessonRecallService;
  readonly repair: LessonRepairService;
  readonly projectId: string;
  #ids = 0;
  readonly #world: number;

  constructor(
    readonly store: LessonStore,
    { settings = {}, models = {}, priorFacts = [], shortTimes = false, number }: WorldOptions = {},
  ) {
    worlds += 1;
    this.#world = number ?? worlds;
    this.projectId = this.newId();
    const all: LessonModels = {
      propose: knowledgeCompressor(wordCounter),
      replay: knowledgeAgent(priorFacts),
      judge: knowledgeJudge,
      rank: knowledgeRanker,
      audit: null,
      relevance: null,
      ...models,
    };
    this.needs = {
      ...store,
      models: this.#watched(all),
      tokenCounter: wordCounter,
      digest: sha256,
      clock: () => this.now,
      newId: () => this.newId(),
      redact: redactWith(sha256),
      startTimer: shortTimes ? (delayMs, end) => nodeTimer(Math.min(30, delayMs), end) : nodeTimer,
      splitBody: splitByFacts,
      log: silentLogger,
      hostSettings: { ...BASE_RULES, 'compression.min_tokens': 0, ...settings },
      environmentSettings: {},
      worker: 'test',
    };
    this.ledger = new LessonLedgerService(this.needs);
    this.compression = new LessonCompressionService(this.needs);
    this.recall = new LessonRecallService(this.needs);
    this.repair = new LessonRepairService(this.needs);
  }

  /** Another process on the same store, with other models or settings. */
  with(changed: Partial<LessonNeeds>): LessonCompressionService {
    return new LessonCompressionService({ ...this.needs, ...changed });
  }

  newId(): string {
    this.#ids += 1;
    const world = this.#world.toString(32).toUpperCase().padStart(6, '0');
    const id = this.#ids.toString(32).toUpperCase().padStart(10, '0');
    return `01${process.pid.toString(32).toUpperCase().padStart(6, '0').slice(-6)}`
      .concat(`${world}${id}00`)
      .replaceAll(/[ILOU]/g, (letter) => ({ I: 'W', L: 'X', O: 'Y', U: 'Z' })[letter] ?? letter);
  }

  /** The id that the next thing will get. */
  nextId(): string {
    const id = this.newId();
    this.#ids -= 1;
    return id;
  }

  /** Writes past every service: states that a scenario starts from. */
  async write(...changes: readonly LessonChange[]): Promise<void> {
    await this.store.unitOfWork(({ lessons }) => lessons.append(changes, this.now));
  }

  lesson(lessonId: string) {
    return this.store.repositories.lessons.get(lessonId);
  }

  async hints(lessonId: string): Promise<readonly string[]> {
    const { evidence } = await this.ledger.getLesson(lessonId);
    return evidence.hints.map(({ text }) => text);
  }

  pass(seconds: number): void {
    this.now = new Date(this.now.getTime() + seconds * 1_000);
  }

  async add(
    body: string,
    fields: { readonly title?: string; readonly gist?: string; readonly family?: string } = {},
  ): Promise<string> {
    const { lesson } = await this.ledger.addLesson({
      projectId: this.projectId,
      family: 'retry',
      title: 'Flaky remote services',
      gist: 'Applies when a remote service call sometimes fails',
      body,
      ...fields,
    });
    return lesson.lessonId;
  }

  /** A successful use of the lesson that needs these facts; without any it is no regression test. */
  async use(
    lessonId: string,
    facts: readonly string[] = [],
    fields: Partial<UseRequest> = {},
  ): Promise<string> {
    const receipt = await this.ledger.recordUse({
      projectId: this.projectId,
      prompt: facts.length > 0 ? `A task of ${facts.join(' and ').replaceAll('@', '')}` : 'A task',
      outcome: 'success',
      used: [lessonId],
      ...(facts.length > 0 ? { acceptedSummary: `Minded ${facts.join(' ')}` } : {}),
      ...fields,
    });
    return receipt.episodeId ?? '';
  }

  /** The lesson of the fixture with these episodes, and two successes at least. */
  async retry(...names: readonly EpisodeName[]): Promise<string> {
    const lessonId = await this.add(bodyOf('B0', 'B1', 'B2', 'B3', 'B4'));
    for (const name of names) await this.use(lessonId, NEEDS[name]);
    for (let uses = names.length; uses < 2; uses += 1) await this.use(lessonId);
    return lessonId;
  }

  /** Claims of a manifest as `claim kind holder`, in order. */
  async manifest(lessonId: string): Promise<readonly string[]> {
    const { ledger } = await this.ledger.getLesson(lessonId);
    return ledger.dropped.map(
      ({ claim, kind, holderId }) => `${blockName(claim)} ${kind} ${holderId}`,
    );
  }

  #watched(models: LessonModels): LessonModels {
    const { propose, replay, judge } = models;
    return {
      ...models,
      propose: propose && {
        ...propose,
        propose: (request, signal) => {
          this.asked.push(request);
          return propose.propose(request, signal);
        },
      },
      replay: replay && {
        ...replay,
        replay: (request, signal) => {
          this.probed.push(request);
          return replay.replay(request, signal);
        },
      },
      judge: judge && {
        ...judge,
        judge: (request, signal) => {
          this.judged.push(request);
          return judge.judge(request, signal);
        },
      },
    };
  }
}

/** `B4` for the text of a block; any other text stays. */
export function blockName(text: string): string {
  const found = Object.entries(BLOCKS).find(([, block]) => block === text);
  return found?.[0] ?? text;
}

/** `B0 B1` for a body of blocks. */
export function blockNames(body: string): string {
  return body.split('\n\n').map(blockName).join(' ');
}
