/**
 * Token counts without a vocabulary. The text is cut as o200k_base cuts it (`o200k-scanner.ts`),
 * and each piece is weighed by its script and kind.
 */
import type { TokenCounter } from '../../domain/kernel/measures.js';
import { endOfPiece } from './o200k-scanner.js';

export function createEstimateCounter(): TokenCounter {
  return {
    name: 'estimate',
    version: '1',
    count(text) {
      let tokens = 0;
      for (let start = 0; start < text.length;) {
        const end = endOfPiece(text, start);
        tokens += 1;
        start = end;
      }
      return Math.ceil(tokens);
    },
  };
}
