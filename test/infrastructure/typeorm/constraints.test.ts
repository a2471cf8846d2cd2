/** What the database itself refuses, whoever writes to it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { connect, rowsOf } from '../../support/builders.js';
import { openOnPostgres } from '../../support/stores.js';
import {
  IMMUTABLE_OF_WORKFLOWS,
  REFUSED_OF_WORKFLOWS,
  STORED_WORKFLOW_ROWS,
} from './workflow-rows.js';

const ulid = (last: string): string => `01ARZ3NDEKTSV4RRFFQ69G5F${last}`;
const [PROJECT, ROOT, CHILD, NEW, NOBODY] = ['PA', 'RA', 'CA', 'NA', 'XX'].map(ulid);
const METADATA = '{"ratio":0,"original_tokens":0,"compressed_tokens":0,"source_decision_ids":[]}';

type Row = Readonly<Record<string, unknown>>;

const plan = (given: Row): Row => ({
  plan_id: NEW,
  project_id: PROJECT,
  parent_plan_id: null,
  root_plan_id: given['plan_id'] ?? NEW,
  depth: 0,
  name: null,
  goal: 'go',
  phase: 'action',
  state: 'queued',
  reversions: 0,
  skeleton_ratio: null,
  skeleton_metadata: null,
  version: 1,
  created_at: 'now',
  updated_at: 'now',
  ...given,
});

const child = (given: Row): Row =>
  plan({
    parent_plan_id: ROOT,
    root_plan_id: ROOT,
    depth: 1,
    skeleton_metadata: METADATA,
    ...given,
  });

const decision = (given: Row): Row => ({
  decision_id: NEW,
  plan_id: ROOT,
  type: 'strategy_choice',
  choice: 'this',
  created_at: 'now',
  ...given,
});

const fragment = (given: Row): Row => ({
  plan_id: ROOT,
  fragment_id: 'new',
  content: '',
  content_hash: 'a'.repeat(64),
  token_count: 1,
  relevance: 0.5,
  ...given,
});

const record = (given: Row): Row => ({
  record_id: NEW,
  pass: 'recall',
  child_plan_id: CHILD,
  parent_plan_id: ROOT,
  ratio: 0.5,
  ratio_origin: 'call',
  relevance_source: 'stored',
  skeleton_budget: 1,
  original_tokens: 1,
  compressed_tokens: 1,
  kept_plan_ids: [ROOT],
  kept_fragment_ids: ['a'],
  skipped_plan_ids: [],
  skipped_fragment_ids: [],
  skipped_reasons: [],
  created_at: 'now',
  ...given,
});

const HASH = 'a'.repeat(64);

const session = (given: Row): Row => ({
  tenant_id: 't',
  session_id: NEW,
  vendor: 'codex',
  counter_name: 'words',
  counter_version: '1',
  settings: '{}',
  cycle: 0,
  revision: 1,
  last_seq: 0,
  last_turn: 0,
  created_at: 'now',
  updated_at: 'now',
  ...given,
});

const entry = (given: Row): Row => ({
  tenant_id: 't',
  session_id: ROOT,
  seq: 2,
  entry_id: NEW,
  kind: 'user',
  author: 'human',
  unit_id: 'u',
  turn: 1,
  content_hash: HASH,
  entry_print: HASH,
  token_count: 1,
  source_key: 'new',
  active: true,
  fields: '{}',
  ...given,
});

const event = (given: Row): Row => ({
  tenant_id: 't',
  session_id: ROOT,
  seq: 1,
  ordinal: 1,
  result_seq: 1,
  action: 'read',
  path: 'a',
  ok: true,
  symbols: [],
  inferred: false,
  note: 'read',
  active: true,
  ...given,
});

const artifact = (given: Row): Row => ({
  tenant_id: 't',
  session_id: ROOT,
  path: 'b',
  kind: 'file',
  state: 'read',
  created_here: false,
  net_change: 'none',
  times_created: 0,
  times_modified: 0,
  times_read: 1,
  times_deleted: 0,
  times_renamed: 0,
  times_listed: 0,
  failed_calls: 0,
  lines_added: 0,
  lines_removed: 0,
  first_seq: 1,
  last_seq: 1,
  symbols: [],
  ...given,
});

const command = (given: Row): Row => ({
  tenant_id: 't',
  session_id: ROOT,
  seq: 2,
  command: 'ls',
  state: 'ok',
  effects: 'none',
  active: true,
  ...given,
});

const failure = (given: Row): Row => ({
  tenant_id: 't',
  session_id: ROOT,
  key: '$ ls',
  signature: 'other',
  first_line: 'other',
  seen_at: [1],
  count: 1,
  state: 'open',
  ...given,
});

const todo = (given: Row): Row => ({
  tenant_id: 't',
  session_id: ROOT,
  place: 1,
  todo_id: 'b',
  text: 'b',
  state: 'pending',
  first_seq: 1,
  changed_seq: 1,
  ...given,
});

const usage = (given: Row): Row => ({
  tenant_id: 't',
  session_id: ROOT,
  usage_key: 'b',
  uncached_input_tokens: 1,
  cached_input_tokens: 1,
  output_tokens: 1,
  ...given,
});

const CHECK = '23514';
const FOREIGN = '23503';
const UNIQUE = '23505';
const MISSING = '23502';

const item = (given: Row): Row => ({
  tenant_id: 't',
  session_id: ROOT,
  item_no: 2,
  revision: 2,
  item_id: NEW,
  section: 'decisions',
  text: 'this',
  refs: '[]',
  identity_key: 'k',
  state: 'open',
  archived: false,
  pinned: false,
  cycle_created: 1,
  cycle_changed: 1,
  version: 1,
  source_entry_ids: [ROOT],
  last_source_seq: 1,
  producer: 'offline',
  ...given,
});

const cycle = (given: Row): Row => ({
  tenant_id: 't',
  session_id: ROOT,
  cycle: 2,
  revision: 3,
  attempt_id: NEW,
  state: 'live',
  last_seq: 2,
  cut_seq: 1,
  span: '[{"from":1,"to":1}]',
  span_hash: 'a'.repeat(64),
  previews: '[]',
  tokens_before: 10,
  tokens_after: 5,
  target_tokens: 5,
  floor_tokens: 1,
  created_at: 'now',
  ...given,
});

const attempt = (given: Row): Row => ({
  tenant_id: 't',
  session_id: ROOT,
  attempt_id: NEW,
  from_revision: 1,
  trigger: 'manual',
  strategy: 'offline',
  producer: 'offline',
  last_seq: 1,
  span: '[]',
  fingerprint: 'a'.repeat(64),
  tokens_before: 10,
  target_tokens: 5,
  floor_tokens: 1,
  outcome: 'started',
  reasons: '[]',
  started_at: 'now',
  ...given,
});

const capsule = (given: Row): Row => ({
  tenant_id: 't',
  child_plan_id: ROOT,
  parent_plan_id: ROOT,
  session_id: ROOT,
  session_revision: 1,
  capsule_tokens: 10,
  tokens: 10,
  items: '[{}]',
  created_at: 'now',
  ...given,
});

// prettier-ignore
const REFUSED: readonly (readonly [rule: string, table: string, row: Row, code: string])[] = [
  ['a project without a name',                 'projects', { project_id: NEW, name: '', created_at: 'now' },                        CHECK],
  ['a second project of a name',               'projects', { project_id: NEW, name: 'harbor', created_at: 'now' },                  UNIQUE],
  ['a project id that is no ULID',             'projects', { project_id: 'x', name: 'x', created_at: 'now' },                       CHECK],
  ['a policy of a view that is not one',       'context_policies', { project_id: PROJECT, view: 'action', skeleton_ratio: 0, updated_at: 'now' },     CHECK],
  ['a policy ratio above 1',                   'context_policies', { project_id: PROJECT, view: 'apply', skeleton_ratio: 1.0001, updated_at: 'now' }, CHECK],
  ['a policy ratio below 0',                   'context_policies', { project_id: PROJECT, view: 'apply', skeleton_ratio: -5e-324, updated_at: 'now' }, CHECK],
  ['a policy ratio that is not a number',      'context_policies', { project_id: PROJECT, view: 'apply', skeleton_ratio: 'NaN', updated_at: 'now' },  CHECK],
  ['a policy of an unknown project',           'context_policies', { project_id: NOBODY, view: 'apply', skeleton_ratio: 0, updated_at: 'now' },       FOREIGN],
  ['a plan id that is no ULID',                'plans', plan({ plan_id: 'x' }),                                CHECK],
  ['a second plan of an id',                   'plans', plan({ plan_id: ROOT }),                               UNIQUE],
  ['a plan of an unknown project',             'plans', plan({ project_id: NOBODY }),                          FOREIGN],
  ['a plan without a root',                    'plans', plan({ root_plan_id: null }),                          MISSING],
  ['a root that points at another root',       'plans', plan({ root_plan_id: ROOT }),                          CHECK],
  ['a root that is not at depth 0',            'plans', plan({ depth: 1 }),                                    CHECK],
  ['a root with a skeleton',                   'plans', plan({ skeleton_metadata: METADATA }),                 CHECK],
  ['a child without a skeleton',               'plans', child({ skeleton_metadata: null }),                    CHECK],
  ['a child at depth 0',                       'plans', child({ depth: 0 }),                                   CHECK],
  ['a child at a negative depth',              'plans', child({ depth: -1 }),                                  CHECK],
  ['a child that is its own root',             'plans', child({ root_plan_id: NEW }),                          CHECK],
  ['a child with a name',                      'plans', child({ name: 'named' }),                              CHECK],
  ['a child of an unknown parent',             'plans', child({ parent_plan_id: NOBODY }),                     FOREIGN],
  ['a child of an unknown root',               'plans', child({ root_plan_id: NOBODY }),                       FOREIGN],
  ['a second child of an idempotency key',     'plans', child({ idempotency_key: 'k' }),                       UNIQUE],
  ['a skeleton that is not an object',         'plans', child({ skeleton_metadata: '[]' }),                    CHECK],
  ['a second plan of a name in a project',     'plans', plan({ name: 'nightly' }),                             UNIQUE],
  ['an empty name',                            'plans', plan({ name: '' }),                                    CHECK],
  ['an empty goal',                            'plans', plan({ goal: '' }),                                    CHECK],
  ['a phase that is not one',                  'plans', plan({ phase: 'plan' }),                               CHECK],
  ['a state that is not one',                  'plans', plan({ state: 'done' }),                               CHECK],
  ['applied before the phase apply',           'plans', plan({ state: 'applied', phase: 'execute' }),          CHECK],
  ['a fourth reversion',                       'plans', plan({ reversions: 4 }),                               CHECK],
  ['a negative number of reversions',          'plans', plan({ reversions: -1 }),                              CHECK],
  ['a plan ratio above 1',                     'plans', plan({ skeleton_ratio: 1.5 }),                         CHECK],
  ['a plan ratio that is not a number',        'plans', plan({ skeleton_ratio: 'NaN' }),                       CHECK],
  ['a version below 1',                        'plans', plan({ version: 0 }),                                  CHECK],
  ['a decision of an unknown plan',            'decisions', decision({ plan_id: NOBODY }),                     FOREIGN],
  ['a decision below an unknown one',          'decisions', decision({ parent_decision_id: NOBODY }),          FOREIGN],
  ['a decision superseded by an unknown one',  'decisions', decision({ superseded_by: NOBODY }),               FOREIGN],
  ['a decision superseded by itself',          'decisions', decision({ superseded_by: NEW }),                  CHECK],
  ['a decision type with blanks',              'decisions', decision({ type: 'my type' }),                     CHECK],
  ['a second decision of an id',               'decisions', decision({ decision_id: ROOT }),                   UNIQUE],
  ['a decision without a choice',              'decisions', decision({ choice: null }),                        MISSING],
  ['a fragment of an unknown plan',            'fragments', fragment({ plan_id: NOBODY }),                     FOREIGN],
  ['a fragment of an unknown decision',        'fragments', fragment({ decision_id: NOBODY }),                 FOREIGN],
  ['a second fragment of an id in a plan',     'fragments', fragment({ fragment_id: 'a' }),                    UNIQUE],
  ['a fragment without an id',                 'fragments', fragment({ fragment_id: '' }),                     CHECK],
  ['a fragment without a text',                'fragments', fragment({ content: null }),                       MISSING],
  ['a fragment without its digest',            'fragments', fragment({ content_hash: '' }),                    CHECK],
  ['a negative token count',                   'fragments', fragment({ token_count: -1 }),                     CHECK],
  ['a token count past the safe integers',     'fragments', fragment({ token_count: '9007199254740992' }),     CHECK],
  ['a relevance above 1',                      'fragments', fragment({ relevance: 1.01 }),                     CHECK],
  ['a relevance that is not a number',         'fragments', fragment({ relevance: 'NaN' }),                    CHECK],
  ['metadata that is not an object',           'fragments', fragment({ metadata: '[1]' }),                     CHECK],
  ['a record of an unknown child',             'compression_records', record({ child_plan_id: NOBODY }),       FOREIGN],
  ['a record of an unknown parent',            'compression_records', record({ parent_plan_id: NOBODY }),      FOREIGN],
  ['a pass that is not one',                   'compression_records', record({ pass: 'merge' }),               CHECK],
  ['a second spawn of a child',                'compression_records', record({ pass: 'spawn' }),               UNIQUE],
  ['a second record of an id',                 'compression_records', record({ record_id: CHILD }),            UNIQUE],
  ['a ratio above 1',                          'compression_records', record({ ratio: 2 }),                    CHECK],
  ['an origin that is not one',                'compression_records', record({ ratio_origin: 'guess' }),       CHECK],
  ['a relevance source that is not one',       'compression_records', record({ relevance_source: 'model' }),   CHECK],
  ['a negative budget',                        'compression_records', record({ skeleton_budget: -1 }),         CHECK],
  ['more tokens after than before',            'compression_records', record({ compressed_tokens: 2 }),        CHECK],
  ['relevances beside the stored ones',        'compression_records', record({ kept_relevances: [1], skipped_relevances: [] }), CHECK],
  ['scores that are not kept',                 'compression_records', record({ relevance_source: 'goal' }),    CHECK],
  ['scores of another number',                 'compression_records', record({ relevance_source: 'goal', kept_relevances: [1, 1], skipped_relevances: [] }), CHECK],
  ['kept ids without their plans',             'compression_records', record({ kept_plan_ids: [] }),           CHECK],
  ['skipped lists of unequal length',          'compression_records', record({ skipped_reasons: ['superseded'] }), CHECK],
  ['a reason that is not one',                 'compression_records', record({ skipped_plan_ids: [ROOT], skipped_fragment_ids: ['a'], skipped_reasons: ['dull'] }), CHECK],
  ['a list that is not there',                 'compression_records', record({ skipped_plan_ids: null }),      MISSING],
  ['a session without a tenant',               'sessions', session({ tenant_id: '' }),                         CHECK],
  ['a second session of an id in a tenant',    'sessions', session({ session_id: ROOT }),                      UNIQUE],
  ['a second session of a vendor’s name',      'sessions', session({ vendor_session_id: 'named' }),            UNIQUE],
  ['a session of an unknown plan',             'sessions', session({ plan_id: NOBODY }),                       FOREIGN],
  ['a session below one of another tenant',    'sessions', session({ tenant_id: 'x', parent_session_id: ROOT }), FOREIGN],
  ['a session below itself',                   'sessions', session({ parent_session_id: NEW }),                CHECK],
  ['a call of no parent',                      'sessions', session({ parent_entry_id: ROOT }),                 CHECK],
  ['a revision below 1',                       'sessions', session({ revision: 0 }),                           CHECK],
  ['a negative cycle',                         'sessions', session({ cycle: -1 }),                             CHECK],
  ['more turns than entries',                  'sessions', session({ last_turn: 1 }),                          CHECK],
  ['settings that are not an object',          'sessions', session({ settings: '[]' }),                        CHECK],
  ['a text without its digest',                'contents', { tenant_id: 't', content_hash: '', content: '' },  CHECK],
  ['a second text of a digest in a tenant',    'contents', { tenant_id: 't', content_hash: HASH, content: 'x' }, UNIQUE],
  ['an entry of an unknown session',           'session_entries', entry({ session_id: NOBODY }),               FOREIGN],
  ['an entry in another tenant’s session',     'session_entries', entry({ tenant_id: 'x' }),                   FOREIGN],
  ['an entry without its text',                'session_entries', entry({ content_hash: 'b'.repeat(64) }),     FOREIGN],
  ['a second entry of a number',               'session_entries', entry({ seq: 1 }),                           UNIQUE],
  ['a second entry of a key',                  'session_entries', entry({ source_key: 'k' }),                  UNIQUE],
  ['a second entry of an id',                  'session_entries', entry({ entry_id: ROOT }),                   UNIQUE],
  ['a kind that is not one',                   'session_entries', entry({ kind: 'note' }),                     CHECK],
  ['an author that is not one',                'session_entries', entry({ author: 'nobody' }),                 CHECK],
  ['a call without its id',                    'session_entries', entry({ kind: 'tool_call' }),                CHECK],
  ['a prompt with the id of a call',           'session_entries', entry({ call_id: 'c' }),                     CHECK],
  ['an entry before the first',                'session_entries', entry({ seq: 0, turn: 0 }),                  CHECK],
  ['a turn that has not come',                 'session_entries', entry({ turn: 3 }),                          CHECK],
  ['fields that are no object',                'session_entries', entry({ fields: '[]' }),                     CHECK],
  ['usage of an unknown session',              'session_usage', usage({ session_id: NOBODY }),                 FOREIGN],
  ['usage billed twice',                       'session_usage', usage({ usage_key: 'a' }),                     UNIQUE],
  ['negative usage',                           'session_usage', usage({ output_tokens: -1 }),                  CHECK],
  ['usage for no purpose',                     'session_usage', usage({ purpose: 'fun' }),                     CHECK],
  ['media that are not there',                 'session_entries', entry({ media_hash: HASH }),                 FOREIGN],
  ['an event of an unknown session',           'artifact_events', event({ session_id: NOBODY }),               FOREIGN],
  ['a second event of a place',                'artifact_events', event({ ordinal: 0 }),                       UNIQUE],
  ['an action that is not one',                'artifact_events', event({ action: 'copied' }),                 CHECK],
  ['a rename from nowhere',                    'artifact_events', event({ action: 'renamed' }),                CHECK],
  ['a range without a start',                  'artifact_events', event({ range_to: 3 }),                      CHECK],
  ['a second artifact of a path',              'artifacts', artifact({ path: 'a' }),                           UNIQUE],
  ['an artifact state that is not one',        'artifacts', artifact({ state: 'copied' }),                     CHECK],
  ['an artifact that ends before it begins',   'artifacts', artifact({ first_seq: 2 }),                        CHECK],
  ['a second command of a call',               'session_commands', command({ seq: 1 }),                        UNIQUE],
  ['a command state that is not one',          'session_commands', command({ state: 'lost' }),                 CHECK],
  ['half an outcome',                          'session_commands', command({ tests_passed: 1 }),               CHECK],
  ['a second error of a signature and a key',  'session_errors', failure({ signature: 's' }),                  UNIQUE],
  ['an error that was overcome by nothing',    'session_errors', failure({ state: 'resolved' }),               CHECK],
  ['an error that was never seen',             'session_errors', failure({ seen_at: [] }),                     CHECK],
  ['a version of nothing',                     'session_items', item({ item_no: 0 }),                          CHECK],
  ['a second version of a revision',           'session_items', item({ item_no: 1 }),                          UNIQUE],
  ['a pin without a hash',                     'session_items', item({ pinned: true }),                        CHECK],
  ['an item without a source',                 'session_items', item({ source_entry_ids: [] }),                CHECK],
  ['a cycle without a span',                   'session_cycles', cycle({ span: '[]' }),                        CHECK],
  ['a cycle that made a request larger',       'session_cycles', cycle({ tokens_after: 11 }),                  CHECK],
  ['a cut behind the last entry',              'session_cycles', cycle({ cut_seq: 3 }),                        CHECK],
  ['two cycles of a revision',                 'session_cycles', cycle({ revision: 2 }),                       UNIQUE],
  ['an attempt that is settled and is not',    'session_attempts', attempt({ outcome: 'adopted' }),            CHECK],
  ['an outcome that is not one',               'session_attempts', attempt({ outcome: 'lost' }),               CHECK],
  ['a second pass at a time',                  'session_attempts', attempt({}),                                UNIQUE],
  ['a second todo of an id',                   'session_todos', todo({ todo_id: 'a' }),                        UNIQUE],
  ['a capsule of an unknown child',            'capsules', capsule({ child_plan_id: NOBODY }),                 FOREIGN],
  ['a second capsule of a child',              'capsules', capsule({ child_plan_id: CHILD, tenant_id: 'u' }),  UNIQUE],
  ['a capsule over its budget',                'capsules', capsule({ tokens: 11 }),                            CHECK],
  ['a capsule without an item',                'capsules', capsule({ items: '[]' }),                           CHECK],
  ['a capsule of nobody',                      'capsules', capsule({ tenant_id: '' }),                         CHECK],
  ['what a capsule left out as one thing',     'compression_records', record({ capsule_left_out: '{}' }),      CHECK],
  ['a todo state that is not one',             'session_todos', todo({ state: 'maybe' }),                      CHECK],
  ...REFUSED_OF_WORKFLOWS,
];

// prettier-ignore
const IMMUTABLE: readonly (readonly [rule: string, statement: string])[] = [
  ['a fragment cannot be changed',            `update ossature.fragments set relevance = 1`],
  ['a fragment’s text cannot be changed',     `update ossature.fragments set content = 'other'`],
  ['a fragment cannot be deleted',            `delete from ossature.fragments`],
  ['a record cannot be changed',              `update ossature.compression_records set ratio = 0`],
  ['a record cannot be deleted',              `delete from ossature.compression_records`],
  ['all fragments cannot be deleted at once', `truncate ossature.fragments`],
  ['all records cannot be deleted at once',   `truncate ossature.compression_records`],
  ['an entry cannot be changed',              `update ossature.session_entries set author = 'agent'`],
  ['an entry’s place cannot be changed',      `update ossature.session_entries set seq = 9`],
  ['an entry cannot be deleted',              `delete from ossature.session_entries`],
  ['a text cannot be changed',                `update ossature.contents set content = 'other'`],
  ['a text cannot be deleted',                `delete from ossature.contents`],
  ['an event cannot be changed',              `update ossature.artifact_events set ok = false`],
  ['an event cannot be deleted',              `delete from ossature.artifact_events`],
  ['a session cannot be deleted row by row',  `delete from ossature.sessions`],
  ['all entries cannot be deleted at once',   `truncate ossature.session_entries cascade`],
  ['a version of an item cannot be changed',  `update ossature.session_items set text = 'other'`],
  ['a version of an item cannot be deleted',  `delete from ossature.session_items`],
  ['a cycle’s cut cannot be changed',         `update ossature.session_cycles set cut_seq = 0`],
  ['a cycle cannot be deleted',               `delete from ossature.session_cycles`],
  ['an attempt is settled once',              `update ossature.session_attempts set tokens_after = 1`],
  ['an attempt cannot be deleted',            `delete from ossature.session_attempts`],
  ['all attempts cannot be deleted at once',  `truncate ossature.session_attempts`],
  ['a capsule cannot be changed',             `update ossature.capsules set tokens = 1`],
  ['a capsule cannot be deleted',             `delete from ossature.capsules`],
  ['all capsules cannot be deleted at once',  `truncate ossature.capsules`],
  ['all events cannot be deleted at once',    `truncate ossature.artifact_events`],
  ...IMMUTABLE_OF_WORKFLOWS,
];

describe('the database', () => {
  let client: Client;
  let close: () => Promise<void>;

  const insert = (table: string, row: Row): Promise<unknown> =>
    client.query(
      `insert into ossature.${table} (${Object.keys(row).join(', ')})
       values (${Object.keys(row)
         .map((_, index) => `$${index + 1}`)
         .join(', ')})`,
      Object.values(row),
    );

  beforeAll(async () => {
    const opened = await openOnPostgres();
    client = await connect(opened.url);
    close = async () => {
      await client.end();
      await opened.close();
    };
    await insert('projects', { project_id: PROJECT, name: 'harbor', created_at: 'now' });
    for (const [table, row] of STORED_WORKFLOW_ROWS) await insert(table, row);
    await insert('plans', plan({ plan_id: ROOT, name: 'nightly' }));
    await insert('plans', child({ plan_id: CHILD, idempotency_key: 'k' }));
    await insert('decisions', decision({ decision_id: ROOT }));
    await insert('fragments', fragment({ fragment_id: 'a' }));
    await insert('compression_records', record({ record_id: CHILD, pass: 'spawn' }));
    await insert('sessions', session({ session_id: ROOT, vendor_session_id: 'named' }));
    await insert('contents', { tenant_id: 't', content_hash: HASH, content: 'text' });
    await insert('session_entries', entry({ seq: 1, entry_id: ROOT, source_key: 'k' }));
    await insert('session_usage', usage({ usage_key: 'a' }));
    await insert('artifact_events', event({ ordinal: 0 }));
    await insert('artifacts', artifact({ path: 'a' }));
    await insert('session_commands', command({ seq: 1 }));
    await insert('session_errors', failure({ signature: 's' }));
    await insert('session_todos', todo({ place: 0, todo_id: 'a' }));
    await insert('session_items', item({ item_no: 1 }));
    await insert('session_cycles', cycle({ cycle: 1, revision: 2 }));
    await insert('session_attempts', attempt({ attempt_id: ROOT }));
    await insert('capsules', capsule({ child_plan_id: CHILD }));
    await insert(
      'session_attempts',
      attempt({ attempt_id: CHILD, outcome: 'adopted', finished_at: 'now' }),
    );
  });
  afterAll(() => close());

  it.each(REFUSED)('refuses %s', async (_, table, row, code) => {
    await expect(insert(table, row)).rejects.toMatchObject({ code });
  });

  it('takes the rows of the table above once their one fault is gone', async () => {
    await client.query('begin');
    await insert('plans', plan({}));
    await insert('plans', child({ plan_id: ulid('NB') }));
    await insert('decisions', decision({}));
    await insert('fragments', fragment({}));
    await insert('compression_records', record({}));
    await insert('sessions', session({ parent_session_id: ROOT, parent_entry_id: ROOT }));
    await insert('session_entries', entry({}));
    await insert('session_usage', usage({}));
    await insert('artifact_events', event({}));
    await insert('artifacts', artifact({}));
    await insert('session_commands', command({}));
    await insert('session_errors', failure({}));
    await insert('session_todos', todo({}));
    await insert('session_items', item({}));
    await insert('session_cycles', cycle({}));
    await insert('capsules', capsule({}));
    await client.query('rollback');
    expect(await rowsOf(client, 'select 1 from ossature.plans')).toHaveLength(2);
  });

  it('lets an entry and its events be marked as rewound', async () => {
    for (const table of ['session_entries', 'artifact_events']) {
      await client.query(`update ossature.${table} set active = false`);
      await client.query(`update ossature.${table} set active = true`);
    }
    expect(
      await rowsOf(client, 'select 1 from ossature.session_entries where active'),
    ).toHaveLength(1);
  });

  it('leaves nothing open behind the removal of a session', async () => {
    await client.query('begin');
    await client.query('select ossature.delete_session($1, $2)', ['t', ROOT]);
    expect(await rowsOf(client, 'select 1 from ossature.contents')).toHaveLength(0);
    await insert('sessions', session({ session_id: ROOT }));
    await insert('artifact_events', event({}));
    await expect(client.query('delete from ossature.artifact_events')).rejects.toMatchObject({
      message: expect.stringMatching(/are immutable/),
    });
    await client.query('rollback');
  });

  it.each([
    ['usage cannot shrink', `update ossature.session_usage set output_tokens = 0`],
    ['usage cannot go to another', `update ossature.session_usage set usage_key = 'other'`],
    ['usage cannot go by itself', 'delete from ossature.session_usage'],
  ])('%s', async (_, statement) => {
    await expect(client.query(statement)).rejects.toMatchObject({
      message: expect.stringMatching(/only grow/),
    });
  });

  it.each(IMMUTABLE)('%s', async (_, statement) => {
    await expect(client.query(statement)).rejects.toMatchObject({
      message: expect.stringMatching(/are immutable/),
    });
  });
});
