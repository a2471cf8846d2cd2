/** Every migration, oldest first. Listed by hand: the order is a decision, not an accident of file names. */
import type { MigrationInterface } from 'typeorm';
import { CreatePlans1764500000001 } from './0001-create-plans.js';
import { CreateFragments1764500000002 } from './0002-create-fragments.js';
import { CreateCompressionRecords1764500000003 } from './0003-create-compression-records.js';
import { CreateSessions1764500000004 } from './0004-create-sessions.js';
import { CreateSessionTrails1764500000005 } from './0005-create-session-trails.js';
import { CreateSessionSummaries1764500000006 } from './0006-create-session-summaries.js';
import { ExtendSessionPasses1764500000007 } from './0007-extend-session-passes.js';
import { CreateCapsules1764500000008 } from './0008-create-capsules.js';
import { CreateWorkflows1764500000009 } from './0009-create-workflows.js';
import { KeepWhatImportsTell1764500000010 } from './0010-keep-what-imports-tell.js';
import { CreateLessons1764500000011 } from './0011-create-lessons.js';
import { CreateEvaluations1764500000012 } from './0012-create-evaluations.js';
import { CreateLessonAttempts1764500000013 } from './0013-create-lesson-attempts.js';
import { PackMarks1764500000014 } from './0014-pack-marks.js';
import { KeepKnownSources1764500000015 } from './0015-keep-known-sources.js';
import { CreateJudgements1764500000017 } from './0017-create-judgements.js';
import { CheckLessonsCheaper1764500000018 } from './0018-check-lessons-cheaper.js';
import { PackHashes1764500000019 } from './0019-pack-hashes.js';
import { CheckHoldersAtOnce1764500000021 } from './0021-check-holders-at-once.js';
import { CheckReferencesAtOnce1764500000031 } from './0031-check-references-at-once.js';
import { CompressContentsFaster1764500000032 } from './0032-compress-contents-faster.js';

export interface NamedMigration extends MigrationInterface {
  readonly name: string;
}

export const MIGRATIONS: readonly NamedMigration[] = [
  new CreatePlans1764500000001(),
  new CreateFragments1764500000002(),
  new CreateCompressionRecords1764500000003(),
  new CreateSessions1764500000004(),
  new CreateSessionTrails1764500000005(),
  new CreateSessionSummaries1764500000006(),
  new ExtendSessionPasses1764500000007(),
  new CreateCapsules1764500000008(),
  new CreateWorkflows1764500000009(),
  new KeepWhatImportsTell1764500000010(),
  new CreateLessons1764500000011(),
  new CreateEvaluations1764500000012(),
  new CreateLessonAttempts1764500000013(),
  new PackMarks1764500000014(),
  new KeepKnownSources1764500000015(),
  new CreateJudgements1764500000017(),
  new CheckLessonsCheaper1764500000018(),
  new PackHashes1764500000019(),
  new CheckHoldersAtOnce1764500000021(),
  new CheckReferencesAtOnce1764500000031(),
  new CompressContentsFaster1764500000032(),
];
