import { connect, type Socket } from 'node:net'

/** Requests to this process. */
export type StreamClientsCall =
  /** Opens streams and responds when each has received its first bytes. */
  | { call: 'open'; port: number; requests: string[] }
  /** Starts to watch for a text, such as `event: message`. */
  | { call: 'watchFor'; text: string }
  /** Responds, for each stream, when the text first arrived (0: not yet), and how many bytes have arrived since. */
  | { call: 'counts' }
  /** Closes all streams. */
  | { call: 'close' }

export interface StreamCounts {
  /** Milliseconds of the system's monotonic clock, the same in every process. */
  at: number[]
  bytes: number[]
}

interface StreamClient {
  socket: Socket
  isOpen: boolean
  at: number
  bytes: number
}

export const monotonic = (): number => Number(process.hrtime.bigint()) / 1e6

/** How many streams are opened in parallel. A listening socket queues only a few hundred connections. */
const openConcurrency = 64

let clients: StreamClient[] = []
let watchedText = ''

if (process.send) process.on('message', async (call: StreamClientsCall) => process.send?.((await handle(call)) ?? null))

async function handle(call: StreamClientsCall): Promise<StreamCounts | undefined> {
  if (call.call === 'open') await openAll(call.port, call.requests)
  if (call.call === 'watchFor') {
    watchedText = call.text
    for (const client of clients) Object.assign(client, { at: 0, bytes: 0 })
  }
  if (call.call === 'close') {
    for (const { socket } of clients) socket.destroy()
    clients = []
  }
  return call.call === 'counts'
    ? { at: clients.map(({ at }) => at), bytes: clients.map(({ bytes }) => bytes) }
    : undefined
}

async function openAll(port: number, requests: string[]): Promise<void> {
  const pending = requests.values()
  const worker = async (): Promise<void> => {
    for (const request of pending) await open(port, request)
  }
  await Promise.all(Array.from({ length: openConcurrency }, worker))
}

function open(port: number, request: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ port, host: '127.0.0.1' })
  const client: StreamClient = { socket, isOpen: false, at: 0, bytes: 0 }
  clients.push(client)
  socket.setEncoding('latin1')
  socket.write(request)
  socket.on('error', reject)
  socket.on('data', (text: string) => {
    // The response headers and the first comment may arrive in separate packets.
    if (!client.isOpen) {
      if (!text.startsWith('HTTP/1.1 200')) reject(new Error(text))
      client.isOpen = true
      resolve()
    }
    client.bytes += text.length
    if (client.at === 0 && watchedText !== '' && text.includes(watchedText)) client.at = monotonic()
  })
  return promise
}
