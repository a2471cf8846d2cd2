/**
 * Lessons: their texts and levels, what each level lost, the work that proves them, what happened to them.
 *
 * Why both levels stand in an edge: with foreign keys on id and level and the parent's level the higher
 * one, no cycle can be stored. Why deferred triggers: an apex, a holder and a manifest follow from several
 * rows, which one transaction writes one after another. Why nothing can be deleted: what a lesson once said
 * is what its shorter forms are held to. Ids are not checked for their form, which the boundary does. New
 * tables; they lock nothing that exists but `projects` for a moment.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

const KINDS = `'parameter', 'example', 'precondition', 'edge-case', 'rationale', 'counter-example',
  'procedure-step', 'naming', 'reference'`;

/** In the order of their foreign keys. */
const TABLES = [
  'lessons',
  'lesson_texts',
  'lesson_edges',
  'lesson_claims',
  'claim_covers',
  'dropped_claims',
  'lesson_terms',
  'episodes',
  'episode_uses',
  'lesson_uses',
  'lesson_coverage',
  'episode_marks',
  'observed_spans',
  'preserve_hints',
  'repairs',
  'rescues',
  'lesson_tries',
  'lesson_conflicts',
  'lesson_servings',
  'lesson_policies',
  'lesson_events',
] as const;

/** What is written once; of these only what `refuse_lesson_change` lists may change. */
const LASTING = [
  'lessons',
  'lesson_texts',
  'lesson_edges',
  'episodes',
  'episode_uses',
  'lesson_uses',
  'lesson_coverage',
  'repairs',
  'rescues',
  'lesson_conflicts',
  'lesson_events',
] as const;

export class CreateLessons1764500000011 implements MigrationInterface {
  readonly name = 'CreateLessons1764500000011';

  async up(runner: QueryRunner): Promise<void> {
    await createLessons(runner);
    await createClaims(runner);
    await createEpisodes(runner);
    await createEvidence(runner);
    await createRecords(runner);
    await guardTexts(runner);
    await guardStructure(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [...TABLES].reverse()) await runner.query(`drop table ${table}`);
    for (const name of ['refuse_lesson_change', 'check_lesson_apex', 'check_claim_holder']) {
      await runner.query(`drop function ${name}()`);
    }
  }
}

