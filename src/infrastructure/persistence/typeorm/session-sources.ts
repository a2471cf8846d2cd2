/** Sources that sessions were read from, in Postgres. */
import { z } from 'zod';
import type { JsonObject } from '../../../domain/redaction/json-value.js';
import type { KnownSource } from '../../../domain/session/known-source.js';
import type { SessionRepository } from '../../../domain/session/repositories.js';
import { type Sql, statement } from './sql.js';

type SourceRow = Omit<KnownSource, 'receipt'> & { readonly receipt: string };

const receipt = z.record(z.string(), z.json());

export function sourcesOf(
  schema: string,
): (sql: Sql) => Pick<SessionRepository, 'findSources' | 'keepSource'> {
  const sources = `"${schema}".session_sources`;
  const find = statement(`
    select session_id as "sessionId", head_print as "headPrint", source_print as "sourcePrint",
      position, sessions, last_seq as "lastSeq", receipt
    from ${sources} where tenant_id = $1 and head_print = $2`);
  const keep = statement(`
    insert into ${sources} as s (tenant_id, session_id, head_print, source_print, position, sessions,
      last_seq, receipt)
    select tenant_id, session_id, $3, $4, $5, $6, last_seq, $8
    from "${schema}".sessions where tenant_id = $1 and session_id = $2 and last_seq = $7
    on conflict (tenant_id, session_id) do update
    set head_print = excluded.head_print, source_print = excluded.source_print,
      position = excluded.position, sessions = excluded.sessions,
      last_seq = excluded.last_seq, receipt = excluded.receipt`);
  return (sql) => ({
    findSources: async (tenantId, headPrint) =>
      (await sql<SourceRow>(find, [tenantId, headPrint])).map((row) => ({
        ...row,
        receipt: receipt.parse(JSON.parse(row.receipt)) as JsonObject,
      })),
    async keepSource({ tenantId, sessionId }, source) {
      await sql(keep, [
        tenantId,
        sessionId,
        source.headPrint,
        source.sourcePrint,
        source.position,
        source.sessions,
        source.lastSeq,
        JSON.stringify(source.receipt),
      ]);
    },
  });
}
