/**
 * The offline model: a world in which knowledge is counted. A fact is a token `@name`. The agent knows
 * the facts of the lesson in its prompt and nothing else, the judge sees task, expectation and answer
 * alone, and the compressor is honest. Deterministic, without a key or a network.
 */
import type {
  CompressionRequest,
  JudgeReplay,
  ProposeCompression,
  RankDescent,
  ReplayTask,
} from '../../application/lessons/ports.js';
import type { SplitBody } from '../../domain/lessons/split-claims.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';

/** A fact, wherever it stands. */
export const FACT = /(?<![\w@])@[a-z][a-z0-9_-]*/gi;

/** Names every port of this model in what is stored. */
export const OFFLINE_IDENTITY = 'offline:knowledge-world/1';

const BASE = { identity: OFFLINE_IDENTITY, offline: true } as const;

/** The answer of an agent without any knowledge. */
export const UNKNOWING = 'I know of nothing to mind.';

/** Each fact once, in the order of the text. */
export function factsIn(text: string): readonly string[] {
  return [...new Set(text.match(FACT) ?? [])];
}

/** Blocks at blank lines; of a text with fewer than two, its lines. */
export function blocksOf(text: string): readonly string[] {
  const blocks = text.split(/\n\s*\n/).flatMap(trimmed);
  return blocks.length >= 2 ? blocks : text.split('\n').flatMap(trimmed);
}

/** A block that bears a fact is a claim; any other is a frame. */
export const splitByFacts: SplitBody = (body) =>
  blocksOf(body).map((text) => ({ text, kind: factsIn(text).length > 0 ? 'claim' : 'frame' }));

/** Names the facts of the lesson in its prompt, and those it knows anyway. */
export function knowledgeAgent(
  priorFacts: readonly string[] = [],
  isolation: ReplayTask['isolation'] = 'process',
): ReplayTask {
  return {
    ...BASE,
    identity: priorFacts.length === 0 ? BASE.identity : `${BASE.identity}+${priorFacts.join('+')}`,
    isolation,
    replay: async ({ lesson }) => ({
      answer: answerFrom(lesson, priorFacts),
      processId: null,
    }),
  };
}

export function answerFrom(lesson: string | null, priorFacts: readonly string[]): string {
  const known = [...new Set([...factsIn(lesson ?? ''), ...priorFacts])];
  return known.length === 0 ? UNKNOWING : `I would mind ${known.join(' ')}`;
}

/** Passes iff every expected fact is in the answer. Without an expectation it cannot say. */
export const knowledgeJudge: JudgeReplay = {
  ...BASE,
  deterministic: true,
  judge: async ({ acceptedSummary, answer }) => {
    const expected = factsIn(acceptedSummary);
    if (expected.length === 0) return { text: 'Nothing is expected, so nothing can be judged.' };
    const known = new Set(factsIn(answer));
    const missing = expected.filter((fact) => !known.has(fact));
    const pass = missing.length === 0;
    const reason = pass ? 'all expected facts are there' : `missing: ${missing.join(', ')}`;
    return { text: JSON.stringify({ pass, reason, missing }) };
  },
};

/**
 * While the text is above its target, drops the last block that bears a fact and is spoken for by no
 * hint and no span, and declares it.
 */
export function knowledgeCompressor(counter: TokenCounter): ProposeCompression {
  return {
    ...BASE,
    propose: async (request) => ({ proposal: shorten(request, counter) }),
  };
}

/** 1 where the option supplies a missing fact, else 0. */
export const knowledgeRanker: RankDescent = {
  ...BASE,
  rank: async ({ prompt, diagnosis, options }) => {
    const wanted = new Set([
      ...factsIn(prompt),
      ...diagnosis.missing.flatMap(factsIn),
      ...factsIn(diagnosis.wrongStep ?? ''),
    ]);
    return options.map(({ text }) => (factsIn(text).some((fact) => wanted.has(fact)) ? 1 : 0));
  },
};

function shorten(request: CompressionRequest, counter: TokenCounter) {
  const { sources, claims, targetTokens, hints, spans } = request;
  const spokenFor = new Set([...hints, ...spans].flatMap(factsIn));
  let kept = sources.flatMap(({ body }) => blocksOf(body));
  const dropped: string[] = [];
  while (counter.count(kept.join('\n\n')) > targetTokens) {
    const last = kept.findLastIndex((block) => {
      const facts = factsIn(block);
      return facts.length > 0 && !facts.some((fact) => spokenFor.has(fact));
    });
    if (last < 0) break;
    dropped.push(kept[last] ?? '');
    kept = kept.filter((_block, at) => at !== last);
  }
  const isIn = (block: string, claim: string): boolean => squeezed(block).includes(squeezed(claim));
  const numbersIn = (block: string): readonly string[] =>
    claims.flatMap(({ number, text }) => (isIn(block, text) ? [number] : []));
  const gone = new Set(dropped.flatMap(numbersIn));
  return {
    body: kept.join('\n\n'),
    dropped: dropped.map((claim) => ({ claim, kind: 'edge-case', claimIds: numbersIn(claim) })),
    fates: claims.map(({ number }) => ({
      claimId: number,
      fate: gone.has(number) ? ('dropped' as const) : ('kept' as const),
      mergedWith: [],
    })),
    lossless: false,
    title: null,
    gist: null,
    rationale: null,
  };
}

function squeezed(text: string): string {
  return text.split(/\s+/).join(' ').trim();
}

function trimmed(block: string): readonly string[] {
  return block.trim() === '' ? [] : [block.trim()];
}
