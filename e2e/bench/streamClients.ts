import { connect, type Socket } from 'node:net'

/** What the bench asks of the readers' process, and what it answers. */
export type ReadersCall =
  /** Opens streams and answers when each has begun to flow. */
  | { call: 'open'; port: number; requests: string[] }
  /** Begins to listen for a word, such as `event: message`. */
  | { call: 'listen'; word: string }
  /** Answers, for each stream, when the word came first (0: it has not), and how many bytes have come since. */
  | { call: 'heard' }
  /** Hangs up. */
  | { call: 'close' }

export interface Heard {
  /** Milliseconds of the system's monotonic clock, the same in every process. */
  at: number[]
  bytes: number[]
}

interface Reader {
  socket: Socket
  began: boolean
  at: number
  bytes: number
}

export const monotonic = (): number => Number(process.hrtime.bigint()) / 1e6

/** Opened at a time: a listening socket has a queue of a few hundred. */
const openedAtOnce = 64

let readers: Reader[] = []
let word = ''

if (process.send) process.on('message', async (call: ReadersCall) => process.send?.((await answer(call)) ?? null))

async function answer(call: ReadersCall): Promise<Heard | undefined> {
  if (call.call === 'open') await openAll(call.port, call.requests)
  if (call.call === 'listen') {
    word = call.word
    for (const reader of readers) Object.assign(reader, { at: 0, bytes: 0 })
  }
  if (call.call === 'close') {
    for (const { socket } of readers) socket.destroy()
    readers = []
  }
  return call.call === 'heard'
    ? { at: readers.map(({ at }) => at), bytes: readers.map(({ bytes }) => bytes) }
    : undefined
}

async function openAll(port: number, requests: string[]): Promise<void> {
  const waiting = requests.values()
  const lane = async (): Promise<void> => {
    for (const request of waiting) await open(port, request)
  }
  await Promise.all(Array.from({ length: openedAtOnce }, lane))
}

function open(port: number, request: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ port, host: '127.0.0.1' })
  const reader: Reader = { socket, began: false, at: 0, bytes: 0 }
  readers.push(reader)
  socket.setEncoding('latin1')
  socket.write(request)
  socket.on('error', reject)
  socket.on('data', (text: string) => {
    // Head and first comment may come apart.
    if (!reader.began) {
      if (!text.startsWith('HTTP/1.1 200')) reject(new Error(text))
      reader.began = true
      resolve()
    }
    reader.bytes += text.length
    if (reader.at === 0 && word !== '' && text.includes(word)) reader.at = monotonic()
  })
  return promise
}
