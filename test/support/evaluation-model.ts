/** A model that answers probes and judges answers over HTTP, by rules: what it is asked it takes from the request. */
import { answers, type Behaviour, type ModelServerRequest } from './model-server.js';

/** Parts that a request quotes, by name, without the random word of their quotation. */
export function quotedParts({ body }: ModelServerRequest): Readonly<Record<string, string>> {
  const text = body.messages?.find(({ role }) => role === 'user')?.content ?? '';
  return Object.fromEntries(
    [...text.matchAll(/BEGIN (\w+) ([0-9a-f]+)\n([\s\S]*?)\nEND \1 \2/g)].map(
      ([, name = '', , part = '']) => [name, part],
    ),
  );
}

/** What tells one request from another. */
export function askedFor(request: ModelServerRequest): string {
  return JSON.stringify(quotedParts(request));
}

/** Answers a probe with its context, marks an answer by the share of the facts that it holds. */
export const evaluates: Behaviour = answers((request) => {
  const parts = quotedParts(request);
  const { criteria, facts, answer = '', context = '' } = parts;
  if (criteria === undefined) return { answer: context.slice(0, 4_000) };
  return { marks: marksOf(criteria, scoreOf(facts ?? '[]', answer)) };
});

/** Marks everything alike: such a judge cannot be trusted. */
export const judgesBlindly: Behaviour = answers((request) => ({
  marks: marksOf(quotedParts(request)['criteria'] ?? '[]', 3),
}));

function scoreOf(facts: string, answer: string): number {
  const values = (JSON.parse(facts) as readonly { values: readonly string[] }[]).flatMap(
    (fact) => fact.values,
  );
  const found = values.filter((value) => answer.includes(value)).length;
  return values.length === 0 ? 0 : Math.round((5 * found) / values.length);
}

function marksOf(criteria: string, score: number): readonly object[] {
  const wanted = JSON.parse(criteria) as readonly { criterionId: string }[];
  return wanted.map(({ criterionId }) => ({ criterionId, score, reason: 'by the facts' }));
}
