/** Lists of lessons come in pages. */
import type { Message } from '../view.js';

export interface PageOptions {
  readonly limit?: number;
  readonly after?: string;
}

export function pageOf({ limit, after }: PageOptions) {
  return { ...(limit === undefined ? {} : { limit }), after: after ?? null };
}

export function moreMessage(next: string | null): readonly Message[] {
  return next === null
    ? []
    : [{ level: 'info', text: `There are more: go on with --after ${next}` }];
}
