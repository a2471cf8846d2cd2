/** The store of lessons in memory keeps every rule of its contract. */
import { describe, it } from '@jest/globals';
import { describeLessonStore } from '../../contracts/testing.js';
import { createInMemoryLessonStore } from '../../../src/infrastructure/persistence/in-memory/in-memory-lesson-store.js';

describe('the store of lessons in memory', () => {
  describeLessonStore({ describe, it }, createInMemoryLessonStore);
});