async function createLessons(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table lessons (
      lesson_id text primary key,
      project_id text references projects,
      family text not null check (family ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
      title text not null check (length(title) between 1 and 120),
      gist text not null check (gist <> ''),
      body text not null check (length(body) between 1 and 100000),
      tokens integer not null check (tokens >= 1),
      body_digest text not null,
      body_fingerprint text not null,
      counter_name text not null,
      counter_version text not null,
      level integer not null check (level >= 0),
      level0_tokens bigint not null check (level0_tokens >= 1),
      status text not null
        check (status in ('active', 'superseded', 'demoted', 'disputed', 'archived')),
      demoted_because text check (demoted_because in ('regressed', 'retired')),
      is_apex boolean not null,
      origin text not null check (origin in ('reflection', 'compression', 'merge', 'manual')),
      provisional_because text[] not null check (provisional_because <@ array['no-holdout',
        'few-held-out', 'few-discriminating', 'no-process', 'unaudited']),
      pass_rate_lower_bound double precision check (pass_rate_lower_bound between 0 and 1),
      version integer not null check (version >= 1),
      tags text[] not null,
      shown bigint not null check (shown >= 0),
      attempts bigint not null check (attempts >= 0),
      successes bigint not null check (successes >= 0),
      failures bigint not null check (failures >= 0),
      expansions bigint not null check (expansions >= 0),
      rescues bigint not null check (rescues >= 0),
      saved_tokens bigint not null,
      added_tokens bigint not null,
      last_used_at timestamptz,
      last_attempt_at timestamptz,
      rejections integer not null check (rejections >= 0),
      saturated boolean not null,
      evidence bigint not null check (evidence >= 0),
      term_count integer not null check (term_count >= 0),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      constraint lessons_level unique (lesson_id, level),
      constraint lessons_attempts_end_well_or_not check (successes + failures = attempts),
      constraint lessons_demoted_for_a_reason
        check ((status = 'demoted') = (demoted_because is not null)),
      constraint lessons_apexes_are_servable
        check (not is_apex or status in ('active', 'disputed')),
      constraint lessons_originals_stay
        check (level > 0 or (status <> 'demoted' and origin in ('reflection', 'manual')))
    )`);
  await runner.query(`
    create unique index lessons_text_of_scope
    on lessons (coalesce(project_id, ''), body_fingerprint) where level = 0`);
  await runner.query(`
    create index lessons_apexes on lessons (coalesce(project_id, ''), lesson_id)
    include (term_count) where is_apex`);
  await runner.query(`
    create index lessons_due on lessons (successes desc, lesson_id)
    where is_apex and status = 'active' and not saturated`);
  await runner.query(`
    create index lessons_by_posterior
    on lessons (((successes + 1)::double precision / (attempts + 2)) desc, lesson_id)
    where is_apex`);
  await runner.query('create index lessons_family on lessons (family, lesson_id)');
  await runner.query('create index lessons_id_prefix on lessons (lesson_id text_pattern_ops)');
  await runner.query(`
    create table lesson_texts (
      lesson_id text not null references lessons,
      version integer not null check (version >= 1),
      body text not null,
      tokens integer not null check (tokens >= 1),
      body_digest text not null,
      replaced_at timestamptz not null,
      primary key (lesson_id, version)
    )`);
  // `made_digest`: a source is given each text once, whatever becomes of the lesson that has it.
  await runner.query(`
    create table lesson_edges (
      child_id text not null,
      parent_id text not null,
      kind text not null check (kind in ('compression', 'merge')),
      child_level integer not null,
      parent_level integer not null,
      made_digest text not null,
      primary key (child_id, parent_id),
      foreign key (child_id, child_level) references lessons (lesson_id, level),
      foreign key (parent_id, parent_level) references lessons (lesson_id, level),
      constraint lesson_edges_made_once unique (child_id, made_digest),
      constraint lesson_edges_lead_upwards check (parent_level > child_level),
      constraint lesson_edges_of_one_level
        check (kind = 'merge' or parent_level = child_level + 1)
    )`);
  await runner.query('create index lesson_edges_parent on lesson_edges (parent_id, child_id)');
  await runner.query(`
    create table lesson_terms (
      lesson_id text not null references lessons,
      term text not null,
      count integer not null check (count >= 1),
      primary key (term, lesson_id)
    )`);
}

async function createClaims(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table lesson_claims (
      lesson_id text not null references lessons,
      claim_id text not null,
      ordinal integer not null check (ordinal >= 1),
      text text not null check (text <> ''),
      fingerprint text not null,
      claim_values text[] not null,
      primary key (lesson_id, claim_id)
    )`);
  await runner.query(`
    create table claim_covers (
      child_id text not null references lessons,
      child_claim_id text not null,
      parent_id text not null references lessons,
      how text not null check (how in ('kept', 'merged', 'dropped', 'reworded')),
      parent_claim_ids text[] not null,
      audited boolean not null,
      primary key (child_id, child_claim_id, parent_id)
    )`);
  await runner.query(`
    create table dropped_claims (
      lesson_id text not null references lessons,
      ordinal integer not null check (ordinal >= 1),
      claim text not null check (claim <> ''),
      kind text not null check (kind in (${KINDS})),
      holder_id text not null references lessons,
      claim_ids text[] not null check (cardinality(claim_ids) >= 1),
      fingerprint text not null,
      tokens integer not null check (tokens >= 0),
      origin_attempt_id text,
      primary key (lesson_id, ordinal),
      constraint dropped_claims_are_named_once unique (lesson_id, fingerprint),
      constraint dropped_claims_of_another check (holder_id <> lesson_id)
    )`);
  await runner.query('create index dropped_claims_holder on dropped_claims (holder_id)');
}

