import type { OutgoingResponse } from '../http/connection.ts'

/** The outgoing side of a connection whose reader reads nothing. */
export function createStalledOutgoing(): { outgoing: OutgoingResponse; buffered(): number; destroyedTimes(): number } {
  let buffered = 0
  let destroyedTimes = 0
  const outgoing: OutgoingResponse = {
    destroyed: false,
    get writableLength() {
      return buffered
    },
    writeHead: () => {},
    write(bytes) {
      buffered += bytes.length
    },
    end: () => {},
    on: () => {},
    destroy: () => destroyedTimes++,
  }
  return { outgoing, buffered: () => buffered, destroyedTimes: () => destroyedTimes }
}
