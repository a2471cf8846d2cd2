/**
 * Ends with the work, or as soon as the signal is aborted, whatever the work makes of the signal itself.
 * What the work does later is heard and forgotten, so that it never becomes an unhandled rejection.
 *
 * @throws what the work throws, or what `stopped` makes.
 */
export async function untilAborted<Result>(
  signal: AbortSignal,
  stopped: () => Error,
  work: () => Promise<Result>,
): Promise<Result> {
  if (signal.aborted) throw stopped();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(stopped());
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
