import { describe, expect, it } from '@jest/globals';
import { failureMessage } from '../../../src/domain/assembly/failure-message.js';
import { selectStrategies } from '../../../src/domain/assembly/select-strategies.js';

const withMessage = (message: unknown): Error =>
  Object.defineProperty(new Error('x'), 'message', { value: message });

const ODD_ERRORS: readonly { readonly rule: string; readonly error: unknown }[] = [
  { rule: 'no message', error: withMessage(undefined) },
  { rule: 'an object as its message', error: withMessage({ code: 7 }) },
  { rule: 'a symbol as its message', error: withMessage(Symbol('s')) },
  { rule: 'no error', error: 'text' },
  { rule: 'nothing at all', error: undefined },
  {
    rule: 'a message that throws',
    error: Object.defineProperty(new Error('x'), 'message', {
      get: () => {
        throw new Error('again');
      },
    }),
  },
];

describe('failureMessage', () => {
  it.each(ODD_ERRORS)('has words for what has $rule', ({ error }) => {
    expect(failureMessage(error)).toBe('It threw.');
  });

  it('clips a message of any length', () => {
    expect(failureMessage(new Error('x'.repeat(1_000_000)))).toHaveLength(300);
  });

  it('speaks for what canHandle throws, too', () => {
    const throws = {
      name: 's',
      quality: 1,
      canHandle: (): never => {
        throw new Error('x'.repeat(1_000_000));
      },
    };

    expect(selectStrategies([throws], {}, [])[0]?.failure?.message).toHaveLength(300);
  });
});
