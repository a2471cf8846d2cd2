/**
 * The logger over pino, one JSON line an event, on stderr: stdout belongs to results. Passwords in
 * URLs are cut out of the finished line, because a list of paths to redact misses what is nested.
 */
import { destination, type Level, pino } from 'pino';
import type { Logger } from '../../application/ports/logger.js';

const STDERR = 2;
const URL_PASSWORD = /(\w+:\/\/[^\s:/@"]*):[^\s@"]+@/g;

export function createPinoLogger(level: Level | 'silent'): Logger {
  const log = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => line.replace(URL_PASSWORD, '$1:[redacted]@') },
    },
    destination({ fd: STDERR, sync: true }),
  );
  return {
    debug: (event, fields) => log.debug(fields ?? {}, event),
    info: (event, fields) => log.info(fields ?? {}, event),
    warn: (event, fields) => log.warn(fields ?? {}, event),
    error: (event, fields) => log.error(fields ?? {}, event),
  };
}
