import { type Logger, pino } from 'pino'
import type { LogLevel, LogSink } from './logSink.ts'
import { redact } from './redact.ts'

/**
 * A structured logger. Each line is redacted as a whole, including error messages and stacks. Without a sink it logs
 * nothing.
 */
export const createLogger = (sink?: LogSink, level: LogLevel = 'info'): Logger =>
  sink
    ? pino(
        { base: null, level, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: redact } },
        { write: sink },
      )
    : pino({ enabled: false })

/** The longest time that lines stay in the buffer. If the process is killed they are lost. */
const flushAfterMs = 20
const flushAfterBytes = 8 * 1024

/**
 * A sink for stderr that buffers lines briefly, at most until the process exits: one write per line would cost a tenth
 * of a request.
 */
export function createStderrSink(): LogSink {
  const stderr = pino.destination({
    ...{ dest: process.stderr.fd, sync: false },
    ...{ minLength: flushAfterBytes, periodicFlush: flushAfterMs },
  })
  return line => void stderr.write(line)
}
