import { describe, expect, it } from '@jest/globals';
import type {
  ContextStrategy,
  StrategyRequest,
} from '../../../src/application/assembly/context-strategy.js';
import { createPrepareStrategies } from '../../../src/application/assembly/prepare-strategies.js';
import { OPEN_MS } from '../../../src/domain/assembly/circuit-breaker.js';
import { selectStrategies } from '../../../src/domain/assembly/select-strategies.js';
import { nodeTimer } from '../../../src/infrastructure/system/node-timer.js';

const request = { strategyTimeoutMs: 60 } as StrategyRequest;

const plain = (name: string, confidence: number): ContextStrategy => ({
  name,
  quality: 0.5,
  canHandle: () => confidence,
  assemble: async () => [],
});

function preparing(prepare: NonNullable<ContextStrategy['prepare']>): ContextStrategy {
  return { ...plain('looking', 0), prepare };
}

describe('strategies that look something up first', () => {
  const prepareNow = createPrepareStrategies(() => new Date(0), nodeTimer);

  it('are asked as they were prepared, the others as they are', async () => {
    const ready = await prepareNow(
      [plain('plain', 0.4), preparing(async () => plain('another name', 0.7))],
      request,
    );
    expect(ready.map((each) => [each.name, each.canHandle(request)])).toEqual([
      ['plain', 0.4],
      ['looking', 0.7],
    ]);
  });

  it.each<[string, NonNullable<ContextStrategy['prepare']>, RegExp]>([
    ['throws', () => Promise.reject(new Error('store is down')), /store is down/],
    [
      'throws at once',
      () => {
        throw new Error('at once');
      },
      /at once/,
    ],
    ['never answers', () => new Promise(() => {}), /longer than 60 ms/],
  ])('one that %s is named as failed and costs no other', async (_what, prepare, message) => {
    const ready = await prepareNow([plain('plain', 0.4), preparing(prepare)], request);
    const ranked = selectStrategies(ready, request, []);
    expect(ranked.map(({ name, confidence }) => [name, confidence])).toEqual([
      ['plain', 0.4],
      ['looking', 0],
    ]);
    expect(ranked[1]?.failure?.message).toMatch(message);
  });

  it('are left alone after three failures, and tried again after a while', async () => {
    let now = 0;
    let looked = 0;
    const prepare = createPrepareStrategies(() => new Date(now), nodeTimer);
    const looking = preparing(() => {
      looked += 1;
      return looked <= 3 ? Promise.reject(new Error('down')) : Promise.resolve(plain('x', 0.9));
    });
    const failureNow = async () => {
      const ready = await prepare([looking], request);
      return selectStrategies(ready, request, [])[0]?.failure?.message ?? null;
    };
    expect([await failureNow(), await failureNow(), await failureNow()]).toEqual(
      Array.from({ length: 3 }, () => 'down'),
    );
    expect(await failureNow()).toMatch(/left alone/);
    expect(looked).toBe(3);
    now += OPEN_MS;
    expect(await failureNow()).toBeNull();
    expect(looked).toBe(4);
  });
});
