/** A binary heap of numbers in one typed array: the smallest comes out first. */
export class MinHeap {
  size = 0;
  private keys: Float64Array;

  constructor(capacity: number) {
    this.keys = new Float64Array(Math.max(1, capacity));
  }

  push(key: number): void {
    if (this.size === this.keys.length) this.grow();
    let hole = this.size++;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const parentKey = this.keys[parent] ?? 0;
      if (parentKey <= key) break;
      this.keys[hole] = parentKey;
      hole = parent;
    }
    this.keys[hole] = key;
  }

  /** Takes the smallest out. The heap must not be empty. */
  pop(): number {
    const smallest = this.keys[0] ?? 0;
    this.size -= 1;
    this.sink(this.keys[this.size] ?? 0);
    return smallest;
  }

  private sink(key: number): void {
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && (this.keys[child + 1] ?? 0) < (this.keys[child] ?? 0))
        child += 1;
      const childKey = this.keys[child] ?? 0;
      if (childKey >= key) break;
      this.keys[hole] = childKey;
      hole = child;
    }
    this.keys[hole] = key;
  }

  private grow(): void {
    const keys = new Float64Array(2 * this.keys.length);
    keys.set(this.keys);
    this.keys = keys;
  }
}
