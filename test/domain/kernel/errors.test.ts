import { describe, expect, it } from '@jest/globals';
import { OssatureError } from '../../../src/domain/kernel/errors.js';

describe('OssatureError', () => {
  it('is recognised by its brand, whole or by code', () => {
    const error = new OssatureError('NOT_FOUND', 'no such plan', { details: { planId: 'x' } });

    expect(OssatureError.is(error)).toBe(true);
    expect(OssatureError.is(error, 'NOT_FOUND')).toBe(true);
    expect(OssatureError.is(error, 'STALE')).toBe(false);
    expect(OssatureError.is(new Error('no such plan'))).toBe(false);
  });

  it('keeps its name, code and details', () => {
    const error = new OssatureError('STALE', 'changed', { details: { version: 3 } });

    expect([error.name, error.code, error.message, error.details]).toEqual([
      'OssatureError',
      'STALE',
      'changed',
      { version: 3 },
    ]);
  });
});