async function createEpisodes(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table episodes (
      episode_id text primary key,
      project_id text references projects,
      axis text,
      prompt text not null check (length(prompt) between 1 and 4000),
      prompt_cut_characters integer not null check (prompt_cut_characters >= 0),
      outcome text not null check (outcome in ('success', 'failure', 'unknown')),
      confidence double precision not null check (confidence between 0 and 1),
      accepted_summary text check (length(accepted_summary) <= 4000),
      mechanical_check jsonb check (jsonb_typeof(mechanical_check) = 'object'),
      session_id text,
      created_at timestamptz not null
    )`);
  await runner.query('create index episodes_id_prefix on episodes (episode_id text_pattern_ops)');
  await runner.query(`
    create table episode_uses (
      use_id text primary key,
      use_key text constraint episode_uses_key unique,
      content_digest text not null,
      kind text not null check (kind in ('per-use', 'session-end')),
      episode_id text not null references episodes,
      session_id text,
      receipt jsonb not null check (jsonb_typeof(receipt) = 'object'),
      created_at timestamptz not null
    )`);
  await runner.query(`
    create index episode_uses_session on episode_uses (session_id) where session_id is not null`);
  await runner.query(`
    create table lesson_uses (
      use_id text not null references episode_uses,
      lesson_id text not null references lessons,
      place integer not null check (place >= 1),
      episode_id text not null references episodes,
      used boolean not null,
      corrected boolean not null,
      succeeded boolean not null,
      credited boolean not null,
      primary key (use_id, lesson_id),
      constraint lesson_uses_only_used_ones_count check (used or not (corrected or succeeded or credited))
    )`);
  await runner.query(`
    create index lesson_uses_uncorrected on lesson_uses (lesson_id, episode_id)
    where used and not corrected`);
  await runner.query(`
    create table lesson_coverage (
      lesson_id text not null references lessons,
      episode_id text not null references episodes,
      primary key (lesson_id, episode_id)
    )`);
  await runner.query(`
    create table episode_marks (
      lesson_id text not null references lessons,
      episode_id text not null references episodes,
      kind text not null check (kind in ('sticky', 'exposed', 'quarantined')),
      marked_at timestamptz not null,
      source_digest text,
      primary key (lesson_id, episode_id, kind),
      constraint episode_marks_quarantine_a_text
        check ((kind = 'quarantined') = (source_digest is not null))
    )`);
}

async function createEvidence(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table observed_spans (
      lesson_id text not null references lessons,
      ordinal integer not null check (ordinal >= 1),
      text text not null check (text <> ''),
      start_at integer check (start_at >= 0),
      end_at integer check (end_at > start_at),
      count integer not null check (count >= 1),
      first_seen_at timestamptz not null,
      last_seen_at timestamptz not null,
      primary key (lesson_id, ordinal),
      constraint observed_spans_have_both_ends check ((start_at is null) = (end_at is null))
    )`);
  await runner.query(`
    create table preserve_hints (
      lesson_id text not null references lessons,
      ordinal integer not null check (ordinal >= 1),
      text text not null check (text <> ''),
      source text not null check (source in ('replay', 'complaint', 'repair', 'carried')),
      claim_ids text[] not null,
      episode_id text references episodes,
      added_at timestamptz not null,
      primary key (lesson_id, ordinal)
    )`);
  await runner.query(`
    create table repairs (
      repair_id text primary key,
      lesson_id text not null references lessons,
      fingerprint text not null,
      claim text not null,
      holder_id text not null references lessons,
      appended boolean not null,
      body_before text not null,
      body_after text not null,
      tokens_before integer not null check (tokens_before >= 1),
      tokens_after integer not null check (tokens_after >= tokens_before),
      retired boolean not null,
      created_at timestamptz not null
    )`);
  await runner.query('create index repairs_lesson on repairs (lesson_id, created_at)');
  await runner.query(`
    create table rescues (
      rescue_id text primary key,
      lesson_id text not null references lessons,
      fingerprint text not null,
      claim text not null,
      holder_id text not null references lessons,
      source text not null check (source in ('descent', 'correction', 'person', 'refinement')),
      descent_id text,
      step integer check (step >= 1),
      episode_id text references episodes,
      repair_id text references repairs,
      created_at timestamptz not null,
      constraint rescues_of_a_step unique (descent_id, step)
    )`);
  await runner.query('create index rescues_lesson on rescues (lesson_id, fingerprint)');
  await runner.query(`
    create table lesson_tries (
      lesson_id text not null references lessons,
      target_id text not null references lessons,
      fingerprint text not null,
      tries integer not null check (tries >= 1),
      rescues integer not null check (rescues between 0 and tries),
      primary key (lesson_id, target_id, fingerprint)
    )`);
  await runner.query(`
    create table lesson_conflicts (
      conflict_id text primary key,
      first_id text not null references lessons,
      second_id text not null references lessons check (second_id <> first_id),
      question text not null check (question <> ''),
      status text not null check (status in ('open', 'closed')),
      kept text[] not null,
      note text,
      opened_at timestamptz not null,
      closed_at timestamptz,
      constraint lesson_conflicts_end_once check ((status = 'closed') = (closed_at is not null))
    )`);
  for (const side of ['first_id', 'second_id']) {
    await runner.query(`
      create index lesson_conflicts_open_${side} on lesson_conflicts (${side})
      where status = 'open'`);
  }
}

