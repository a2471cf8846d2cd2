/** Artifacts as text and as JSON: one schema, and what is written is what is read. */
import { describe, expect, it } from '@jest/globals';
import {
  type Arbitrary,
  array,
  assert,
  constantFrom,
  integer,
  oneof,
  option,
  property,
  record,
  string,
  uniqueArray,
} from 'fast-check';
import { OssatureError } from '../../../src/domain/kernel/errors.js';
import { type Artifact, LAYOUTS } from '../../../src/domain/workflow/artifact.js';
import { artifactJson, parseArtifactJson } from '../../../src/domain/workflow/check-artifact.js';
import { readArtifact } from '../../../src/domain/workflow/read-artifact.js';
import { renderArtifact } from '../../../src/domain/workflow/render-artifact.js';
import {
  WORKFLOW_PHASES,
  type WorkflowPhase,
} from '../../../src/domain/workflow/workflow-phase.js';

const SEED = 20_260_101;

/** Lines that a careless reader takes for something else. */
const line = oneof(
  constantFrom(
    '# a',
    '## Steps',
    '### S-1',
    '#',
    '####### seven',
    'Sources:',
    'Sources: x',
    'Files:',
    'Checks: y',
    'Research: R-1',
    'Spec:',
    '\\# a',
    '\\\\Sources:',
    '- file:a',
    '* b',
    '```',
    '````ts',
    '~~~',
    '',
    '   ',
    '\ttab',
    '---',
    '\u2028',
  ),
  string({ unit: 'grapheme', maxLength: 12 }),
);
const text = array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join('\n'));
const name = string({ unit: 'grapheme', minLength: 1, maxLength: 10 });
const source = oneof(
  record({ path: name, lines: option(integer({ min: 1, max: 99 })) }).map(({ path, lines }) =>
    lines === null ? `file:${path}` : `file:${path}:${lines}-${lines + 3}`,
  ),
  name.map((one) => `document:${one}`),
  name.map((one) => `seed:${one}#step-1`),
  name.map((one) => `url:https://example.org/${one}`),
  integer({ min: 1, max: 999 }).map((seq) => `entry:01ARZ3NDEKTSV4RRFFQ69G5FAV#${seq}`),
).chain((one) => constantFrom(one, `${one}@${'0f'.repeat(32)}`));

/** Raw artifacts, as JSON says them: many are none. */
function raw(phase: WorkflowPhase): Arbitrary<unknown> {
  const { kind, prefix, sections, lists } = LAYOUTS[phase];
  const values: Readonly<Record<string, Arbitrary<readonly string[]>>> = {
    sources: array(source, { maxLength: 3 }),
    entries: array(constantFrom('entry:01ARZ3NDEKTSV4RRFFQ69G5FAV#3'), { maxLength: 1 }),
    'item-ids': array(
      integer({ min: 1, max: 9 }).map((n) => `${phase === 'planning' ? 'R' : 'S'}-${n}`),
      { maxLength: 3 },
    ),
    paths: array(name, { maxLength: 2 }),
    lines: array(line, { maxLength: 2 }),
  };
  const item = record({
    section: constantFrom(...sections.map(({ key }) => key)),
    text,
    ...Object.fromEntries(lists.map(({ field, holds }) => [field, values[holds] ?? array(name)])),
  });
  return uniqueArray(integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }).chain((ids) =>
    array(item, { minLength: ids.length, maxLength: ids.length }).map((items) => ({
      kind,
      items: items.map((one, index) => ({ item_id: `${prefix}-${ids[index]}`, ...one })),
    })),
  );
}

