/** The data of each event of a `text/event-stream`, which arrives in pieces that are cut anywhere. */
export async function* readServerSentEvents(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let data: string[] = []
  const take = function* (lines: string[]): Generator<string> {
    for (const line of lines) {
      if (line === '' && data.length > 0) {
        yield data.join('\n')
        data = []
      }
      const field = /^data(?:: ?(.*))?$/s.exec(line)
      if (field) data.push(field[1] ?? '')
    }
  }
  for await (const text of texts) {
    rest += text
    // A carriage return at the very end may be half of a line's end.
    const half = rest.endsWith('\r') ? '\r' : ''
    const lines = rest.slice(0, rest.length - half.length).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + half
    yield* take(lines)
  }
  // The last event need not be followed by an empty line.
  yield* take([rest.replace(/\r$/, ''), ''])
}
