/** Work that the store refused because somebody else was faster is done again from its reads. */
import { OssatureError } from '../../domain/kernel/errors.js';

/** Times that work is tried; each refusal means that another one got through. */
const ATTEMPTS = 5;

export async function retryStale<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= ATTEMPTS || !OssatureError.is(error, 'STALE')) throw error;
    }
  }
}
