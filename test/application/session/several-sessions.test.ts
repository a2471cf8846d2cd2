import { describe, expect, it } from '@jest/globals';
import { readPlanMaterial } from '../../../src/application/session/read-plan-material.js';
import type { PlanMaterialItem } from '../../../src/domain/session/plan-material.js';
import { openaiReader } from '../../../src/interfaces/transcripts/openai-transcript.js';
import {
  countQuarters,
  memorySource,
  redact,
  sha256,
} from '../../interfaces/transcripts/transcript-support.js';

async function read(...sessions: readonly object[]) {
  const reading = readPlanMaterial({
    source: memorySource(JSON.stringify(sessions), 64, 'runs.json'),
    reader: openaiReader(sha256),
    digest: sha256,
    counter: countQuarters,
    redact,
    planId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    planHasPrompt: false,
  });
  const items: PlanMaterialItem[] = [];
  for await (const item of reading.items) items.push(item);
  return { items, receipt: reading.receipt() };
}

const messages = [
  { role: 'user', content: 'Mend it' },
  { role: 'assistant', content: 'Mended.' },
];

describe('a source of several sessions', () => {
  it.each([
    { named: 'without names', sessions: [{ messages }, { messages }] },
    {
      named: 'with names',
      sessions: [
        { thread_id: 'a', messages },
        { thread_id: 'b', messages },
      ],
    },
  ])('$named yields the material of each, under ids of its own', async ({ sessions }) => {
    const { items, receipt } = await read(...sessions);
    const fragments = items.flatMap((item) => (item.item === 'fragment' ? [item.fragment] : []));
    const owners = fragments.map(({ fragmentId }) => fragmentId.split(':')[0]);
    expect(new Set(owners).size).toBe(2);
    expect(new Set(fragments.map(({ fragmentId }) => fragmentId)).size).toBe(4);
    expect(receipt).toMatchObject({ sessionId: owners[0], fragments: 4, decisions: 2, entries: 4 });
    expect(receipt.notes).toEqual(['runs.json holds 2 sessions; the first is named.']);
  });

  it('has one prompt that defines the plan; those of later sessions intervene', async () => {
    const { items } = await read({ messages }, { messages });
    const types = items.flatMap((item) => (item.item === 'decision' ? [item.decision.type] : []));
    expect(types).toEqual(['prompt_definition', 'user_intervention']);
  });
});
