/** Ways to produce a context from one prefix. `full` is the control. */
export const COMPARED_ARMS = [
  'full',
  'tail',
  'head',
  'offline',
  'anchored',
  'regenerative',
  'opaque',
] as const;
export type ComparedArm = (typeof COMPARED_ARMS)[number];
