/** Ways to choose turns; all but `ours` are references that anybody can check. */
export const EVIDENCE_ARMS = ['recency', 'head', 'random', 'bm25', 'oracle', 'ours'] as const;
export type EvidenceArm = (typeof EVIDENCE_ARMS)[number];

/** `aware`: the selection knows the question. `blind`: it does not. The two are never mixed. */
export const EVIDENCE_TASKS = ['aware', 'blind'] as const;
export type EvidenceTask = (typeof EVIDENCE_TASKS)[number];
