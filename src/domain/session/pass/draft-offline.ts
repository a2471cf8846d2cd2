/** The strategy `offline`: standing rules, the sections that code fills, and what structure tells beside them. */
import type { StoredEntry } from '../stored-entry.js';
import { summariseOffline } from '../summary/offline-summary.js';
import { pinStandingRules } from '../summary/pins.js';
import type { Making } from '../summary/summary-item.js';
import type { PassDraft, PassInput } from './finish-pass.js';

export function draftOffline<Entry extends StoredEntry>({
  request,
  span,
  lines,
  commands,
  making,
  counter,
  digest,
}: PassInput<Entry>): PassDraft {
  const byCode: Making = { ...making, producer: 'trail' };
  const ruled = pinStandingRules(request.summary, span, byCode, digest).summary;
  // Nothing but its commands is cited of a window.
  const window = { seqs: new Set(commands.map(({ seq }) => seq)), commands };
  const merged = summariseOffline(ruled, [window], lines, making, { counter, digest });
  const summary = merged.outcome === 'merged' ? merged.summary : ruled;
  return { strategy: 'offline', summary, patches: [], answers: [], blob: null, history: [] };
}
