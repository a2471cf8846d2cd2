import { describe, expect, it } from '@jest/globals';
import { createPinoLogger } from '../../../src/infrastructure/system/pino-logger.js';

function linesAt(level: 'debug' | 'info' | 'warn' | 'silent'): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  const log = createPinoLogger(level, (line) => lines.push(line));
  log.debug('spawn.retried', { attempt: 2 });
  log.info('plan.spawned', { inherited: 3 });
  log.warn('store.connection-lost', {
    nested: [{ reason: 'no answer from postgres://harbor:secret@db.example.com/harbor' }],
  });
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the logger', () => {
  it.each([
    ['debug', ['spawn.retried', 'plan.spawned', 'store.connection-lost']],
    ['info', ['plan.spawned', 'store.connection-lost']],
    ['warn', ['store.connection-lost']],
    ['silent', []],
  ] as const)('writes from %s up', (level, events) => {
    expect(linesAt(level).map(({ event }) => event)).toEqual(events);
  });

  it('cuts a password out of an address, however deep it lies', () => {
    const [line] = linesAt('warn');

    expect(JSON.stringify(line)).toContain('postgres://harbor:[redacted]@db.example.com/harbor');
    expect(JSON.stringify(line)).not.toContain('secret');
    expect(line).toMatchObject({ level: 'warn' });
  });
});
