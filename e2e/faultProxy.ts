import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** What happens to one connection. With an empty object everything passes. */
export interface Fault {
  /** The connection breaks after this many bytes of responses … */
  responseBytes?: number
  /** … or of requests, whichever comes first. */
  requestBytes?: number
  /** How it breaks: closed normally (default), reset, or left open and silent until `resetStalled`. */
  by?: 'close' | 'reset' | 'stall'
  /** Bytes are forwarded in chunks of this size. */
  chunkSize?: number
  /** Every request is also sent on a second connection whose responses are discarded. */
  duplicate?: boolean
}

/** A TCP proxy between browser and platform that injects faults. */
export interface FaultProxy {
  baseUrl: string
  /** Sets the fault of each connection opened from now on, given the first line of its first request. */
  plan(faultFor: (request: string) => Fault): void
  /** Breaks all open connections. */
  breakAll(by: NonNullable<Fault['by']>): void
  /**
   * Resets stalled connections, as TCP eventually does. Chromium opens at most six connections per host, and each
   * preflight that was abandoned while stalled keeps one of them.
   */
  resetStalled(): void
  /** How many connections have been broken. */
  broken(): number
  stop(): Promise<void>
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<ProxiedConnection>()
  let faultFor: (request: string) => Fault = () => ({})
  let broken = 0

  const connectToTarget = () =>
    ignoreErrors(connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true }))
  const server = createServer({ noDelay: true, allowHalfOpen: true }, browser => {
    ignoreErrors(browser).once('readable', () => {
      const start = browser.read() as Buffer | null
      if (!start) return browser.destroy()
      browser.unshift(start)
      const fault = faultFor(start.toString('latin1').split('\r\n', 1)[0] ?? '')
      const connection = createProxiedConnection(
        browser,
        connectToTarget(),
        fault.duplicate ? connectToTarget() : undefined,
      )
      open.add(connection)
      browser.once('close', () => {
        open.delete(connection)
        connection.end()
      })
      void connection.forward(fault, () => {
        broken++
        connection.break(fault.by ?? 'close')
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan(decide) {
      faultFor = decide
    },
    breakAll(by) {
      broken += open.size
      for (const connection of open) connection.break(by)
    },
    resetStalled() {
      for (const connection of open) if (connection.isStalled()) connection.break('reset')
    },
    broken: () => broken,
    async stop() {
      server.close()
      for (const connection of open) connection.break('reset')
    },
  }
}

/** A browser connection and its one or two connections to the platform. */
interface ProxiedConnection {
  /** Forwards bytes in both directions until the fault's limit. */
  forward(fault: Fault, onBreak: () => void): Promise<unknown>
  break(by: NonNullable<Fault['by']>): void
  isStalled(): boolean
  end(): void
}

function createProxiedConnection(browser: Socket, platform: Socket, duplicateTarget?: Socket): ProxiedConnection {
  let broken: Fault['by']
  duplicateTarget?.resume()
  const end = () => {
    platform.destroy()
    duplicateTarget?.destroy()
  }

  async function pipe(
    from: Socket,
    to: Socket[],
    limit: number,
    chunkSize: number,
    onBreak: () => void,
  ): Promise<void> {
    let left = limit
    const deliver = async (chunk: Buffer) => {
      for (let at = 0; at < chunk.length && !broken; await nextTurn()) {
        const piece = chunk.subarray(at, at + Math.min(chunkSize, left))
        at += piece.length
        left -= piece.length
        const full = to.filter(socket => !socket.write(piece))
        if (left <= 0) return onBreak()
        for (const socket of full) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
      }
    }
    if (left <= 0) onBreak()
    try {
      // Read and discard everything after the break. Otherwise the end of the connection would never be noticed.
      for await (const chunk of from as AsyncIterable<Buffer>) await deliver(chunk)
    } catch {
      // The other side has disconnected.
    }
    // Do not end the other side of a stalled connection: it must look open until the browser gives up.
    if (broken !== 'stall') for (const socket of to) socket.end()
    else if (from === browser) browser.destroy()
  }

  return {
    end,
    isStalled: () => broken === 'stall',
    forward: ({ requestBytes = Infinity, responseBytes = Infinity, chunkSize = Infinity }, onBreak) =>
      Promise.all([
        pipe(browser, duplicateTarget ? [platform, duplicateTarget] : [platform], requestBytes, chunkSize, onBreak),
        pipe(platform, [browser], responseBytes, chunkSize, onBreak),
      ]),
    break(by) {
      broken = by
      if (by === 'stall') return
      end()
      if (by === 'close') browser.end()
      else browser.resetAndDestroy()
    },
  }
}

/** Ignores the socket's errors, which are expected here. */
const ignoreErrors = (socket: Socket): Socket => socket.on('error', () => {})
