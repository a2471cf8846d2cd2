/** What a probe tests: whether a fact was kept, files are known, work can go on, choices are known. */

export const PROBE_TYPES = ['recall', 'artifact', 'continuation', 'decision'] as const;
export type ProbeType = (typeof PROBE_TYPES)[number];
