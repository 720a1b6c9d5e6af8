/** One event as it stood in the stream. Its id is not read: a message says its seq itself. */
export interface SseEvent {
  event: string
  data: string
}

/** A parser of `text/event-stream`, to be fed in pieces of any size, decoded (which takes away a byte order mark). */
export function createSseParser(emit: (event: SseEvent) => void): (piece: string) => void {
  let rest = ''
  let event = ''
  let data: string[] = []
  return piece => {
    // A return at the end may be half of a line's end: it waits.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === 'event') event = value
      else if (field === 'data') data.push(value)
      else if (!line) {
        if (data[0] !== undefined) emit({ event: event || 'message', data: data.join('\n') })
        event = ''
        data = []
      }
    }
  }
}
