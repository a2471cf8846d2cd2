/** Marked evidence: a conversation, and questions with the turns that answer them. */

export interface EvidenceTurn {
  readonly turnId: string;
  readonly speaker: string;
  readonly text: string;
}

export interface EvidenceQuestion {
  readonly questionId: string;
  readonly text: string;
  /** Each a group of turn ids of which one must survive; mostly of one id alone. */
  readonly evidence: readonly (readonly string[])[];
  readonly category: string | null;
}

export interface EvidenceCase {
  readonly caseId: string;
  /** In the order of time. */
  readonly turns: readonly EvidenceTurn[];
  readonly questions: readonly EvidenceQuestion[];
}

/** A question whose evidence are positions of turns. */
export interface PlacedQuestion {
  readonly question: EvidenceQuestion;
  readonly groups: readonly (readonly number[])[];
}

export type LeftOutReason = 'no-evidence' | 'unknown-turn';

/** Questions that can be asked of the case, and why the others cannot. */
export function placeQuestions({ turns, questions }: EvidenceCase): {
  readonly placed: readonly PlacedQuestion[];
  readonly leftOut: readonly { readonly questionId: string; readonly reason: LeftOutReason }[];
} {
  const places = new Map(turns.map(({ turnId }, place) => [turnId, place]));
  const placed: PlacedQuestion[] = [];
  const leftOut: { questionId: string; reason: LeftOutReason }[] = [];
  for (const question of questions) {
    const { questionId, evidence } = question;
    const groups = evidence.map((group) => group.map((turnId) => places.get(turnId) ?? -1));
    if (groups.length === 0 || groups.some((group) => group.length === 0)) {
      leftOut.push({ questionId, reason: 'no-evidence' });
    } else if (groups.flat().includes(-1)) {
      leftOut.push({ questionId, reason: 'unknown-turn' });
    } else placed.push({ question, groups });
  }
  return { placed, leftOut };
}
