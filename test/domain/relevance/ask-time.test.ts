import { describe, expect, it } from '@jest/globals';
import { asksForTime, tellsTime } from '../../../src/domain/relevance/ask-time.js';

describe('asksForTime', () => {
  it.each([
    ['When did the ship leave?', true],
    ['Since when is the door blue?', true],
    ['How long did the repair take?', true],
    ['On which day is the class?', true],
    ['In what year was it built?', true],
    ['Who left when the ship came?', false],
    ['fix the release script', false],
    ['', false],
  ])('%s: %s', (goal, asks) => {
    expect(asksForTime(goal)).toBe(asks);
  });
});

describe('tellsTime', () => {
  it.each([
    ['we met last week', true],
    ['on the 3rd', true],
    ['in March', true],
    ['at ٣', true],
    ['two years ago', true],
    ['we met at the marching band', false],
    ['', false],
  ])('%s: %s', (text, tells) => {
    expect(tellsTime(text)).toBe(tells);
  });

  it('a text of a megabyte is read at its head', () => {
    expect(tellsTime('a'.repeat(1_000_000))).toBe(false);
  });
});
