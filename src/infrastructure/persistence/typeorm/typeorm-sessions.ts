/** Sessions in Postgres. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { SessionKey, SessionRepository } from '../../../domain/session/repositories.js';
import {
  type KnownEntry,
  noSession,
  type Session,
  type SessionUsage,
} from '../../../domain/session/session.js';
import type { StoredMedium } from '../../../domain/session/session-media.js';
import {
  ENTRY_FIELDS,
  ENTRY_TYPES,
  entryRow,
  SESSION_COLUMNS,
  SESSION_FIELDS,
  sessionValues,
  type StoredRow,
  toEntry,
} from './session-columns.js';
import { sessionMarks } from './session-marks.js';
import { type Sql, type Statement, statement } from './sql.js';
import { sourcesOf } from './session-sources.js';
import { namesUnknown } from './store-errors.js';
import { distinctTexts, textParameters, textsAsJson } from './text-parameters.js';

const USAGE_COLUMNS = {
  usage_key: 'text',
  model: 'text',
  uncached_input_tokens: 'bigint',
  cached_input_tokens: 'bigint',
  output_tokens: 'bigint',
  occurred_at: 'text',
  purpose: 'text',
  seq: 'integer',
} as const;
const USAGE_NAMES = Object.keys(USAGE_COLUMNS).join(', ');
const USAGE_TYPES = Object.entries(USAGE_COLUMNS)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');
const GROWING = ['uncached_input_tokens', 'cached_input_tokens', 'output_tokens'] as const;

export function typeormSessions(schema: string): (sql: Sql) => SessionRepository {
  const sessions = `"${schema}".sessions`;
  const entries = `"${schema}".session_entries`;
  const contents = `"${schema}".contents`;
  const usage = `"${schema}".session_usage`;
  const media = `"${schema}".session_media`;
  const counts = `"${schema}".session_entry_counts`;
  const one = 'tenant_id = $1 and session_id = $2';

  const insert = statement(`
    insert into ${sessions} (${SESSION_COLUMNS})
    values (${Array.from({ length: 20 }, (_, index) => `$${index + 1}`).join(', ')})
    on conflict do nothing returning session_id`);
  const select = `select ${SESSION_FIELDS} from ${sessions}`;
  const byKey = statement(`${select} where ${one}`);
  const byVendorId = statement(
    `${select} where tenant_id = $1 and vendor = $2 and vendor_session_id = $3`,
  );
  const locked = statement(`${select} where ${one} for no key update`);
  const ofTenant = statement(
    `${select} where tenant_id = $1 order by created_at desc, session_id desc`,
  );
  const ofPlans = statement(
    `${select} where plan_id = any($1::text[]) order by created_at desc, session_id desc`,
  );
  const ofParent = statement(
    `${select} where tenant_id = $1 and parent_session_id = $2 order by created_at, session_id`,
  );
  const columns = Object.keys(ENTRY_TYPES).join(', ');
  const types = Object.entries(ENTRY_TYPES)
    .map(([column, type]) => `${column} ${type}`)
    .join(', ');
  // In the order of the hashes: two imports that share texts do not wait for each other in a circle.
  const appendWith = (texts: string): Statement =>
    statement(`
    with moved as (
      update ${sessions} set last_seq = $4, last_turn = $5, updated_at = $6,
        model = coalesce($8, model)
      where ${one} and last_seq = $3 returning session_id
    ), texts as (
      insert into ${contents} (tenant_id, content_hash, content)
      select $1, content_hash, content from ${texts}
      where content_hash is not null and exists (select from moved) on conflict do nothing
    ), added as (
      insert into ${entries} (tenant_id, session_id, ${columns})
      select $1, $2, ${columns} from json_to_recordset($7::json) as r (${types})
      where exists (select from moved) order by seq
    )
    select session_id from moved`);
  const appends = textParameters(9).map((texts) => ({ ...texts, append: appendWith(texts.rows) }));
  const manyTexts = textsAsJson(9);
  const appendMany = { ...manyTexts, append: appendWith(manyTexts.rows) };
  const known = statement(`
    select source_key as "sourceKey", seq, entry_print as "entryPrint", active
    from ${entries} where ${one} and source_key = any($3::text[])`);
  const callUnits = statement(`
    select call_id as "callId", unit_id as "unitId" from ${entries}
    where ${one} and kind = 'tool_call' and call_id = any($3::text[]) order by seq`);
  // Every column of the key is given, so that no plan goes through all counts for each entry.
  const recounted = `left join ${counts} k on k.tenant_id = $1 and k.session_id = $2
    and k.seq = e.seq
    and k.counter_name = (select counter_name from ${sessions} where ${one})
    and k.counter_version = (select counter_version from ${sessions} where ${one})`;
  // One text at a time by its key: no plan goes through all texts of a tenant.
  const read = (range: string): string => `
    select ${ENTRY_FIELDS} from ${entries} e
    cross join lateral (
      select content from ${contents}
      where tenant_id = $1 and content_hash = e.content_hash limit 1) c
    ${recounted}
    where e.tenant_id = $1 and e.session_id = $2 and ${range} order by e.seq`;
  // As `entryRow` writes it; what matches by chance in another field is looked at again.
  const rulings = statement(
    read(`e.seq <= $3 and e.kind = 'tool_result' and e.fields like '%"ruling":{"ruling":"%'`),
  );
  // The numbers first and once, as an array: while the tables have no statistics a plan would look for
  // them again at every entry of the session.
  const waitingCalls = statement(
    read(`e.seq = any(array(
      select max(seq) from ${entries}
      where ${one} and kind = 'tool_call' and call_id = any($3::text[]) and seq <= $4
      group by call_id
    )) and not exists (
      select from ${entries} r where r.tenant_id = $1 and r.session_id = $2
        and r.kind = 'tool_result' and r.call_id = e.call_id and r.seq > e.seq and r.seq <= $4)`),
  );
  const list = statement(
    read(`e.seq >= $3 and ($4::integer is null or e.seq <= $4)
      and ($5::text[] is null or e.kind = any($5))`),
  );
  const listAt = statement(read('e.seq = any($3::integer[])'));
  const marks = sessionMarks(schema);
  const sources = sourcesOf(schema);
  const activate = (table: string): string => `update "${schema}".${table} set active = $4
    where ${one} and seq = any($3::integer[]) and active <> $4`;
  const activateAll = statement(`
    with marked_events as (${activate('artifact_events')}),
      marked_commands as (${activate('session_commands')})
    ${activate('session_entries')}`);
  const forgetSource = statement(`delete from "${schema}".session_sources where ${one}`);
  const adopt = statement(`
    update ${sessions} set parent_session_id = $3, parent_entry_id = $4
    where ${one} returning session_id`);
  const serve = statement(`
    update ${sessions} set plan_id = coalesce(plan_id, $3) where ${one} returning session_id`);
  const addUsage = statement(`
    insert into ${usage} as u (tenant_id, session_id, ${USAGE_NAMES})
    select $1, $2, ${USAGE_NAMES} from json_to_recordset($3::json) as r (${USAGE_TYPES})
    on conflict (tenant_id, session_id, usage_key) do update
    set ${GROWING.map((name) => `${name} = greatest(u.${name}, excluded.${name})`).join(', ')}
    where ${GROWING.map((name) => `excluded.${name} > u.${name}`).join(' or ')}`);
  const addMedia = statement(`
    insert into ${media} (tenant_id, media_hash, media)
    select $1, media_hash, decode(data, 'base64')
    from json_to_recordset($2::json) as r (media_hash text, data text)
    order by media_hash on conflict do nothing`);
  const findMedia = statement(`
    select media_hash as "mediaHash", replace(encode(media, 'base64'), E'\\n', '') as data
    from ${media} m where tenant_id = $1 and media_hash = any($3::text[]) and exists (
      select from ${entries} e where e.tenant_id = $1 and e.session_id = $2
        and e.media_hash = m.media_hash)`);
  const addCounts = statement(`
    insert into ${counts} (tenant_id, session_id, counter_name, counter_version, seq, token_count)
    select $1, $2, $3, $4, seq, token_count
    from json_to_recordset($5::json) as r (seq integer, token_count bigint)
    on conflict do nothing`);
  const setCounter = statement(`
    update ${sessions} set counter_name = $3, counter_version = $4
    where ${one} returning session_id`);
  const listUsage = statement(`
    select usage_key as "usageKey", model, uncached_input_tokens as "uncachedInputTokens",
      cached_input_tokens as "cachedInputTokens", output_tokens as "outputTokens",
      occurred_at as "occurredAt", purpose, seq
    from ${usage} where ${one} order by usage_key collate "C"`);
  const remove = {
    ...statement(`select "${schema}".delete_session($1, $2) as "wasThere"`),
    writes: true,
  };

  return (sql) => {
    const find = async ({ tenantId, sessionId }: SessionKey): Promise<Session | null> =>
      (await sql<Session>(byKey, [tenantId, sessionId]))[0] ?? null;
    const found = (session: Session | null | undefined, sessionId: string): Session => {
      if (session === null || session === undefined) throw noSession(sessionId);
      return session;
    };
    const listEntries: SessionRepository['listEntries'] = async (
      { tenantId, sessionId },
      { from, to },
      kinds,
    ) => (await sql<StoredRow>(list, [tenantId, sessionId, from, to, kinds ?? null])).map(toEntry);
    const listEntriesAt: SessionRepository['listEntriesAt'] = async (
      { tenantId, sessionId },
      seqs,
    ) =>
      seqs.length === 0
        ? []
        : (await sql<StoredRow>(listAt, [tenantId, sessionId, seqs])).map(toEntry);
    return {
      insert: async (session) => (await sql<unknown>(insert, sessionValues(session))).length > 0,
      get: async (key) => found(await find(key), key.sessionId),
      find,
      findByVendorId: async (tenantId, vendor, vendorSessionId) =>
        (await sql<Session>(byVendorId, [tenantId, vendor, vendorSessionId]))[0] ?? null,
      lock: async ({ tenantId, sessionId }) =>
        found((await sql<Session>(locked, [tenantId, sessionId]))[0], sessionId),
      list: (tenantId) => sql<Session>(ofTenant, [tenantId]),
      listByPlans: (planIds) => sql<Session>(ofPlans, [planIds]),
      listChildren: ({ tenantId, sessionId }) => sql<Session>(ofParent, [tenantId, sessionId]),
      async append({ tenantId, sessionId }, given, now) {
        const [first, last] = [given[0], given.at(-1)];
        if (first === undefined || last === undefined) return;
        const texts = distinctTexts(given);
        const fitting = appends.find(({ most }) => texts.length <= most) ?? appendMany;
        const moved = await sql(fitting.append, [
          tenantId,
          sessionId,
          first.seq - 1,
          last.seq,
          last.turn,
          now,
          JSON.stringify(given.map(entryRow)),
          given.findLast(({ model }) => model !== undefined)?.model ?? null,
          ...fitting.values(texts),
        ]).catch((error: unknown) => {
          // A text that was known is gone: its last session was removed at this moment.
          throw namesUnknown(error) ? movedOn(sessionId, error) : error;
        });
        if (moved.length === 0) throw movedOn(sessionId);
        await marks.pack(sql, { tenantId, sessionId }, { from: first.seq, to: last.seq });
      },
      findKnown: ({ tenantId, sessionId }, sourceKeys) =>
        sql<KnownEntry>(known, [tenantId, sessionId, sourceKeys]),
      async findCallUnits({ tenantId, sessionId }, callIds) {
        if (callIds.length === 0) return new Map();
        const rows = await sql<{ readonly callId: string; readonly unitId: string }>(callUnits, [
          tenantId,
          sessionId,
          callIds,
        ]);
        return new Map(rows.map(({ callId, unitId }) => [callId, unitId]));
      },
      async findWaitingCalls({ tenantId, sessionId }, callIds, upTo) {
        if (callIds.length === 0) return [];
        const values = [tenantId, sessionId, callIds, upTo];
        return (await sql<StoredRow>(waitingCalls, values)).map(toEntry);
      },
      async setActive({ tenantId, sessionId }, seqs, active) {
        await sql(forgetSource, [tenantId, sessionId]);
        await sql(activateAll, [tenantId, sessionId, seqs, active]);
      },
      listRulings: async ({ tenantId, sessionId }, upTo) =>
        (await sql<StoredRow>(rulings, [tenantId, sessionId, upTo]))
          .map(toEntry)
          .filter((entry) => entry.kind === 'tool_result' && entry.ruling !== null),
      sumEntries: (key, behind) => marks.sum(sql, key, behind),
      listEntries,
      listEntriesAt,
      listMarks: (key, range) => marks.list(sql, key, range, listEntriesAt),
      listHashes: (key, range) => marks.hashes(sql, key, range),
      async setPlan({ tenantId, sessionId }, planId) {
        const changed = await sql(serve, [tenantId, sessionId, planId]);
        if (changed.length === 0) throw noSession(sessionId);
      },
      async setParent({ tenantId, sessionId }, parentSessionId, parentEntryId) {
        const values = [tenantId, sessionId, parentSessionId, parentEntryId];
        const changed = await sql(adopt, values).catch((error: unknown) => {
          throw namesUnknown(error) ? noSession(parentSessionId) : error;
        });
        if (changed.length === 0) throw noSession(sessionId);
      },
      async addMedia({ tenantId }, given) {
        if (given.length === 0) return;
        const rows = given.map(({ mediaHash, data }) => ({ media_hash: mediaHash, data }));
        await sql(addMedia, [tenantId, JSON.stringify(rows)]);
      },
      async findMedia({ tenantId, sessionId }, mediaHashes) {
        if (mediaHashes.length === 0) return new Map();
        const rows = await sql<StoredMedium>(findMedia, [tenantId, sessionId, mediaHashes]);
        return new Map(rows.map(({ mediaHash, data }) => [mediaHash, data]));
      },
      async addCounts({ tenantId, sessionId }, { name, version }, given) {
        const rows = given.map(({ seq, tokenCount }) => ({ seq, token_count: tokenCount }));
        const values = [tenantId, sessionId, name, version, JSON.stringify(rows)];
        await sql(addCounts, values).catch((error: unknown) => {
          throw namesUnknown(error) ? noSession(sessionId) : error;
        });
      },
      async setCounter({ tenantId, sessionId }, { name, version }) {
        const changed = await sql(setCounter, [tenantId, sessionId, name, version]);
        if (changed.length === 0) throw noSession(sessionId);
      },
      async addUsage({ tenantId, sessionId }, given) {
        await sql(addUsage, [tenantId, sessionId, JSON.stringify(given.map(usageRow))]);
      },
      listUsage: ({ tenantId, sessionId }) => sql<SessionUsage>(listUsage, [tenantId, sessionId]),
      ...sources(sql),
      async delete({ tenantId, sessionId }) {
        const [answer] = await sql<{ readonly wasThere: boolean }>(remove, [tenantId, sessionId]);
        if (answer?.wasThere !== true) throw noSession(sessionId);
      },
    };
  };
}

function usageRow(usage: SessionUsage) {
  return {
    usage_key: usage.usageKey,
    model: usage.model,
    uncached_input_tokens: usage.uncachedInputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    occurred_at: usage.occurredAt,
    purpose: usage.purpose,
    seq: usage.seq,
  };
}

function movedOn(sessionId: string, cause?: unknown): OssatureError {
  return new OssatureError(
    'STALE',
    `Session ${sessionId} has moved on while it was being appended to. Read it again and repeat.`,
    { details: { sessionId }, ...(cause !== undefined && { cause }) },
  );
}
