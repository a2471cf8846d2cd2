/** Model ports that answer what a scenario says. */
import type {
  CompressionRequest,
  JudgeReplay,
  ProposeCompression,
} from '../../../src/application/lessons/ports.js';
import type { CompressionProposal } from '../../../src/domain/lessons/attempt.js';

type Wanted = Partial<CompressionProposal> & Pick<CompressionProposal, 'body'>;

/** A compressor that says so; without fates it says of every claim that it was kept. */
export function compressorOf(
  say: (request: CompressionRequest) => Wanted | Promise<Wanted>,
): ProposeCompression {
  return {
    identity: 'scripted',
    propose: async (request) => ({
      proposal: {
        dropped: [],
        fates: request.claims.map(({ number }) => ({
          claimId: number,
          fate: 'kept',
          mergedWith: [],
        })),
        lossless: false,
        title: null,
        gist: null,
        rationale: null,
        ...(await say(request)),
      },
    }),
  };
}

/** A judge that writes so. */
export function judgeOf(say: JudgeReplay['judge'], deterministic = true): JudgeReplay {
  return { identity: 'scripted', deterministic, judge: say };
}
