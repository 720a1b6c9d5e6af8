/** Takes one line of the log, a JSON object. A file of its own: who names it need not know the logger. */
export type LogSink = (line: string) => void

/** The least that a line must say to be in the log; requests are `info`, those answered with 5xx `error`. */
export type LogLevel = 'info' | 'warn' | 'error'
