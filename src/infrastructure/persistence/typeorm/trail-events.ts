/** Events of trails, in the order in which they were settled: all of them, those of paths, or a page. */
import type { TrailRepository } from '../../../domain/session/repositories.js';
import { type Sql, type Statement, statement } from './sql.js';
import { EVENT_FIELDS, type EventRow, toEvent } from './trail-columns.js';

/** No entry has a higher number. */
const LAST = 2 ** 31 - 1;

const OF_SESSION = 'tenant_id = $1 and session_id = $2';

export function trailEvents(
  schema: string,
): (sql: Sql) => Pick<TrailRepository, 'listEvents' | 'listChanges'> {
  const table = `"${schema}".artifact_events`;
  // By the digest, which the index has; joined, as a list of thousands would be gone through for each event.
  const ofPaths = `(select distinct p as wanted from unnest($3::text[]) p) w
    join ${table} on md5(path) = md5(wanted) and path = wanted`;
  const select = (from: string, rest: string): Statement =>
    statement(`select ${EVENT_FIELDS} from ${from} where ${OF_SESSION} ${rest}`);
  const inOrder = 'order by result_seq, seq, ordinal';
  const changed = `and ok and active and action not in ('read', 'listed') ${inOrder}`;
  const changes = select(table, changed);
  const changesAt = select(ofPaths, changed);
  const events = select(table, inOrder);
  const eventsAt = select(ofPaths, inOrder);
  const paged = (from: string, after: string, limit: string): Statement =>
    select(
      from,
      `and result_seq > ${after}::integer and result_seq <= coalesce((
        select result_seq from ${from} where ${OF_SESSION} and result_seq > ${after}::integer
        order by result_seq limit 1 offset ${limit}::integer - 1), ${LAST}) ${inOrder}`,
    );
  const eventPage = paged(table, '$3', '$4');
  const eventPageAt = paged(ofPaths, '$4', '$5');

  return (sql) => ({
    async listChanges({ tenantId, sessionId }, paths) {
      const own = [tenantId, sessionId];
      const rows =
        paths === undefined
          ? await sql<EventRow>(changes, own)
          : await sql<EventRow>(changesAt, [...own, paths]);
      return rows.map(toEvent);
    },
    async listEvents({ tenantId, sessionId }, paths, page) {
      const own = [tenantId, sessionId, ...(paths ? [paths] : [])];
      const rows =
        page === undefined
          ? await sql<EventRow>(paths ? eventsAt : events, own)
          : await sql<EventRow>(paths ? eventPageAt : eventPage, [...own, page.after, page.limit]);
      return rows.map(toEvent);
    },
  });
}
