import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  CONTENT_DOMAINS,
  contentDomainOf,
  MAX_DEPTHS,
  renderAtDepth,
} from '../../../src/domain/context/detail-level.js';

const CODE = `/** Sessions of a user. */
import { now } from './clock.js';

export class Sessions {
  private readonly open = new Map();

  start(user: string): string {
    const id = now() + user;
    this.open.set(id, user);
    return id;
  }

  end(id: string): void {
    this.open.delete(id);
  }
}

export function describe(sessions: Sessions): string {
  return String(sessions);
}
`;

const DOCUMENT = `# Login

The form posts to /session.

## Cookies

They last two hours.
They are renewed at every request.

## Errors

A wrong password gives 401.
`;

describe('contentDomainOf', () => {
  it.each([
    { given: CODE, path: undefined, domain: 'code' },
    { given: DOCUMENT, path: undefined, domain: 'documents' },
    { given: '{"a": 1, "b": [2]}', path: undefined, domain: 'data' },
    { given: '漢字かな交じり文', path: undefined, domain: 'documents' },
    { given: '', path: undefined, domain: 'documents' },
    { given: 'x', path: 'src/a.ts', domain: 'code' },
    { given: 'x', path: 'deploy/Dockerfile', domain: 'infrastructure' },
    { given: CODE, path: 'notes.md', domain: 'documents' },
  ])('$path with its text is $domain', ({ given, path, domain }) => {
    expect(contentDomainOf(given, path)).toBe(domain);
  });
});

describe('renderAtDepth', () => {
  it('shows the signatures of code at depth 4, and no bodies', () => {
    expect(renderAtDepth(CODE, 'code', 4)?.content).toBe(
      [
        '/** Sessions of a user. */',
        'export class Sessions {',
        '  start(user: string): string {',
        '  end(id: string): void {',
        'export function describe(sessions: Sessions): string { …',
      ].join('\n'),
    );
  });

  it('shows the headings of a document at depth 4, and their first lines below', () => {
    expect(renderAtDepth(DOCUMENT, 'documents', 4)?.content).toBe(
      '# Login\n## Cookies\n## Errors …',
    );
    expect(renderAtDepth(DOCUMENT, 'documents', 6)?.content).toContain('They last two hours.');
  });

  it('shows the title line alone at depth 0', () => {
    expect(renderAtDepth(DOCUMENT, 'documents', 0)?.content).toBe('# Login …');
  });

  it.each(CONTENT_DOMAINS)('has nothing less to show of %s at its greatest depth', (domain) => {
    expect(renderAtDepth(CODE, domain, MAX_DEPTHS[domain])).toBeNull();
  });

  it('has nothing less to show of a single short line', () => {
    expect(renderAtDepth('Use the queue.', 'documents', 0)).toBeNull();
    expect(renderAtDepth('', 'documents', 0)).toBeNull();
  });

  it('cuts a megabyte of one character to a line, and no character in two', () => {
    expect(renderAtDepth('a'.repeat(1_000_000), 'documents', 0)?.content.length).toBeLessThan(200);
    expect(renderAtDepth(`a${'😀'.repeat(500_000)}`, 'documents', 4)?.content.isWellFormed()).toBe(
      true,
    );
  });

  it('shows at every depth at least what the one below it shows, and less than the whole', () => {
    const line = fc.constantFrom('', '# head', 'text of a line', 'def f():', '  body', '"key": 1,');
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 60 }),
        fc.constantFrom(...CONTENT_DOMAINS),
        (lines, domain) => {
          const text = lines.join('\n');
          const lengths = Array.from(
            { length: MAX_DEPTHS[domain] },
            (_, depth) => renderAtDepth(text, domain, depth)?.content.length ?? text.length,
          );
          expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
          expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(text.length);
        },
      ),
      { seed: 7 },
    );
  });
});
