/**
 * What a model is told when it is to summarize a stretch of a session. A change of these words is a new
 * version: it stands in the request, so that answers can be traced to the words that brought them about.
 */
import type { SummaryRequest } from '../../application/session/summarise.js';
import type { SummarySection } from '../../domain/session/summary/section-schema.js';

export interface SummaryPrompt {
  readonly version: string;
  readonly instruction: string;
  /** How the answer looks. */
  readonly answerForm: string;
}

type PromptRequest = Pick<SummaryRequest, 'schema' | 'limits'>;

const REFS =
  '"refs" lists what the statement is about, each copied from `entries`: {"kind":"path","text":"src/a.ts"}, kind one of path, symbol, hash, code, number, command, url; [] where there is none.';

/** Operations on the items of the record: only the newest stretch is read, the rest stays as it is. */
export function anchoredPrompt({ schema, limits }: PromptRequest): SummaryPrompt {
  const version = 'anchored/1';
  const instruction = `[${version}] You keep the record of an agent's work on a task. The part \`entries\` is a stretch of the session that is about to leave the agent's sight. The part \`items\`, if there is one, holds statements of the record so far; there may be more that are not shown. Write the patch that brings the record up to date, so that the agent can go on from the record without having seen the stretch.

Sections that take additions:
${sectionLines(schema.sections)}

Rules:
- What an item already says is not said again: items that you do not name stay as they are.
- Something new on the subject of an item is an "update" of it. What a later choice replaced is "supersede". What is done is "resolve". Nothing is ever deleted.
- Items that are requests of the user can only be resolved or superseded.
${rulesFor(limits)}
- Every operation cites in "sources" the handles of the entries it rests on, as they stand in \`entries\`, and no others.${commonEnd(schema.sections)}`;
  const example = {
    operations: [
      {
        operation: 'add',
        section: openSections(schema.sections)[0]?.key ?? '',
        text: '…',
        refs: [],
        sources: ['entry:412'],
        state: 'open',
      },
      { operation: 'update', item: '#17', text: '…', refs: [], sources: ['entry:415'] },
      { operation: 'resolve', item: '#9', sources: ['entry:420'] },
      { operation: 'supersede', item: '#5', by: { add: 0 }, sources: ['entry:412'] },
    ],
  };
  const answerForm = `Its form, with an example of each operation:\n${JSON.stringify(example)}\nEvery field shown is required. "state" is open or resolved. "by" is an item, "#17", or the index of an "add" in your list. ${REFS}`;
  return { version, instruction, answerForm };
}

/** Every section anew, from the whole stretch and from what was written of the stretches before it. */
export function regenerativePrompt({ schema, limits }: PromptRequest): SummaryPrompt {
  const version = 'regenerative/1';
  const sections = openSections(schema.sections);
  const instruction = `[${version}] You write the record of an agent's work on a task. The part \`entries\` is a stretch of the session. The part \`items\`, if there is one, is the record as it was written of what came before. Write the whole record anew, so that it covers both and the agent can go on from it alone.

Sections:
${sectionLines(schema.sections)}

Rules:
- What you leave out of \`items\` leaves the record. Keep every decision, open problem and next step that still holds.
- What was done has the state "resolved", what holds or is to be done "open".
${rulesFor(limits)}
- "sources" are the handles of the entries that a statement rests on, as they stand in \`entries\` or \`items\`; [] where you know of none.${commonEnd(schema.sections)}`;
  const item = { text: '…', refs: [], sources: ['entry:412'], state: 'open' };
  const example = {
    sections: Object.fromEntries(
      sections.map(({ key }, index) => [key, index === 0 ? [item] : []]),
    ),
  };
  return { version, instruction, answerForm: `Its form:\n${JSON.stringify(example)}\n${REFS}` };
}

function rulesFor({ itemTokens, answerTokens }: SummaryRequest['limits']): string {
  return `- One item is one statement of at most ${itemTokens} tokens that is understood by itself. The whole answer has at most ${answerTokens} tokens.
- Paths, names, numbers, hashes, commands and error texts are copied letter for letter. What does not stand in the quoted material is not written: no guess, no identifier of your own.
- Files that were read or changed, and the requests of the user, are listed by the program: no items for these alone.`;
}

function commonEnd(sections: readonly SummarySection[]): string {
  const pins = sections.find(({ filledBy }) => filledBy.includes('pins'));
  const proposal =
    pins === undefined
      ? ''
      : `\n- An addition to \`${pins.key}\` proposes a standing rule of the user: one stretch of an entry of the user or the system, copied word for word.`;
  return `${proposal}
- No remarks on yourself or this task, and no placeholders: where there is nothing to say, say nothing.
- Write in the language of the session.
- If there is a part \`focus\`, attend first to what it names. If there is a part \`complaints\`, your answer before was refused for these reasons: make none of them true again.`;
}

const IDENTITY_RULES: Readonly<Partial<Record<SummarySection['identity'], string>>> = {
  subject: 'each begins with its subject and a colon, "database: Postgres 15"',
  signature: 'each begins with the first line of the error, word for word',
};

function sectionLines(sections: readonly SummarySection[]): string {
  return openSections(sections)
    .map(({ key, title, identity }) => {
      const rule = IDENTITY_RULES[identity];
      return `- \`${key}\`: ${title}${rule === undefined ? '' : `; ${rule}`}`;
    })
    .join('\n');
}

function openSections(sections: readonly SummarySection[]): readonly SummarySection[] {
  return sections.filter(({ filledBy }) => filledBy.includes('patch'));
}
