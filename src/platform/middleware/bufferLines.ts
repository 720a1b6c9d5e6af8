import type { LogSink } from './logSink.ts'

/** The longest time that lines stay in the buffer. If the process is killed they are lost. */
const flushAfterMs = 20

/**
 * A sink that buffers lines briefly, at most until the process exits, and writes them together: one write per line
 * would cost a tenth of a request.
 */
export function bufferLines(write: (text: string) => void): LogSink {
  let held = ''
  const flush = (): void => {
    const text = held
    held = ''
    if (text !== '') write(text)
  }
  process.once('exit', flush)
  return line => {
    if (held === '') setTimeout(flush, flushAfterMs)
    held += line
  }
}