describe('an artifact', () => {
  it.each(WORKFLOW_PHASES)('of %s is read back as it was rendered, and from its JSON', (phase) => {
    let read = 0;
    assert(
      property(raw(phase), (given) => {
        let artifact: Artifact;
        try {
          artifact = parseArtifactJson(phase, given);
        } catch (error) {
          if (OssatureError.is(error, 'INVALID_INPUT')) return;
          throw error;
        }
        read += 1;
        const rendered = renderArtifact(artifact);
        expect(readArtifact(phase, rendered)).toEqual(artifact);
        expect(renderArtifact(readArtifact(phase, rendered))).toBe(rendered);
        expect(readArtifact(phase, JSON.stringify(artifactJson(artifact)))).toEqual(artifact);
      }),
      { seed: SEED, numRuns: 600 },
    );
    expect(read).toBeGreaterThan(60);
  });

  it('is read as a person writes it: byte order mark, CRLF, title behind the id, bullets of ids', () => {
    const written = [
      '\uFEFF# Implementation spec\r',
      '## Steps\r',
      '### S-1: Pass the time',
      'through.',
      'Research:',
      '- R-1',
      '* R-2',
      'Files: ./src/a.ts',
    ].join('\n');

    expect(readArtifact('planning', written).items).toEqual([
      {
        itemId: 'S-1',
        section: 'steps',
        text: 'Pass the time\n\nthrough.',
        research: ['R-1', 'R-2'],
        files: ['src/a.ts'],
      },
    ]);
  });

  it('keeps headings and labels inside a code fence as text', () => {
    const body = '```md\n# a\nSources:\n```';
    const written = `# Research document\n\n## Components\n\n### R-1\n\n${body}\n`;

    expect(readArtifact('research', written).items[0]?.text).toBe(body);
  });

  const research = (...lines: readonly string[]): string =>
    ['# Research document', '## Components', ...lines].join('\n');
  const json = (item: object): string =>
    JSON.stringify({ kind: 'research_document', items: [item] });
  const item = { item_id: 'R-1', section: 'components', text: 'x' };

  // prettier-ignore
  it.each([
    { fault: 'a wrong title',                 given: '# Research',                                        says: 'Line 1 must be the heading "# Research document"' },
    { fault: 'a wrong heading',               given: research('## Parts'),                                says: 'Line 3 is no heading of this artifact; it has "## Components"' },
    { fault: 'a heading before the title',    given: '## Components',                                     says: 'Line 1 stands before the heading' },
    { fault: 'an item under no section',      given: '# Research document\n### R-1',                      says: 'Line 2 stands under no section' },
    { fault: 'an item of another artifact',   given: research('### S-1', 'x'),                            says: 'Line 3 must name an item as "### R-1"' },
    { fault: 'an id that is no number',       given: research('### R-x', 'x'),                            says: 'Line 3: an item of the research_document is called R-1' },
    { fault: 'an id that is there twice',     given: research('### R-1', 'x', '### R-1', 'y'),            says: 'Line 5: R-1 is there twice' },
    { fault: 'an item without a text',        given: research('### R-1', 'Sources:', '- file:a'),         says: 'the text of R-1 must not be empty' },
    { fault: 'text of no item',               given: research('hello'),                                   says: 'Line 3 belongs to no item' },
    { fault: 'text behind a list',            given: research('### R-1', 'x', 'Sources:', '- file:a', 'y'), says: 'Line 7 stands behind "Sources:"' },
    { fault: 'a source that is none',         given: research('### R-1', 'x', 'Sources:', '- memory'),    says: 'in sources of R-1: A source is written as file:PATH' },
    { fault: 'a path out of the project',     given: research('### R-1', 'x', 'Sources:', '- file:../a'), says: 'must be a path inside the project' },
    { fault: 'lines that end before they begin', given: research('### R-1', 'x', 'Sources:', '- file:a:9-2'), says: 'A source is written as' },
    { fault: 'a fence that is left open',     given: research('### R-1', '```', '### R-2', 'x'),          says: 'opens a code fence that it does not close' },
    { fault: 'nothing at all',                given: '',                                                  says: 'Line 1 must be the heading' },
    { fault: 'no items',                      given: '# Research document',                               says: 'has 0 items' },
    { fault: 'broken JSON',                   given: '{"kind":',                                          says: 'begins with { and is no JSON' },
    { fault: 'JSON of another phase',         given: '{"kind":"implementation_spec","items":[]}',         says: 'kind must be "research_document" in the research phase' },
    { fault: 'a field that is not there',     given: json({ ...item, note: 1 }),                          says: 'items[0] has no field "note"' },
    { fault: 'a section that is not there',   given: json({ ...item, section: 'parts' }),                 says: 'section of R-1 must be one of components' },
    { fault: 'a list that is none',           given: json({ ...item, sources: 'file:a' }),                says: 'sources of R-1 must be an array' },
    { fault: 'a text that cannot be stored',  given: json({ ...item, text: 'a\u0000' }),                  says: 'contains U+0000' },
  ])('with $fault is refused, saying where and what may stand there', ({ given, says }) => {
    expect(() => readArtifact('research', given)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(says) }),
    );
  });

  it('with an entry that is no entry is refused', () => {
    const written = `# Implementation record\n## Done steps\n### I-1\nx\nEntries:\n- file:a\n`;

    expect(() => readArtifact('implementation', written)).toThrow(/entry:SESSION_ID#12/);
  });
});
