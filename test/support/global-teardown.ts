/** Stops what the global setup started. */
export default function globalTeardown(): void {}
