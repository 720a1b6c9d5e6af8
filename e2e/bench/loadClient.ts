import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Which requests to send, over how many connections, for how long. */
export interface Load {
  port: number
  connections: number
  seconds: number
  /** Path of the bot, such as `/v1/bots/…`. */
  path: string
  token: string
  request: 'retrieve' | 'create' | 'update' | 'search' | 'upsert'
  contactIds: string[]
  /** Query strings of `search`, used in turn, already encoded, such as `query=ada&page=2`. */
  queries?: string[]
  /** How long each connection pauses between a response and its next request. Default: no pause. */
  thinkMs?: number
  /** Makes emails and names of this round unique. */
  round: string
}

/** Results; times in milliseconds. */
export interface LoadResult {
  requests: number
  perSecond: number
  latencies: number[]
  /** How often each status was received. */
  statuses: Record<number, number>
  /** Share of one core that this client used. Near 1, the client itself is the bottleneck. */
  cpu: number
}

// Runs in a separate process: in the server's or the benchmark's process the client would compete for CPU time.
process.on('message', async (load: Load) => process.send?.(await run(load)))

async function run(load: Load): Promise<LoadResult> {
  const nextRequest = createRequestSource(load)
  const latencies: number[] = []
  const statuses: Record<number, number> = {}
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  const end = start + load.seconds * 1000

  const runConnection = async (): Promise<void> => {
    const connection = await openConnection(load.port)
    for (;;) {
      const sent = performance.now()
      if (sent >= end) break
      const status = await connection.send(nextRequest())
      latencies.push(performance.now() - sent)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (load.thinkMs) await sleep(load.thinkMs)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: load.connections }, runConnection))
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    requests: latencies.length,
    perSecond: latencies.length / (ms / 1000),
    latencies,
    statuses,
    cpu: (user + system) / 1000 / ms,
  }
}

function createRequestSource({ request, path, token, contactIds, queries = [], round }: Load): () => string {
  const headers = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
  const withBody = (method: string, target: string, body: unknown): string => {
    const text = JSON.stringify(body)
    return `${method} ${target} ${headers}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
  let count = 0
  const someContact = () => contactIds[Math.floor(Math.random() * contactIds.length)]
  const kinds: Record<Load['request'], () => string> = {
    retrieve: () => `GET ${path}/contacts/${someContact()} ${headers}\r\n`,
    create: () =>
      withBody('PUT', `${path}/contacts`, {
        name: `Grace Hopper ${count}`,
        email: `grace.hopper.${round}.${++count}@example.com`,
        phone: `+1 202 555 ${String(count).padStart(6, '0')}`,
      }),
    update: () => withBody('PATCH', `${path}/contacts/${someContact()}`, { name: `Katherine ${round} ${++count}` }),
    search: () => `POST ${path}/contacts?${queries[count++ % queries.length]} ${headers}Content-Length: 0\r\n\r\n`,
    upsert: () =>
      withBody('PATCH', `${path}/contacts`, {
        data: Array.from({ length: 1000 }, () => ({
          name: `Dorothy Vaughan ${++count}`,
          email: `dorothy.vaughan.${round}.${count}@example.com`,
        })),
      }),
  }
  return kinds[request]
}

interface Connection {
  /** Sends a request and resolves to the status when the whole response has arrived. */
  send(request: string): Promise<number>
  close(): void
}

/** Implements only as much HTTP as the two servers use: the client must be cheaper than either of them. */
async function openConnection(port: number): Promise<Connection> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let pending: PromiseWithResolvers<number> | undefined
  let received = Buffer.alloc(0)
  socket.on('data', chunk => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const status = parseCompleteResponse(received)
    if (status === undefined) return
    received = Buffer.alloc(0)
    pending?.resolve(status)
  })
  socket.on('close', () => pending?.reject(new Error('The server closed the connection.')))
  socket.on('error', error => pending?.reject(error))
  return {
    send(request) {
      pending = Promise.withResolvers<number>()
      socket.write(request)
      return pending.promise
    },
    close() {
      pending = undefined
      socket.destroy()
    },
  }
}

/** The status of a response, or `undefined` while it is incomplete. */
function parseCompleteResponse(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const status = Number(head.slice(9, 12))
  const length = /content-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return bytes.length >= headEnd + 4 + Number(length) ? status : undefined
  if (status === 204 || status === 304) return status
  return bytes.toString('latin1', Math.max(headEnd, bytes.length - 5)) === '0\r\n\r\n' ? status : undefined
}
