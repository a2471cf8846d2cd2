import type { Logger } from '../../application/ports/logger.js';

/** The default of the library: a host that gives no logger hears nothing. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
