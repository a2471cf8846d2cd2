import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ARTIFACT_ACTIONS } from '../../../../src/domain/session/trail/artifact-event.js';
import type { ArtifactEvent } from '../../../../src/domain/session/trail/artifact-event.js';
import { extendTrail } from '../../../../src/domain/session/trail/extend-trail.js';
import { condenseDetail } from '../../../../src/domain/session/trail/tool-detail.js';
import { EMPTY_TRAIL, type Trail } from '../../../../src/domain/session/trail/trail.js';
import { trailChanges } from '../../../../src/domain/session/trail/trail-changes.js';
import { listArtifacts } from '../../../../src/domain/session/trail/trail-answers.js';
import { anyStep } from './any-step.js';
import { bash, entriesOf, SETTINGS, sha256, step, trailOf } from './trail-support.js';

const SEED = { seed: 20_260_131, numRuns: 300 };

const steps = fc.array(anyStep, { maxLength: 30 });

describe('the trail of any session', () => {
  it('is the same in any chunks as in one go', () => {
    fc.assert(
      fc.property(
        steps,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (given, sizes) => {
          const entries = entriesOf(given);
          const whole = trailOf(given);
          let trail: Trail = EMPTY_TRAIL;
          const events: ArtifactEvent[] = [];
          for (let at = 0, turn = 0; at < entries.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            const next = extendTrail(trail, entries.slice(at, at + size), SETTINGS);
            trail = next.trail;
            events.push(...next.events);
            at += size;
          }
          expect(trail).toEqual(whole.trail);
          expect(events).toEqual(whole.events);
        },
      ),
      SEED,
    );
  });

  it('is the same whether details were condensed before or not', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const condensed = given.map((one) =>
          one.detail === null ? one : { ...one, detail: condenseDetail(one.detail, sha256) },
        );
        expect(trailOf(condensed)).toEqual(trailOf(given));
      }),
      SEED,
    );
  });

  it('never changes the trail that it extends', () => {
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        const { trail } = trailOf(first);
        const before = structuredClone(trail);
        extendTrail(trail, entriesOf(second), SETTINGS);
        expect(trail).toEqual(before);
      }),
      { ...SEED, numRuns: 100 },
    );
  });

  it('has no path in both lists, modified and read, and each under its own name', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const { trail } = trailOf(given);
        const modified = listArtifacts(trail, 'modified').map((artifact) => artifact.path);
        const read = listArtifacts(trail, 'read').map((artifact) => artifact.path);
        expect(modified.filter((name) => read.includes(name))).toEqual([]);
        for (const [name, artifact] of trail.artifacts) expect(artifact.path).toBe(name);
      }),
      SEED,
    );
  });

  it('gives every event an identity of its own, and an artifact to every one that succeeded', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const { trail, events } = trailOf(given);
        const ids = events.map(({ seq, ordinal }) => `${seq} ${ordinal}`);
        expect(new Set(ids).size).toBe(ids.length);
        const touched = new Set(events.filter(({ ok }) => ok).map((event) => event.path));
        for (const name of touched) {
          expect(trail.artifacts.has(name) || trail.renames.has(name)).toBe(true);
        }
        const counted = [...trail.artifacts.values()].flatMap(({ counts }) =>
          ARTIFACT_ACTIONS.map((action) => counts[action]),
        );
        expect(counted.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(events.length);
      }),
      SEED,
    );
  });

  it('keeps what did not change as the same objects', () => {
    const { trail } = trailOf([step('Read', { file_path: 'a' }), bash('ls')]);
    const next = extendTrail(trail, entriesOf([step('Read', { file_path: 'b' })]), SETTINGS).trail;
    expect(next.artifacts.get('a')).toBe(trail.artifacts.get('a'));
    expect(next.commands.get(3)).toBe(trail.commands.get(3));
  });

  it('tells which rows a store has to write', () => {
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        const entries = entriesOf([...first, ...second]);
        const before = extendTrail(EMPTY_TRAIL, entries.slice(0, first.length), SETTINGS).trail;
        const after = extendTrail(before, entries.slice(first.length), SETTINGS).trail;
        const { artifacts, vacatedPaths, commands } = trailChanges(before, after);
        const rows = new Map(before.artifacts);
        for (const vacated of vacatedPaths) rows.delete(vacated);
        for (const artifact of artifacts) rows.set(artifact.path, artifact);
        expect(rows).toEqual(after.artifacts);
        const all = new Map(before.commands);
        for (const command of commands) all.set(command.seq, command);
        expect(all).toEqual(after.commands);
      }),
      { ...SEED, numRuns: 100 },
    );
  });

  it('leaves parts that no entry touched as the same objects', () => {
    const { trail } = trailOf([step('Read', { file_path: 'a' }), bash('npm test')]);
    const next = extendTrail(trail, entriesOf([step('ExitPlanMode', {})]), SETTINGS).trail;
    expect(next.artifacts).toBe(trail.artifacts);
    expect(trailChanges(trail, next)).toEqual({
      artifacts: [],
      vacatedPaths: [],
      commands: [],
      errors: [],
      todos: [],
    });
  });

  it('leaves a result without its call, and a second result, aside', () => {
    const [call, result] = entriesOf([bash('rm a')]);
    const given = [result, call, result, result].flatMap((entry) => entry ?? []);
    expect(extendTrail(EMPTY_TRAIL, given, SETTINGS).events).toHaveLength(1);
  });
});
