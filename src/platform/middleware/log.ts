import { type Logger, pino } from 'pino'
import type { Exchange } from './exchange.ts'
import type { LogLevel, LogSink } from './logSink.ts'

// One character of hex or base64url, as it is or percent-encoded, once or twice.
const hex = '(?:[0-9a-fA-F]|%(?:25)?(?:3[0-9]|[46][1-6]))'
const base64url = '(?:[A-Za-z0-9_-]|%(?:25)?[2-7][0-9a-fA-F])'
// A cut-off token gives away most of itself, so what is shorter than one is taken out as well.
const hexToken = new RegExp(`(?:(?:[cv]|%(?:25)?[67][36])(?::|%(?:25)?3[aA]))?${hex}{33,}`, 'g')
const organizationToken = new RegExp(`(?:o|%(?:25)?6[fF])(?:_|%(?:25)?5[fF])${base64url}{20,}`, 'g')
// They travel in no address: nobody percent-encodes one.
const webhookSecret = /whsec_[A-Za-z0-9+/]{16,}=*/g

/** Takes every token out of a text, percent-encoded ones too, and every secret of a webhook; linear in its length. */
export const redact = (text: string): string =>
  [hexToken, organizationToken, webhookSecret].reduce((rest, secret) => rest.replace(secret, '[redacted]'), text)

/** A structured logger whose every line has been redacted as a whole, error texts and stacks included; silent without a sink. */
export const createLogger = (sink?: LogSink, level: LogLevel = 'info'): Logger =>
  sink
    ? pino({ base: null, level, timestamp: pino.stdTimeFunctions.isoTime }, { write: line => sink(redact(line)) })
    : pino({ enabled: false })

/** One line a request: the route as a template, never the address, the headers or the body. */
export const logAnswers =
  (logger: Logger) =>
  ({ requestId, request: { method }, route }: Exchange, status: number, ms: number): void => {
    const line = { requestId, method, route, status, ms: Math.round(ms * 100) / 100 }
    if (status >= 500) logger.error(line, 'request')
    else logger.info(line, 'request')
  }
