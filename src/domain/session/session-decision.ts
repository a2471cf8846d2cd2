/** The decisions that a session hands to a plan, and which of them is in force. */
import type { DecisionId } from '../kernel/ids.js';
import type { Digest } from '../kernel/measures.js';
import { deriveDecisionId } from './derived-ids.js';
import {
  isHumanPrompt,
  type ToolCallEntry,
  type ToolResultEntry,
  type TranscriptEntry,
} from './transcript.js';

export interface SessionDecision {
  readonly decisionId: DecisionId;
  /** The prompt in force when it was made; null for the first prompt. */
  readonly parentDecisionId: DecisionId | null;
  readonly type:
    | 'prompt_definition'
    | 'user_intervention'
    | 'strategy_choice'
    | 'implementation_choice'
    | 'subplan_spawn';
  readonly question: string | null;
  readonly choice: string;
  readonly rationale: string | null;
  /** The earlier decision that this one replaces, or null. */
  readonly supersedes: DecisionId | null;
  /** Time of the record, ISO 8601, or null. */
  readonly createdAt: string | null;
  readonly sourceKey: string;
}

type Draft = Pick<SessionDecision, 'type' | 'question' | 'choice' | 'rationale' | 'supersedes'>;

/** What a plan sent back without a word is recorded as. */
const SENT_BACK = 'The plan was sent back.';

/** Follows the decisions of one session, unit by unit. Expects cleaned entries. */
export class DecisionLog {
  #prompt: { readonly id: DecisionId; readonly text: string } | null = null;
  #inForce: DecisionId | null = null;
  #strategy: DecisionId | null = null;
  #lastAgentLine: string | null = null;
  readonly #answers = new Map<string, DecisionId>();

  /** @param planHasPrompt the plan holds a prompt_definition already, so the first prompt intervenes. */
  constructor(
    private readonly scope: string,
    private readonly digest: Digest,
    private readonly planHasPrompt: boolean,
  ) {}

  /**
   * @returns the decisions that the unit makes, in order, and the one its fragment belongs to. An
   * answer and the start of a sub-agent hold for their own unit: were all later work bound to an
   * answer, changing that answer would drop the work as well.
   */
  add(entries: readonly TranscriptEntry[]): {
    readonly decisions: readonly SessionDecision[];
    readonly decisionId: DecisionId | null;
  } {
    const decisions: SessionDecision[] = [];
    for (const entry of entries) decisions.push(...this.#decide(entry));
    const own = decisions.findLast(({ type }) => type !== 'subplan_spawn') ?? decisions.at(-1);
    return { decisions, decisionId: own?.decisionId ?? this.#inForce };
  }

  #decide(entry: TranscriptEntry): readonly SessionDecision[] {
    if (entry.kind === 'assistant')
      this.#lastAgentLine = firstLine(entry.content) ?? this.#lastAgentLine;
    if (isHumanPrompt(entry)) return [this.#prompted(entry)];
    if (entry.kind === 'tool_call') return entry.spawn === null ? [] : [this.#spawned(entry)];
    if (entry.kind === 'tool_result') return this.#ruled(entry);
    return [];
  }

  #prompted(entry: TranscriptEntry): SessionDecision {
    const isFirst = this.#prompt === null && !this.planHasPrompt;
    const decision = this.#make(entry, 'prompt', {
      type: isFirst ? 'prompt_definition' : 'user_intervention',
      question: isFirst ? null : this.#lastAgentLine,
      choice: entry.content,
      rationale: null,
      supersedes: null,
    });
    this.#prompt = { id: decision.decisionId, text: entry.content };
    this.#inForce = decision.decisionId;
    return decision;
  }

  #spawned(entry: ToolCallEntry): SessionDecision {
    return this.#make(entry, 'spawn', {
      type: 'subplan_spawn',
      question: entry.spawn?.brief ?? null,
      choice: entry.spawn?.agentName ?? '',
      rationale: null,
      supersedes: null,
    });
  }

  #ruled(entry: ToolResultEntry): readonly SessionDecision[] {
    const { ruling } = entry;
    switch (ruling?.ruling) {
      case undefined:
        return [];
      case 'plan-approved': {
        const decision = this.#make(entry, 'plan', {
          type: 'strategy_choice',
          question: this.#prompt?.text ?? null,
          choice: ruling.plan,
          rationale: ruling.remark,
          supersedes: this.#strategy,
        });
        this.#strategy = decision.decisionId;
        this.#inForce = decision.decisionId;
        return [decision];
      }
      case 'plan-sent-back': {
        const decision = this.#make(entry, 'plan', {
          type: 'user_intervention',
          question: this.#lastAgentLine,
          choice: ruling.remark ?? SENT_BACK,
          rationale: null,
          supersedes: null,
        });
        this.#inForce = decision.decisionId;
        return [decision];
      }
      case 'answered':
        return ruling.answers.map(({ question, answer, notTaken }) => {
          const decision = this.#make(entry, `answer:${question}`, {
            type: 'implementation_choice',
            question,
            choice: answer,
            rationale: notTaken.length === 0 ? null : `Not taken: ${notTaken.join('; ')}`,
            supersedes: this.#answers.get(question) ?? null,
          });
          this.#answers.set(question, decision.decisionId);
          return decision;
        });
    }
  }

  #make(entry: TranscriptEntry, part: string, draft: Draft): SessionDecision {
    return {
      ...draft,
      decisionId: deriveDecisionId(this.scope, entry.sourceKey, part, this.digest),
      parentDecisionId: this.#prompt?.id ?? null,
      createdAt: entry.occurredAt,
      sourceKey: entry.sourceKey,
    };
  }
}

function firstLine(text: string): string | null {
  const line = text.trimStart().split('\n', 1)[0]?.trim() ?? '';
  return line === '' ? null : line;
}
