import { type Logger, pino } from 'pino'
import type { LogLevel, LogSink } from './logSink.ts'
import { redact } from './redact.ts'
import type { RequestContext } from './requestContext.ts'

/** A structured logger whose every line has been redacted as a whole, error texts and stacks included; silent without a sink. */
export const createLogger = (sink?: LogSink, level: LogLevel = 'info'): Logger =>
  sink
    ? pino({ base: null, level, timestamp: pino.stdTimeFunctions.isoTime }, { write: line => sink(redact(line)) })
    : pino({ enabled: false })

/** One line a request: the route as a template, never the address, the headers or the body. */
export const logResponses =
  (logger: Logger) =>
  ({ requestId, request: { method }, route }: RequestContext, status: number, ms: number): void => {
    const line = { requestId, method, route, status, ms: Math.round(ms * 100) / 100 }
    // Whether a node is ready it is asked all day long: no is an answer, too.
    if (status >= 500 && route !== '/readyz') logger.error(line, 'request')
    else logger.info(line, 'request')
  }
