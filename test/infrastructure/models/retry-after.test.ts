import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from '../../../src/infrastructure/models/retry-after.js';

const NOW = new Date('2026-03-01T10:00:00Z');

describe('retryAfterMs', () => {
  // prettier-ignore
  it.each([
    { rule: 'seconds',                             headers: { 'retry-after': '7' },                               wait: 7_000 },
    { rule: 'no seconds',                          headers: { 'retry-after': '0' },                               wait: 0 },
    { rule: 'a fraction of seconds',               headers: { 'retry-after': '0.25' },                            wait: 250 },
    { rule: 'a date',                              headers: { 'retry-after': 'Sun, 01 Mar 2026 10:00:09 GMT' },   wait: 9_000 },
    { rule: 'a date that is past',                 headers: { 'retry-after': 'Sun, 01 Mar 2026 09:00:00 GMT' },   wait: 0 },
    { rule: "a date by the server's own clock",    headers: { 'retry-after': 'Sun, 01 Mar 2026 12:00:09 GMT', date: 'Sun, 01 Mar 2026 12:00:00 GMT' }, wait: 9_000 },
    { rule: 'nothing',                             headers: {},                                                   wait: null },
    { rule: 'a negative number',                   headers: { 'retry-after': '-5' },                              wait: null },
    { rule: 'words',                               headers: { 'retry-after': 'soon' },                            wait: null },
  ])('reads $rule', ({ headers, wait }) => {
    const given: Readonly<Record<string, string | undefined>> = headers;

    expect(retryAfterMs((name) => given[name], NOW)).toBe(wait);
  });
});
