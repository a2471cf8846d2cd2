/** Ids that count from 1, so that equal work gives equal ids. For cores that nobody shares. */
import type { NewId } from '../../application/ports/system.js';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Characters of a ULID. */
const LENGTH = 26;

export function countingIds(): NewId {
  let last = 0;
  return () => {
    last += 1;
    let text = '';
    for (let rest = last; rest > 0; rest = Math.floor(rest / CROCKFORD.length)) {
      text = CROCKFORD.charAt(rest % CROCKFORD.length) + text;
    }
    return text.padStart(LENGTH, '0');
  };
}
