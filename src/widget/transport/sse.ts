/** One event as it stood in the stream. */
export interface SseEvent {
  event: string
  data: string
  /** The last id seen so far. */
  id: string
}

/** A parser of `text/event-stream`, to be fed in pieces of any size, decoded (which takes away a byte order mark). */
export function createSseParser(emit: (event: SseEvent) => void): (piece: string) => void {
  let rest = ''
  let afterReturn = false
  let event = ''
  let data: string[] = []
  let id = ''

  function line(text: string) {
    if (text === '') {
      if (data.length) emit({ event: event || 'message', data: data.join('\n'), id })
      event = ''
      data = []
      return
    }
    const colon = text.indexOf(':')
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') event = value
    else if (field === 'data') data.push(value)
    else if (field === 'id' && !value.includes('\0')) id = value
  }

  return piece => {
    if (!piece) return
    // A line feed that follows a return belongs to it, also when they come in different pieces.
    const text = afterReturn && piece[0] === '\n' ? piece.slice(1) : piece
    afterReturn = piece.endsWith('\r')
    const lines = (rest + text).split(/\r\n|\r|\n/)
    rest = lines.pop() ?? ''
    for (const each of lines) line(each)
  }
}
