/**
 * `ossature/testing`: the contract suites by which a host proves repositories of its own, and the
 * rules of providers that it can check messages by.
 *
 *     import { describe, it } from 'node:test';            // or Jest's, or Vitest's
 *     import { describeStore } from 'ossature/testing';
 *     describeStore({ describe, it }, async () => ({ repositories, unitOfWork }));
 *
 * Needs nothing of a runner but `describe` and `it`; a runner without them walks STORE_CONTRACTS. The
 * store is opened once, by the first rule that runs, and closed by the host's own hook.
 */
import type { Contract, StoreUnderTest } from './contract.js';
import { CAPSULES_CONTRACT } from './capsules.contract.js';
import { DECISIONS_CONTRACT } from './decisions.contract.js';
import { EVALUATIONS_CONTRACT } from './evaluations.contract.js';
import { FRAGMENTS_CONTRACT } from './fragments.contract.js';
import { LESSON_STORE_RULES, type LessonStoreUnderTest } from './lessons.contract.js';
import { PLANS_CONTRACT } from './plans.contract.js';
import { POLICIES_CONTRACT, PROJECTS_CONTRACT } from './projects.contract.js';
import { RECORDS_CONTRACT } from './records.contract.js';
import { SESSIONS_CONTRACT } from './sessions.contract.js';
import { SPAWNS_CONTRACT } from './spawns.contract.js';
import { SUMMARIES_CONTRACT } from './summaries.contract.js';
import { TRAILS_CONTRACT } from './trails.contract.js';
import { UNIT_OF_WORK_CONTRACT } from './unit-of-work.contract.js';
import { WORKFLOWS_CONTRACT } from './workflows.contract.js';

export type { Contract, ContractRule, StoreUnderTest } from './contract.js';
export { checkAnthropic } from '../../src/domain/session/export/check-anthropic.js';
export { checkLangchain } from '../../src/domain/session/export/check-langchain.js';
export { checkOpenaiChat } from '../../src/domain/session/export/check-openai-chat.js';
export { checkOpenaiResponses } from '../../src/domain/session/export/check-openai-responses.js';
export { LESSON_STORE_RULES } from './lessons.contract.js';
export type { LessonContractRule, LessonStoreUnderTest } from './lessons.contract.js';
export { LOGIN_401, login401Transcript } from '../../src/domain/evaluation/login-401.js';
export type { RuleBreach } from '../../src/domain/session/export/rule-breach.js';

/** One contract a repository port, and the unit of work's. */
export const STORE_CONTRACTS: readonly Contract[] = [
  PROJECTS_CONTRACT,
  POLICIES_CONTRACT,
  PLANS_CONTRACT,
  SPAWNS_CONTRACT,
  DECISIONS_CONTRACT,
  FRAGMENTS_CONTRACT,
  RECORDS_CONTRACT,
  SESSIONS_CONTRACT,
  TRAILS_CONTRACT,
  SUMMARIES_CONTRACT,
  CAPSULES_CONTRACT,
  WORKFLOWS_CONTRACT,
  EVALUATIONS_CONTRACT,
  UNIT_OF_WORK_CONTRACT,
];

/** The two functions of a test runner, as Jest, Vitest, Mocha and node:test have them. */
export interface TestRunner {
  readonly describe: (title: string, body: () => void) => unknown;
  readonly it: (title: string, body: () => Promise<void>) => unknown;
}

/**
 * Declares one test for each rule of every contract.
 *
 * @param open opens the store; called once, when the first rule runs.
 */
export function describeStore(
  runner: TestRunner,
  open: () => StoreUnderTest | Promise<StoreUnderTest>,
): void {
  describeRules(runner, STORE_CONTRACTS, open);
}

/**
 * The same for a store of lessons.
 *
 * @param open opens the store; called once, when the first rule runs.
 */
export function describeLessonStore(
  runner: TestRunner,
  open: () => LessonStoreUnderTest | Promise<LessonStoreUnderTest>,
): void {
  const contracts = Object.entries(LESSON_STORE_RULES).map(([port, rules]) => ({ port, rules }));
  describeRules(runner, contracts, open);
}

interface RulesOf<Store> {
  readonly port: string;
  readonly rules: readonly {
    readonly rule: string;
    readonly check: (store: Store) => Promise<void>;
  }[];
}

function describeRules<Store>(
  { describe, it }: TestRunner,
  contracts: readonly RulesOf<Store>[],
  open: () => Store | Promise<Store>,
): void {
  let opened: Promise<Store> | undefined;
  const store = (): Promise<Store> => (opened ??= Promise.resolve().then(open));
  for (const { port, rules } of contracts) {
    describe(port, () => {
      for (const { rule, check } of rules) it(rule, async () => check(await store()));
    });
  }
}
