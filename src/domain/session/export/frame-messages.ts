/** The frame of a session for providers that take system texts among the other messages. */
import { formOf, type SourceForm } from '../source-form.js';
import type { OutgoingContext } from './outgoing-context.js';
import { inSourceOrder, isVisible, type OutgoingPart } from './outgoing-parts.js';

export interface FrameMessage {
  readonly speaker: 'system';
  readonly parts: readonly OutgoingPart[];
  readonly form: SourceForm | null;
}

/** One message for each text that the frame is joined of; one in all where the host gave it. */
export function frameMessages({ frame, frameEntries }: OutgoingContext): readonly FrameMessage[] {
  if (frame === null || !isVisible(frame)) return [];
  if (frameEntries === undefined) {
    return [{ speaker: 'system', parts: [{ part: 'text', text: frame, seq: null }], form: null }];
  }
  return frameEntries.flatMap((entry) => {
    if (!isVisible(entry.content)) return [];
    const form = formOf([entry]);
    const said = { text: entry.content, seq: entry.seq };
    return [
      { speaker: 'system' as const, parts: inSourceOrder(form?.places ?? [], said, []), form },
    ];
  });
}
