/** One event of a stream. Its id is not read: a message carries its own seq. */
export interface SseEvent {
  event: string
  data: string
}

/** Creates a parser of `text/event-stream`. Feed it decoded text in pieces of any size. */
export function createSseParser(onEvent: (event: SseEvent) => void): (piece: string) => void {
  let rest = ''
  let event = ''
  let data: string[] = []
  return piece => {
    // A carriage return at the end may be the first half of a line break, so it waits for the next piece.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === 'event') event = value
      else if (field === 'data') data.push(value)
      else if (!line) {
        if (data[0] !== undefined) onEvent({ event: event || 'message', data: data.join('\n') })
        event = ''
        data = []
      }
    }
  }
}
