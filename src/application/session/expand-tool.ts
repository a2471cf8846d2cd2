/** What a host offers its agent as a tool, so that it can get back what a summary stands for. */

/** Name, description and JSON Schema of the input, in the form that every provider takes. */
export const EXPAND_TOOL = {
  name: 'expand_session',
  description:
    'Gives back the original messages behind a handle of the record of earlier work: an item (#17), a section (section:decisions), a pass (cycle:2), a file (path:src/a.ts), a group of files (trail:read) or one message (entry:412). Long answers come in pages.',
  inputSchema: {
    type: 'object',
    properties: {
      handle: {
        type: 'string',
        description: '#N, section:KEY, cycle:N, path:PATH, trail:GROUP or entry:N',
      },
      max_tokens: { type: 'integer', minimum: 1, description: 'of a page; 10000 if left out' },
      after: { type: 'integer', minimum: 0, description: '`next` of the page before' },
    },
    required: ['handle'],
    additionalProperties: false,
  },
} as const;
