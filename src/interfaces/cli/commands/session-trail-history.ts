/** `agents session trail --path`: how one artifact came to be what it is, a page at a time. */
import type {
  ArtifactHistory,
  HistoryRequest,
} from '../../../application/session/artifact-trail-service.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import type { CommandResult, Message } from '../view.js';
import { artifactFacts, artifactTable } from './session-trail-artifacts.js';

export interface PageOptions {
  readonly limit?: number;
  readonly after?: number;
}

export async function pathHistory(
  core: Pick<Ossature, 'sessions'>,
  request: HistoryRequest,
  { limit, after }: PageOptions,
): Promise<CommandResult & { readonly messages: readonly Message[] }> {
  const { sessionId, path } = request;
  const page = { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) };
  const found = await core.sessions.trail.history({ ...request, ...page });
  if (found.length === 0) throw unknownPath(sessionId, path);
  const isMixed = found.some(({ origin }) => origin !== null);
  return {
    data: {
      sessionId,
      artifacts: found.map(({ artifact, origin, events, next }) => ({
        ...artifactFacts({ ...artifact, origin }),
        events,
        next,
      })),
    },
    view: [
      artifactTable(found.map(({ artifact, origin }) => ({ ...artifact, origin }))),
      {
        block: 'table',
        title: 'Events, in order',
        isPart: true,
        columns: [
          { title: 'entry', align: 'right' },
          { title: 'action' },
          { title: 'note', isElastic: true },
          ...(isMixed ? [{ title: 'origin' }] : []),
        ],
        rows: found.flatMap(({ origin, events }) =>
          events.map(({ seq, action, note }) => [
            `entry:${seq}`,
            action,
            note,
            ...(isMixed ? [origin ?? ''] : []),
          ]),
        ),
        none: 'No events.',
      },
    ],
    messages: found.flatMap(moreOf),
  };
}

function moreOf({ session, origin, next }: ArtifactHistory): readonly Message[] {
  if (next === null) return [];
  const where = origin === null ? '' : ` of session ${session.sessionId}`;
  return [{ level: 'info', text: `There are more${where}: go on with --after ${next}.` }];
}

function unknownPath(sessionId: string, path: string): OssatureError {
  return new OssatureError(
    'NOT_FOUND',
    `The trail of session ${sessionId} knows no ${path}. Paths are told from the root of the project.`,
    { details: { sessionId, path } },
  );
}
