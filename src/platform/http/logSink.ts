/** Receives one line of the log, a JSON object. In its own file so that public types do not depend on the logger. */
export type LogSink = (line: string) => void

/** The lowest level that is logged. Requests are `info`; with a 5xx response they are `error`. */
export type LogLevel = 'info' | 'warn' | 'error'
