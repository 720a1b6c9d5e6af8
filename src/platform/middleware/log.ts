import { type Logger, pino } from 'pino'
import type { LogLevel, LogSink } from './logSink.ts'
import { redact } from './redact.ts'
import type { RequestContext } from './requestContext.ts'

/**
 * A structured logger. Each line is redacted as a whole, including error messages and stacks. Without a sink it logs
 * nothing.
 */
export const createLogger = (sink?: LogSink, level: LogLevel = 'info'): Logger =>
  sink
    ? pino({ base: null, level, timestamp: pino.stdTimeFunctions.isoTime }, { write: line => sink(redact(line)) })
    : pino({ enabled: false })

/** Logs one line per request: the route's template, never the URL, the headers or the body. */
export const logResponses =
  (logger: Logger) =>
  ({ requestId, request: { method }, route }: RequestContext, status: number, ms: number): void => {
    const line = { requestId, method, route, status, ms: Math.round(ms * 100) / 100 }
    // A 503 of `/readyz` is a normal answer, not an error.
    if (status >= 500 && route !== '/readyz') logger.error(line, 'request')
    else logger.info(line, 'request')
  }
