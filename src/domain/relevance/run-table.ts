/**
 * A map from stretches of text to values that is asked with positions, so that a word
 * already known is recognised without cutting it out of its text: most words of a long text are.
 * Open addressing; the hash is FNV-1a over UTF-16 units (Fowler, Noll, Vo).
 */

const FIRST_CAPACITY = 1 << 12;
/** Share of the slots in use at which the table grows. */
const FULLEST = 0.5;

export class RunTable<Value> {
  private slots = new Int32Array(FIRST_CAPACITY).fill(-1);
  private readonly runs: string[] = [];
  private readonly hashes: number[] = [];
  private readonly values: Value[] = [];

  /** The value of text[start..end), as `make` gave them when the run was first met. */
  valueOf(text: string, start: number, end: number, make: (run: string) => Value): Value {
    let hash = 0x81_1c_9d_c5;
    for (let at = start; at < end; at += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
    }
    let slot = this.slotOf(hash);
    for (;;) {
      const known = this.slots[slot] ?? -1;
      if (known < 0) break;
      if (this.hashes[known] === hash && this.isRun(known, text, start, end)) {
        return this.values[known] as Value;
      }
      slot = (slot + 1) & (this.slots.length - 1);
    }
    const run = text.slice(start, end);
    const value = make(run);
    this.slots[slot] = this.runs.length;
    this.runs.push(run);
    this.hashes.push(hash);
    this.values.push(value);
    if (this.runs.length > this.slots.length * FULLEST) this.grow();
    return value;
  }

  private slotOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & (this.slots.length - 1);
  }

  private isRun(known: number, text: string, start: number, end: number): boolean {
    const run = this.runs[known] ?? '';
    if (run.length !== end - start) return false;
    for (let at = 0; at < run.length; at += 1) {
      if (run.charCodeAt(at) !== text.charCodeAt(start + at)) return false;
    }
    return true;
  }

  private grow(): void {
    this.slots = new Int32Array(this.slots.length * 2).fill(-1);
    this.hashes.forEach((hash, known) => {
      let slot = this.slotOf(hash);
      while ((this.slots[slot] ?? -1) >= 0) slot = (slot + 1) & (this.slots.length - 1);
      this.slots[slot] = known;
    });
  }
}
