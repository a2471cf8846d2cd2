/** The Postgres store keeps every rule of the contracts. */
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { TOKENS } from '../../../src/index.js';
import { describeStore } from '../../contracts/testing.js';
import { type OpenedCore, openOnPostgres } from '../../support/stores.js';

describe('the store on Postgres', () => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = await openOnPostgres();
  });
  afterAll(() => opened.close());

  describeStore({ describe, it }, () => ({
    repositories: opened.core.resolve(TOKENS.repositories),
    unitOfWork: opened.core.resolve(TOKENS.unitOfWork),
  }));
});
