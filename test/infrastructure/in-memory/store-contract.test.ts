/** The in-memory store keeps every rule of the contracts. */
import { describe, it } from '@jest/globals';
import { createInMemoryStore } from '../../../src/infrastructure/persistence/in-memory/in-memory-unit-of-work.js';
import { describeStore } from '../../contracts/testing.js';

describe('the store in memory', () => {
  describeStore({ describe, it }, createInMemoryStore);
});
