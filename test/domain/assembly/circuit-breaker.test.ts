import { describe, expect, it } from '@jest/globals';
import {
  admit,
  type Circuit,
  CLOSED_CIRCUIT,
  failed,
  OPEN_MS,
  succeeded,
  type Ticket,
} from '../../../src/domain/assembly/circuit-breaker.js';

/**
 * Plays steps on one circuit: `in` asks to enter (the calls are numbered), `+n` and `-n` end call n
 * well or badly, `wait` lets the pause pass. Answers what each `in` was told, and the last state.
 */
function play(script: string): { readonly admitted: string; readonly state: Circuit['state'] } {
  let circuit: Circuit = CLOSED_CIRCUIT;
  let nowMs = 0;
  const tickets: (Ticket | null)[] = [];
  for (const step of script.split(' ')) {
    const ticket = tickets[Number(step.slice(1)) - 1];
    if (step === 'wait') nowMs += OPEN_MS;
    else if (step === 'in') {
      const entry = admit(circuit, nowMs);
      ({ circuit } = entry);
      tickets.push(entry.ticket);
    } else if (ticket) {
      circuit = step.startsWith('+') ? succeeded(circuit, ticket) : failed(circuit, ticket, nowMs);
    }
  }
  return {
    admitted: tickets.map((one) => (one === null ? 'n' : 'y')).join(''),
    state: circuit.state,
  };
}

describe('the circuit breaker', () => {
  // prettier-ignore
  it.each([
    { rule: 'two failures leave it closed',             script: 'in -1 in -2 in',                          admitted: 'yyy',    state: 'closed' },
    { rule: 'three in a row open it',                   script: 'in -1 in -2 in -3 in',                    admitted: 'yyyn',   state: 'open' },
    { rule: 'a success starts the count anew',          script: 'in -1 in -2 in +3 in -4 in -5 in',        admitted: 'yyyyyy', state: 'closed' },
    { rule: 'after the pause one probe is let in',      script: 'in -1 in -2 in -3 wait in in in',         admitted: 'yyyynn', state: 'probing' },
    { rule: 'a probe that works closes it',             script: 'in -1 in -2 in -3 wait in +4 in in',      admitted: 'yyyyyy', state: 'closed' },
    { rule: 'a probe that fails opens it again',        script: 'in -1 in -2 in -3 wait in -4 in',         admitted: 'yyyyn',  state: 'open' },
    { rule: 'late failures do not keep it open',        script: 'in in in in -1 -2 -3 wait in -4 +5 in',   admitted: 'yyyyyy', state: 'closed' },
    { rule: 'a late success does not close it',         script: 'in in in in -1 -2 -3 +4 in',              admitted: 'yyyyn',  state: 'open' },
    { rule: 'a late success does not end the probing',  script: 'in in in in -1 -2 -3 wait in +4 in',      admitted: 'yyyyyn', state: 'probing' },
  ])('$rule', ({ script, admitted, state }) => {
    expect(play(script)).toEqual({ admitted, state });
  });
});
