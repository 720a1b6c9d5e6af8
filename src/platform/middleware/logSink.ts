/** Takes one line of the log, a JSON object. A file of its own: who names it need not know the logger. */
export type LogSink = (line: string) => void
