/** The scenarios of lessons on Postgres. */
import { afterAll } from '@jest/globals';
import { describeLessonScenarios } from '../../application/lessons/lesson-scenarios.js';
import { type LessonsOnPostgres, openLessonsOnPostgres } from './lessons-on-postgres.js';

let opened: Promise<LessonsOnPostgres> | undefined;
afterAll(async () => (await opened)?.close());

describeLessonScenarios(() => (opened ??= openLessonsOnPostgres()));
