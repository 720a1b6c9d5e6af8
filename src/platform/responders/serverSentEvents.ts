/** Parses the data of each event of a `text/event-stream` that arrives in arbitrary pieces. */
export async function* readServerSentEvents(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let line = ''
  let afterReturn = false
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
    if (text === '') continue
    // A line feed right after a carriage return ends the same line.
    const lines = (afterReturn && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/)
    afterReturn = text.endsWith('\r')
    lines[0] = line + lines[0]
    line = lines.pop() ?? ''
    yield* take(lines)
  }
  // The last event need not be followed by an empty line.
  yield* take([line, ''])
}
