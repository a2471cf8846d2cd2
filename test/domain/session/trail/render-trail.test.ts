/** The trail under a budget: what fits whole is told whole, else paths come before details. */
import { describe, expect, it } from '@jest/globals';
import { assert as assertProperty, integer, property } from 'fast-check';
import { expandPathLists } from '../../../../src/domain/session/trail/path-list.js';
import { renderTrail } from '../../../../src/domain/session/trail/render-trail.js';
import type { Trail } from '../../../../src/domain/session/trail/trail.js';
import { counter } from '../summary/summary-world.js';
import { step, trailOf } from './trail-support.js';

function made(changed: number, read: number): Trail {
  const edit = (at: number) =>
    step('Edit', {
      file_path: `/project/src/part-${at % 9}/changed-${at}.ts`,
      old_string: 'a',
      new_string: 'b',
    });
  return trailOf([
    ...Array.from({ length: changed }, (_, at) => edit(at)),
    ...Array.from({ length: read }, (_, at) =>
      step('Read', { file_path: `/project/docs/read-${at}.md` }),
    ),
  ]).trail;
}

const render = (trail: Trail, budget: number, origin: string | null = null) =>
  renderTrail([{ trail, origin }], budget, counter);

describe('a trail under a budget', () => {
  it('tells every file whole where all fit', () => {
    const { text, shown } = render(made(2, 1), 10_000);
    expect(shown).toBe(3);
    expect(text).toMatch(/^Changed:\n- src\/part-1\/changed-1\.ts \(modified/);
    expect(text).not.toContain('paths only');
  });

  it('names every changed file of 220 within the tokens of a vendor’s summary, and all that was read', () => {
    const { text, tokenCount, leftOut } = render(made(220, 60), 2_600);
    expect(tokenCount).toBeLessThanOrEqual(2_600);
    expect(leftOut).toMatchObject({ changed: 0, read: 0 });
    const told = expandPathLists(text);
    for (const path of made(220, 60).artifacts.keys()) expect(told).toContain(path);
    // What is left of the budget goes to whole lines, the newest changes first.
    expect(text).toMatch(/^Changed:\n- src\/part-3\/changed-219\.ts \(modified/);
  });

  it('names the child of every line of a child', () => {
    const { text } = render(made(60, 0), 500, 'child-1');
    expect(text).not.toContain('paths only');
    const lines = text.split('\n').filter((line) => line.startsWith('- src/'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.every((line) => line.endsWith('[child-1]'))).toBe(true);
  });

  it('is within any budget, and each file is named or counted', () => {
    assertProperty(
      property(
        integer({ min: 0, max: 90 }),
        integer({ min: 0, max: 40 }),
        integer({ min: 0, max: 1_500 }),
        (changed, read, budget) => {
          const trail = made(changed, read);
          const { text, tokenCount, shown, leftOut } = render(trail, budget);
          expect(tokenCount).toBe(counter.count(text));
          expect(tokenCount).toBeLessThanOrEqual(budget);
          const told = expandPathLists(text);
          const named = [...trail.artifacts.keys()].filter((path) =>
            new RegExp(`(^|[ \n])${path.replaceAll('.', '\\.')}([ ,\n]|$)`).test(told),
          );
          expect(named).toHaveLength(shown);
          expect(leftOut.changed + leftOut.read).toBe(changed + read - shown);
        },
      ),
      { seed: 83, numRuns: 120 },
    );
  });
});