async function createRecords(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table lesson_servings (
      session_id text not null,
      lesson_id text not null references lessons,
      version integer not null check (version >= 1),
      form text not null check (form in ('body', 'gist')),
      turn integer not null check (turn >= 0),
      served_at timestamptz not null,
      primary key (session_id, lesson_id)
    )`);
  await runner.query(`
    create table lesson_policies (
      project_id text references projects,
      overrides jsonb not null check (jsonb_typeof(overrides) = 'object')
    )`);
  await runner.query(`
    create unique index lesson_policies_project on lesson_policies (coalesce(project_id, ''))`);
  await runner.query(`
    create table lesson_events (
      seq bigint generated by default as identity primary key,
      at timestamptz not null,
      kind text not null,
      lesson_id text references lessons,
      version integer,
      change jsonb not null check (jsonb_typeof(change) = 'object')
    )`);
  await runner.query(`
    create index lesson_events_bugs on lesson_events (lesson_id, version)
    where kind = 'compression-bug'`);
}

/** What was written stays: only standing, counters and the text of a repaired lesson change. */
async function guardTexts(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function refuse_lesson_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        case tg_table_name
          when 'lessons' then
            if old.lesson_id = new.lesson_id and old.level = new.level
              and old.family = new.family and old.origin = new.origin
              and old.project_id is not distinct from new.project_id
              and old.created_at = new.created_at and old.version <= new.version
              and (new.level > 0 or starts_with(new.body, old.body))
            then return new; end if;
          when 'rescues' then
            if old.repair_id is null
              and to_jsonb(old) - 'repair_id' = to_jsonb(new) - 'repair_id'
            then return new; end if;
          when 'lesson_conflicts' then
            if old.status = 'open' and old.question = new.question
              and old.first_id = new.first_id and old.second_id = new.second_id
            then return new; end if;
          else null;
        end case;
      end if;
      raise exception 'rows of % stay as they are', tg_table_name
        using errcode = 'restrict_violation';
    end $$`);
  for (const table of LASTING) {
    await runner.query(`
      create trigger ${table}_stay before update or delete on ${table}
      for each row execute function refuse_lesson_change()`);
    await runner.query(`
      create trigger ${table}_are_not_emptied before truncate on ${table}
      for each statement execute function refuse_lesson_change()`);
  }
}

async function guardStructure(runner: QueryRunner): Promise<void> {
  // Given the column that names the lesson whose standing counts for itself and for what is below it.
  await runner.query(`
    create function check_lesson_apex() returns trigger language plpgsql
    set search_path from current as $$
    declare
      changed text := to_jsonb(new) ->> tg_argv[0];
      wrong text;
    begin
      select l.lesson_id into wrong from lessons l
      where l.lesson_id in (
          select changed union select e.child_id from lesson_edges e where e.parent_id = changed)
        and l.is_apex <> (l.status in ('active', 'disputed') and not exists (
          select from lesson_edges e join lessons p on p.lesson_id = e.parent_id
          where e.child_id = l.lesson_id and p.status in ('active', 'disputed', 'superseded')))
      limit 1;
      if wrong is not null then
        raise exception 'lesson % is told to be an apex and is none, or the reverse', wrong
          using errcode = 'integrity_constraint_violation';
      end if;
      return null;
    end $$`);
  await runner.query(`
    create constraint trigger lessons_apex after insert or update of status, is_apex on lessons
    deferrable initially deferred for each row execute function check_lesson_apex('lesson_id')`);
  await runner.query(`
    create constraint trigger lesson_edges_apex after insert on lesson_edges
    deferrable initially deferred for each row execute function check_lesson_apex('parent_id')`);
  await runner.query(`
    create function check_claim_holder() returns trigger language plpgsql
    set search_path from current as $$
    begin
      -- An entry that was replaced in the same transaction is not there any more.
      if not exists (select from dropped_claims where lesson_id = new.lesson_id
        and ordinal = new.ordinal and fingerprint = new.fingerprint) then return null; end if;
      if exists (select from unnest(new.claim_ids) as named (claim_id) where not exists (
          select from lesson_claims c
          where c.lesson_id = new.holder_id and c.claim_id = named.claim_id)) then
        raise exception 'lesson % does not have the claim that it is to hold', new.holder_id
          using errcode = 'integrity_constraint_violation';
      end if;
      if not exists (
        with recursive below (lesson_id) as (
          select new.lesson_id
          union select e.child_id from lesson_edges e join below b on e.parent_id = b.lesson_id)
        select from below where lesson_id = new.holder_id) then
        raise exception 'lesson % is not below %', new.holder_id, new.lesson_id
          using errcode = 'integrity_constraint_violation';
      end if;
      return null;
    end $$`);
  await runner.query(`
    create constraint trigger dropped_claims_holder after insert or update on dropped_claims
    deferrable initially deferred for each row execute function check_claim_holder()`);
}
