/**
 * A manifest of 150 dropped claims was checked claim by claim, three questions each, when the transaction
 * ended. It is checked as a whole now, when its statement ends: holders and edges are written before it.
 * And long values of attempts and events are kept as they are: compressing them cost more than reading
 * them saves. Old code writes in the same order, so it goes on working.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CheckHoldersAtOnce1764500000021 implements MigrationInterface {
  readonly name = 'CheckHoldersAtOnce1764500000021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger dropped_claims_holder on dropped_claims');
    await runner.query(`
      create function check_claim_holders() returns trigger language plpgsql
      set search_path from current as $$
      declare
        pair record;
      begin
        -- Pair by pair, so that the claims of one holder are read, and not those of all lessons.
        for pair in select distinct lesson_id, holder_id from written loop
          if exists (
            select from written w, unnest(w.claim_ids) as named (claim_id)
            where w.lesson_id = pair.lesson_id and w.holder_id = pair.holder_id
              and named.claim_id not in (
                select claim_id from lesson_claims where lesson_id = pair.holder_id)) then
            raise exception 'lesson % does not have the claim that it is to hold', pair.holder_id
              using errcode = 'integrity_constraint_violation';
          end if;
          if not exists (select from lesson_edges
              where parent_id = pair.lesson_id and child_id = pair.holder_id)
            and not exists (
              with recursive below (lesson_id) as (
                select pair.lesson_id
                union select e.child_id from lesson_edges e join below b on e.parent_id = b.lesson_id)
              select from below where lesson_id = pair.holder_id) then
            raise exception 'lesson % is not below %', pair.holder_id, pair.lesson_id
              using errcode = 'integrity_constraint_violation';
          end if;
        end loop;
        return null;
      end $$`);
    for (const act of ['insert', 'update']) {
      await runner.query(`
        create trigger dropped_claims_holders_${act} after ${act} on dropped_claims
        referencing new table as written
        for each statement execute function check_claim_holders()`);
    }
    await runner.query('drop function check_claim_holder()');
    await setStorage(runner, 'external');
  }

  async down(runner: QueryRunner): Promise<void> {
    await setStorage(runner, 'extended');
    for (const act of ['insert', 'update']) {
      await runner.query(`drop trigger dropped_claims_holders_${act} on dropped_claims`);
    }
    await runner.query('drop function check_claim_holders()');
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
        if not exists (select from lesson_edges
            where parent_id = new.lesson_id and child_id = new.holder_id)
          and not exists (
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
}

async function setStorage(runner: QueryRunner, storage: 'external' | 'extended'): Promise<void> {
  await runner.query(`alter table lesson_events alter column change set storage ${storage}`);
  await runner.query(
    `alter table compression_attempts alter column candidate set storage ${storage}`,
  );
}
