import { describe, expect, it } from '@jest/globals';
import { isUlid, parseDecisionId, parsePlanId } from '../../../src/domain/kernel/ids.js';

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

describe('an id', () => {
  it.each([ULID, '0'.repeat(26), `7${'Z'.repeat(25)}`])('%s is a ULID', (value) => {
    expect([isUlid(value), parsePlanId(value), parseDecisionId(value)]).toEqual([
      true,
      value,
      value,
    ]);
  });

  it.each([
    ['one character short', ULID.slice(1)],
    ['one character long', `${ULID}0`],
    ['beyond 128 bits', `8${ULID.slice(1)}`],
    ['lower case', ULID.toLowerCase()],
    ['with an I', `0I${ULID.slice(2)}`],
    ['with an L', `0L${ULID.slice(2)}`],
    ['with an O', `0O${ULID.slice(2)}`],
    ['with a U', `0U${ULID.slice(2)}`],
    ['with a line end behind it', `${ULID}\n`],
    ['with a blank before it', ` ${ULID}`],
    ['nothing', ''],
    ['null', null],
    ['absent', undefined],
    ['a number', 1],
    ['an object that reads as one', { toString: () => ULID }],
  ])('%s is refused, naming the field', (_, value) => {
    expect(isUlid(value)).toBe(false);
    expect(() => parsePlanId(value)).toThrow(
      expect.objectContaining({ code: 'INVALID_ID', details: { field: 'plan_id' } }),
    );
    expect(() => parseDecisionId(value)).toThrow(
      expect.objectContaining({ code: 'INVALID_ID', details: { field: 'decision_id' } }),
    );
  });

  it('that is refused is not repeated at length', () => {
    expect(() => parsePlanId('x'.repeat(10_000))).toThrow(/^.{1,250}$/);
  });
});
