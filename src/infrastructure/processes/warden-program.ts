/** The program of the warden: hears what began and what ended, and when its input ends, ends the rest. */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { endProcessTree } from './process-tree.js';
import type { WardenLine } from './warden.js';

const open = new Map<string, number | null>();
try {
  for await (const text of createInterface({ input: process.stdin })) {
    const { root, pid } = JSON.parse(text) as WardenLine;
    if (pid === undefined) open.delete(root);
    else open.set(root, pid);
  }
} catch {
  // A line cut off by the death of who wrote it, or a pipe that broke with it: it has ended.
}
await Promise.all(
  [...open].map(async ([root, pid]) => {
    await endProcessTree(pid, root);
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }),
);
