/** Whether reworded claims are still said, and whether any was made up, by a model that sees claims alone. */
import { z } from 'zod';
import type { AuditClaims, AuditRequest } from '../../../application/lessons/ports.js';
import type { LanguageModel } from '../language-model.js';
import { askModel } from './ask-model.js';
import { reportedUsage } from './lesson-usage.js';

/** Changed with every change of the words below: results are told apart by it. */
const PROMPT_VERSION = 'claim-audit/1';

const INSTRUCTION = [
  'Two lists of statements are quoted: SOURCE, and CANDIDATE, which was written as a shorter form of it.',
  'In uncovered list the numbers of source statements that no candidate statement says, alone or together with others: their condition, their action and their values must all be there; other words are fine.',
  'In invented list the numbers of candidate statements that say something which no source statement says.',
  'Empty lists are a good answer where they are true. In doubt, list it.',
].join('\n');

export function promptedClaimAudit(model: LanguageModel): AuditClaims {
  return {
    identity: `${model.name} ${PROMPT_VERSION}`,
    async audit({ sourceClaims, candidateClaims }, signal) {
      const { value, usage } = await askModel(model, {
        instruction: INSTRUCTION,
        input: { SOURCE: numbered(sourceClaims), CANDIDATE: numbered(candidateClaims) },
        schema: z.object({ uncovered: z.array(z.string()), invented: z.array(z.string()) }),
        signal,
        check: ({ uncovered, invented }) =>
          unknownIn(uncovered, sourceClaims) ?? unknownIn(invented, candidateClaims),
      });
      return { ...value, ...reportedUsage(usage) };
    },
  };
}

type Claims = AuditRequest['sourceClaims'];

function numbered(claims: Claims): string {
  return claims.map(({ number, text }) => `${number}. ${text}`).join('\n');
}

function unknownIn(numbers: readonly string[], claims: Claims): string | null {
  const unknown = numbers.find((each) => !claims.some(({ number }) => number === each));
  return unknown === undefined ? null : `there is no statement ${unknown}`;
}
