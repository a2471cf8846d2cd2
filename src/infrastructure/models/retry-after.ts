/** The header by which a server says when to come again: seconds, or a date (RFC 9110, 10.2.3). */

/**
 * Milliseconds to wait, 0 for a time that is past; null: nothing that can be read is said.
 *
 * A date is taken by the clock of the server where it states one, so that a wrong clock here does no harm.
 */
export function retryAfterMs(
  header: (name: string) => string | null | undefined,
  now: Date,
): number | null {
  const stated = header('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/u.test(stated)) return Number(stated) * 1_000;
  // A fraction is not in the standard, but in the wild.
  if (/^\d{1,9}\.\d{1,9}$/u.test(stated)) return Math.ceil(Number(stated) * 1_000);
  const until = /[a-z]/iu.test(stated) ? Date.parse(stated) : Number.NaN;
  if (Number.isNaN(until)) return null;
  const serverNow = Date.parse(header('date') ?? '');
  return Math.max(0, until - (Number.isNaN(serverNow) ? now.getTime() : serverNow));
}
