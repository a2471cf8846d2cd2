import { describe, expect, it } from '@jest/globals';
import { changeSchema } from '../../../../src/domain/session/summary/change-schema.js';
import { fillSections } from '../../../../src/domain/session/summary/fill-sections.js';
import { addPin } from '../../../../src/domain/session/summary/pins.js';
import { NO_LINES } from '../../../../src/domain/session/summary/section-lines.js';
import {
  BUILT_IN_SCHEMAS,
  CODING_SCHEMA,
  DEBUGGING_SCHEMA,
  MIGRATION_SCHEMA,
  requireSectionSchema,
  type SectionSchema,
  type SummarySection,
} from '../../../../src/domain/session/summary/section-schema.js';
import { OssatureError } from '../../../../src/domain/kernel/errors.js';
import { add, digest, making, measures, merged, nothing, shown } from './summary-world.js';

const section: SummarySection = {
  key: 'notes',
  title: 'Notes',
  filledBy: ['patch'],
  identity: 'text',
  required: false,
  maxTokens: null,
  priority: 1,
};

function schemaWith(...sections: readonly SummarySection[]): SectionSchema {
  return { schemaName: 'own', version: 1, sections };
}

const pins: SummarySection = { ...section, key: 'rules', title: 'Rules', filledBy: ['pins'] };
const asks: SummarySection = { ...section, key: 'wishes', title: 'Wishes', filledBy: ['asks'] };

describe('section schemas', () => {
  it.each(BUILT_IN_SCHEMAS)('$schemaName is well-formed', (schema) => {
    expect(() => requireSectionSchema(schema)).not.toThrow();
  });

  it('debugging adds root cause and hypotheses, migration the two schemas', () => {
    const added = (schema: SectionSchema): readonly string[] =>
      schema.sections.filter((one) => !CODING_SCHEMA.sections.includes(one)).map(({ key }) => key);
    expect(added(DEBUGGING_SCHEMA)).toEqual(['root_cause', 'hypotheses']);
    expect(added(MIGRATION_SCHEMA)).toEqual(['source_schema', 'target_schema']);
  });

  it.each([
    { fault: 'no section for pins', sections: [asks], field: 'sections' },
    { fault: 'no section for asks', sections: [pins], field: 'sections' },
    {
      fault: 'two sections for pins',
      sections: [pins, asks, { ...pins, key: 'more' }],
      field: 'sections',
    },
    { fault: 'a key twice', sections: [pins, asks, pins], field: 'sections[2].key' },
    {
      fault: 'an ill-formed key',
      sections: [pins, asks, { ...section, key: 'No ' }],
      field: 'sections[2].key',
    },
    {
      fault: 'nobody who fills it',
      sections: [pins, asks, { ...section, filledBy: [] }],
      field: 'sections[2].filled_by',
    },
    {
      fault: 'pins that a patch may write',
      sections: [{ ...pins, filledBy: ['pins', 'patch'] as const }, asks],
      field: 'sections[0].filled_by',
    },
    {
      fault: 'no room',
      sections: [pins, asks, { ...section, maxTokens: 0 }],
      field: 'sections[2].max_tokens',
    },
  ])('$fault is refused, naming the field', ({ sections, field }) => {
    let thrown: unknown;
    try {
      requireSectionSchema(schemaWith(...sections));
    } catch (error) {
      thrown = error;
    }
    expect(OssatureError.is(thrown, 'INVALID_CONFIG') && thrown.details['field']).toBe(field);
  });

  it('a schema that changes moves pins and asks, keeps equal keys, and archives the rest by name', () => {
    const asked = fillSections(
      addPin(nothing, { text: 'Never push.', sources: [] }, making(0, 'host'), digest),
      { ...NO_LINES, asks: [{ turn: 1, prompt: { seq: 2, text: 'Fix it' }, state: 'open' }] },
      making(1, 'trail'),
      measures,
    );
    const before = merged(asked, [
      add('next_steps', 'run tests', 3),
      add('current_state', 'ci: red', 3),
    ]);
    const own = schemaWith(pins, asks, { ...section, key: 'next_steps' });
    const { summary, homeless } = changeSchema(before, own, making(2, 'host'));
    expect(shown(summary)).toEqual([
      '#1 rules open Never push.',
      '#2 wishes open Fix it',
      '#3 wishes open Fix it [entry:2]',
      '#4 next_steps open run tests',
      '#5 current_state open archived ci: red',
    ]);
    expect(homeless).toEqual([
      { itemNo: 5, section: 'current_state', reason: 'section-not-in-schema' },
    ]);
  });
});
