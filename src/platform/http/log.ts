import { type Logger, pino } from 'pino'
import { redact } from './redact.ts'

/** Receives one line of the log, a JSON object. */
export type LogSink = (line: string) => void

/**
 * A structured logger; log errors as `err`. Each line is redacted as a whole, including error messages and stacks.
 * Without a sink it logs nothing.
 */
export const createLogger = (sink?: LogSink, level: 'info' | 'warn' | 'error' = 'info'): Logger =>
  sink
    ? pino(
        {
          base: null,
          level,
          timestamp: pino.stdTimeFunctions.isoTime,
          hooks: { streamWrite: redact },
          serializers: { err: error => pickErrorFields(pino.stdSerializers.errWithCause(error)) },
        },
        { write: sink },
      )
    : pino({ enabled: false })

/**
 * Only these fields are logged. Others may contain what people have entered: PostgreSQL's `detail` of a unique violation
 * contains the email.
 */
function pickErrorFields(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error
  const { type, message, code, stack, cause } = error as Record<string, unknown>
  return { type, message, code, stack, ...(cause !== undefined && { cause: pickErrorFields(cause) }) }
}

/** The longest time for which lines stay in the buffer. They are lost if the process is killed. */
const flushAfterMs = 20
const flushAfterBytes = 8 * 1024

/**
 * A sink for stderr that buffers lines for a moment. One write per line would take a tenth of the time of a request. The
 * buffer is written when the process exits.
 */
export function createStderrSink(): LogSink {
  const stderr = pino.destination({
    dest: process.stderr.fd,
    sync: false,
    minLength: flushAfterBytes,
    periodicFlush: flushAfterMs,
  })
  return line => void stderr.write(line)
}
