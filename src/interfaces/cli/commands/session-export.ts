/** `agents session export`: a session as the messages of a provider. */
import type { ExportNote, ExportNoteReason } from '../../../domain/session/export/export-note.js';
import type { ExportProvider } from '../../../domain/session/export/providers.js';
import { refuseTarget, writeTarget } from '../export-target.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { printable } from '../text-width.js';
import { type Block, type CommandResult, formatCount, type Message } from '../view.js';
import { Verbatim } from '../wire-names.js';

export interface SessionExportOptions {
  readonly to: ExportProvider;
  readonly out?: string;
  readonly force?: boolean;
  readonly tenant: string;
}

export function exportSession(
  terminal: Terminal,
  name: string,
  { to: provider, out, force = false, tenant: tenantId }: SessionExportOptions,
): Promise<CommandResult> {
  const file = out === undefined || out === '-' ? null : out;
  if (file !== null) refuseTarget(file, force);
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(tenantId, name);
    const exported = await core.sessions.exports.export({ tenantId, sessionId, provider });
    const { system, messages, prefixTokens, prefix, notes } = exported;
    const text = asJson({
      ...(system === null ? {} : { [systemMember(provider)]: system }),
      messages,
      prefix_tokens: prefixTokens,
    });
    if (file !== null) await writeTarget(file, force, `${text}\n`);
    const written: Block = {
      block: 'fields',
      title: 'Session exported',
      fields: [
        ['session_id', sessionId],
        ['provider', provider],
        ['file', file ?? ''],
        ['messages', formatCount(messages.length)],
        ['prefix_tokens', formatCount(prefixTokens)],
      ],
    };
    return {
      data: {
        sessionId,
        provider,
        file,
        system,
        messages: new Verbatim(messages),
        prefixTokens,
        prefix,
        notes,
      },
      view: [file === null ? { block: 'text', text } : written],
      messages: told(notes),
    };
  });
}

/** What the provider calls the system text that stands beside the messages. */
function systemMember(provider: ExportProvider): string {
  return provider === 'openai-responses' ? 'instructions' : 'system';
}

/** JSON that a terminal shows as it is: what it would not show stands as an escape. */
function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[\u007F-\uFFFF]/g, (unit) =>
    printable(unit, 'lines') === unit
      ? unit
      : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const REASONS: Readonly<Record<ExportNoteReason, string>> = {
  'thinking-left-out': 'Left out, thinking that the provider does not take back',
  'empty-left-out': 'Left out, texts without a visible character',
  'vendor-compaction-left-out': 'Left out, compaction of the vendor whose entries are there',
  'inactive-left-out': 'Left out, entries of a rewound branch',
  'result-without-call': 'Shown as text, results whose call is not in the transcript',
  'result-missing': 'Answered by a notice, calls without a result',
  'results-joined': 'Joined, several results of one call',
  'call-id-rewritten': 'Rewritten, ids of calls',
  'tool-name-rewritten': 'Rewritten, names of tools',
  'arguments-wrapped': 'Wrapped, arguments that are no object',
  'media-described': 'Described in a line, media',
  'system-as-user': 'Shown as the user’s, system texts in the middle',
  'opening-added': 'Added, an opening line of the user',
};

/** Entries that a message names; the answer in JSON names all. */
const NAMED = 5;

function told(notes: readonly ExportNote[]): readonly Message[] {
  const reasons = [...new Set(notes.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const handles = notes.flatMap((note) =>
      note.reason === reason && note.seq !== null ? `entry:${note.seq}` : [],
    );
    const more = handles.length > NAMED ? ` and ${formatCount(handles.length - NAMED)} more` : '';
    const where = handles.length === 0 ? '' : `: ${handles.slice(0, NAMED).join(', ')}${more}`;
    return { level: 'info', text: `${REASONS[reason]}${where}.` };
  });
}
