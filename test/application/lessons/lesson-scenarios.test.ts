/** The scenarios over stores in memory. */
import { createInMemoryLessonStore } from '../../../src/infrastructure/persistence/in-memory/in-memory-lesson-store.js';
import { describeLessonScenarios } from './lesson-scenarios.js';

describeLessonScenarios(createInMemoryLessonStore);
