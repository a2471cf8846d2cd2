/** What a model says when it is asked for a summary, good and bad, as behaviours of the model server. */
import { answers, type Behaviour, type ModelServerRequest } from './model-server.js';

/** A true statement about the first entries that the request shows, in words without any number or name. */
export const goodPatch: Behaviour = answers((request) => ({
  operations: handlesIn(request)
    .slice(0, 2)
    .map((handle, index) => ({
      operation: 'add',
      section: 'current_state',
      text: `${index === 0 ? 'Beginning' : 'Continuation'}: the work went on`,
      refs: [],
      sources: [handle],
      state: 'open',
    })),
}));

export const goodDocument: Behaviour = answers((request) => ({
  sections: {
    current_state: [
      { text: 'Beginning: the work went on', sources: handlesIn(request).slice(0, 1) },
    ],
  },
}));

/** A patch whose statement says something that stands nowhere. */
export const inventedPatch: Behaviour = answers((request) => ({
  operations: [
    {
      operation: 'add',
      section: 'decisions',
      text: 'deployment: `src/never/seen.ts` goes to port 48213',
      refs: [{ kind: 'path', text: 'src/never/seen.ts' }],
      sources: handlesIn(request).slice(0, 1),
      state: 'open',
    },
  ],
}));

/** An error text in the place of a statement. */
export const errorPatch: Behaviour = answers((request) => ({
  operations: [
    {
      operation: 'add',
      section: 'current_state',
      text: 'Error: rate limit exceeded, please try again later',
      refs: [],
      sources: handlesIn(request).slice(0, 1),
      state: 'open',
    },
  ],
}));

export const emptyPatch: Behaviour = answers({ operations: [] });

function handlesIn({ body }: ModelServerRequest): readonly string[] {
  const text = body.messages?.find(({ role }) => role === 'user')?.content ?? '';
  return [...text.matchAll(/^\[(entry:\d+)\]/gm)].map(([, handle = '']) => handle);
}
