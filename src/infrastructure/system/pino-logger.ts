/**
 * The logger over pino: one JSON line an event. Passwords in URLs are cut out of the finished line,
 * because a list of paths to redact misses what is nested.
 */
import { type Level, pino } from 'pino';
import type { Logger } from '../../application/ports/logger.js';

const URL_PASSWORD = /(\w+:\/\/[^\s:/@"]*):[^\s@"]+@/g;

/** @param write takes whole lines; a result on stdout must not be among them. */
export function createPinoLogger(level: Level | 'silent', write: (line: string) => void): Logger {
  const log = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => write(line.replace(URL_PASSWORD, '$1:[redacted]@')) },
  );
  return {
    debug: (event, fields) => log.debug(fields ?? {}, event),
    info: (event, fields) => log.info(fields ?? {}, event),
    warn: (event, fields) => log.warn(fields ?? {}, event),
    error: (event, fields) => log.error(fields ?? {}, event),
  };
}
