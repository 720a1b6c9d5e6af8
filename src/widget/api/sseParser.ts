/** One event of a stream. The `id` field is ignored, because each message contains its own `seq`. */
export interface SseEvent {
  event: string
  data: string
}

/** Creates a parser for `text/event-stream`. It takes decoded text in pieces of any size. */
export function createSseParser(onEvent: (event: SseEvent) => void): (piece: string) => void {
  let rest = ''
  let event = ''
  let data: string[] = []
  return piece => {
    // A carriage return at the end may be the first half of a line break, so keep it for the next piece.
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
