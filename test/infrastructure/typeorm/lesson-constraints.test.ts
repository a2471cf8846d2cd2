/** What the database itself refuses of lessons, whoever writes to it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { createOssature } from '../../../src/index.js';
import { connect } from '../../support/builders.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

const NOBODY = '01ARZ3NDEKTSV4RRFFQ69G5FXX';
const FOREIGN_KEY = '23503';
const INTEGRITY = '23000';
const RESTRICT = '23001';
const CHECK = '23514';
const UNIQUE = '23505';

let database: TestDatabase;
let client: Client;
/** What the statements name: `$low`, `$high` (never joined) and `$episode`. */
const ids: Record<string, string> = { nobody: NOBODY };

beforeAll(async () => {
  database = await createTestDatabase();
  const core = await createOssature({
    store: { kind: 'url', url: database.url },
    checkSchema: false,
    lessons: { offline: true },
  });
  await core.migrate();
  for (const name of ['low', 'high']) {
    const { lesson } = await core.lessons.ledger.addLesson({
      projectId: null,
      family: name,
      title: `The ${name} one`,
      gist: 'Applies to what is asked here',
      body: `The body of ${name}.`,
    });
    ids[name] = lesson.lessonId;
  }
  const { episodeId } = await core.lessons.ledger.recordUse({
    prompt: 'Do it',
    outcome: 'success',
    acceptedSummary: 'Done',
    used: [ids['low'] ?? ''],
  });
  ids['episode'] = episodeId ?? '';
  await core.close();
  client = await connect(database.url);
}, 60_000);
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function refusal(statement: string): Promise<string | undefined> {
  const text = statement.replace(/\$(\w+)/g, (_, name: string) => `'${ids[name] ?? name}'`);
  await client.query('begin');
  try {
    await client.query(`set local search_path to ossature`);
    await client.query(text);
    await client.query('set constraints all immediate');
    return undefined;
  } catch (error) {
    return (error as { readonly code?: string }).code;
  } finally {
    await client.query('rollback');
  }
}

const covers = (child: string, parent: string): string =>
  `insert into claim_covers (child_id, child_claim_id, parent_id, how, parent_claim_ids, audited)
   values (${child}, 'c1', ${parent}, 'kept', '{c1}', false)`;
const drops = (lesson: string, holder: string): string =>
  `insert into dropped_claims (lesson_id, ordinal, claim, kind, holder_id, claim_ids, fingerprint, tokens)
   values (${lesson}, 1, 'gone', 'edge-case', ${holder}, '{c1}', 'print', 1)`;
const edge = (child: string, parent: string, levels: string): string =>
  `insert into lesson_edges (child_id, parent_id, kind, child_level, parent_level, made_digest)
   values (${child}, ${parent}, 'compression', ${levels}, 'made')`;

describe('the database refuses of lessons', () => {
  // prettier-ignore
  it.each([
    { rule: 'the coverage of a lesson that is not there',           code: FOREIGN_KEY, statement: `insert into lesson_coverage values ($nobody, $episode)` },
    { rule: 'coverage by an episode that is not there',             code: FOREIGN_KEY, statement: `insert into lesson_coverage values ($high, $nobody)` },
    { rule: 'one such row among many',                              code: FOREIGN_KEY, statement: `insert into lesson_coverage values ($high, $episode), ($high, $nobody)` },
    { rule: 'coverage that ceases to name an episode',              code: RESTRICT,    statement: `update lesson_coverage set episode_id = $nobody` },
    { rule: 'what covers a claim of a lesson that is not there',    code: FOREIGN_KEY, statement: covers('$nobody', '$high') },
    { rule: 'a claim covered by a lesson that is not there',        code: FOREIGN_KEY, statement: covers('$low', '$nobody') },
    { rule: 'a cover that is turned to no lesson',                  code: FOREIGN_KEY, statement: `${covers('$low', '$high')}; update claim_covers set parent_id = $nobody` },
    { rule: 'the manifest of a lesson that is not there',           code: INTEGRITY,   statement: drops('$nobody', '$low') },
    { rule: 'a dropped claim that a lesson beside it is to hold',   code: INTEGRITY,   statement: drops('$high', '$low') },
    { rule: 'a dropped claim that its own lesson is to hold',       code: CHECK,       statement: drops('$low', '$low') },
    { rule: 'an edge between lessons of one level',                 code: CHECK,       statement: edge('$low', '$high', '0, 0') },
    { rule: 'an edge that tells another level than its lesson has', code: FOREIGN_KEY, statement: edge('$low', '$high', '0, 1') },
    { rule: 'an apex that is superseded',                           code: CHECK,       statement: `update lessons set status = 'superseded'` },
    { rule: 'a lesson without anything above it that is no apex',   code: INTEGRITY,   statement: `update lessons set is_apex = false` },
    { rule: 'the same text of level 0 twice',                       code: UNIQUE,      statement: `insert into lessons select (jsonb_populate_record(l, '{"lesson_id": "again"}')).* from lessons l` },
    { rule: 'a lesson that is deleted',                             code: RESTRICT,    statement: `delete from lessons` },
    { rule: 'an episode that is deleted',                           code: RESTRICT,    statement: `delete from episodes` },
    { rule: 'another key for an episode',                           code: RESTRICT,    statement: `update episodes set episode_id = 'other'` },
    { rule: 'a use that is told otherwise later',                   code: RESTRICT,    statement: `update lesson_uses set corrected = true` },
  ])('$rule', async ({ code, statement }) => {
    expect(await refusal(statement)).toBe(code);
  });

  it('and takes what names what is there', async () => {
    expect(await refusal(`insert into lesson_coverage values ($high, $episode)`)).toBeUndefined();
    expect(await refusal(covers('$low', '$high'))).toBeUndefined();
  });
});
