/** The log of one command: a JSON line an event on stderr, from the wanted level up. */
import type { LogFields, Logger } from '../../application/ports/logger.js';
import type { OutputStream } from './terminal.js';
import { toWire } from './wire-names.js';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** In an address of a server: what stands between the user and the host. */
const URL_PASSWORD = /(\w+:\/\/[^\s:/@"]*):[^\s@"]+@/g;

export function createStderrLogger(stderr: OutputStream, from: LogLevel): Logger {
  const log = (level: LogLevel) => (event: string, fields?: LogFields) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(from)) return;
    const line = JSON.stringify({
      level,
      time: new Date().toISOString(),
      event,
      ...(toWire(fields ?? {}) as object),
    });
    stderr.write(`${line.replace(URL_PASSWORD, '$1:[redacted]@')}\n`);
  };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}
