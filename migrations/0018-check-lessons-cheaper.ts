/**
 * Two rules of lessons. A lesson that was served and not used may be corrected all the same: the person
 * says that it was wrong. And the holder of a dropped claim, which is nearly always the lesson that was
 * shortened, is looked up as its source first: an attempt that drops 150 claims walked the lineage 150 times.
 * Old code still writes: the first rule is looser, the second the same.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CheckLessonsCheaper1764500000018 implements MigrationInterface {
  readonly name = 'CheckLessonsCheaper1764500000018';

  async up(runner: QueryRunner): Promise<void> {
    await useRule(runner, 'used or not (succeeded or credited)');
    await holderRule(
      runner,
      `if not exists (select from lesson_edges
          where parent_id = new.lesson_id and child_id = new.holder_id)
        and not exists (${BELOW}) then`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await holderRule(runner, `if not exists (${BELOW}) then`);
    // What the looser rule let in stays as it is.
    await useRule(runner, 'used or not (corrected or succeeded or credited)', 'not valid');
  }
}

const BELOW = `
  with recursive below (lesson_id) as (
    select new.lesson_id
    union select e.child_id from lesson_edges e join below b on e.parent_id = b.lesson_id)
  select from below where lesson_id = new.holder_id`;

async function useRule(runner: QueryRunner, rule: string, how = ''): Promise<void> {
  await runner.query(`
    alter table lesson_uses drop constraint lesson_uses_only_used_ones_count,
    add constraint lesson_uses_only_used_ones_count check (${rule}) ${how}`);
}

async function holderRule(runner: QueryRunner, ifNotBelow: string): Promise<void> {
  await runner.query(`
    create or replace function check_claim_holder() returns trigger language plpgsql
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
      ${ifNotBelow}
        raise exception 'lesson % is not below %', new.holder_id, new.lesson_id
          using errcode = 'integrity_constraint_violation';
      end if;
      return null;
    end $$`);
}
