/**
 * A contract: what every implementation of a port promises, as rules that any test runner can run.
 * Rules share one store and make what they need under new ids, so they run in any order, against a
 * store that holds other things, and need nothing cleaned up.
 */
import { rejects } from 'node:assert/strict';
import type { Repositories, UnitOfWork } from '../../src/application/ports/unit-of-work.js';
import { type ErrorCode, OssatureError } from '../../src/domain/kernel/errors.js';

/** A store as the core uses it: repositories and the unit of work that belongs to them. */
export interface StoreUnderTest {
  readonly repositories: Repositories;
  readonly unitOfWork: UnitOfWork;
}

export interface ContractRule {
  /** The rule, in the present tense: the title of its test. */
  readonly rule: string;
  /** Resolves where the store keeps the rule; rejects with an AssertionError where it does not. */
  readonly check: (store: StoreUnderTest) => Promise<void>;
}

export interface Contract {
  /** The name of the port. */
  readonly port: string;
  readonly rules: readonly ContractRule[];
}

/** The work must fail with our error of this code. */
export async function failsWith(code: ErrorCode, work: () => Promise<unknown>): Promise<void> {
  await rejects(
    async () => work(),
    (error: unknown) => {
      if (OssatureError.is(error, code)) return true;
      throw error;
    },
    `expected OssatureError ${code}, but the work succeeded`,
  );
}
