import { type Logger, pino } from 'pino'
import type { LogLevel, LogSink } from './logSink.ts'
import { redact } from './redact.ts'

/**
 * A structured logger. Each line is redacted as a whole, including error messages and stacks. Without a sink it logs
 * nothing.
 */
export const createLogger = (sink?: LogSink, level: LogLevel = 'info'): Logger =>
  sink
    ? pino({ base: null, level, timestamp: pino.stdTimeFunctions.isoTime }, { write: line => sink(redact(line)) })
    : pino({ enabled: false })
