/** The laws over stores in memory. */
import { createInMemoryLessonStore } from '../../../src/infrastructure/persistence/in-memory/in-memory-lesson-store.js';
import { describeLessonProperties } from './lesson-properties.js';

describeLessonProperties(createInMemoryLessonStore, createInMemoryLessonStore, 50);
