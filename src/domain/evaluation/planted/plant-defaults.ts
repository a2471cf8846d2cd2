/** Defaults of the specification of evaluation, §6; the window makes every cycle drop a span. */
export const PLANT_DEFAULTS = {
  seed: 1,
  facts: 24,
  cycles: 10,
  fillerTurns: 48,
  windowTokens: 20_000,
} as const;

/** Strategies of passes, and the controls: everything, and the newest within the same tokens. */
export const PLANT_ARMS = [
  'full',
  'tail',
  'offline',
  'anchored',
  'regenerative',
  'opaque',
] as const;
export type PlantArm = (typeof PLANT_ARMS)[number];
