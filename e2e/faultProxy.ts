import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** What befalls one connection; with none of it everything passes. */
export interface Fault {
  /** It breaks after that many bytes of the platform's answers … */
  answered?: number
  /** … or of the browser's requests, whichever comes first. */
  asked?: number
  /** How: closed in good order (the default), reset, or left open and silent until it is buried. */
  by?: 'close' | 'reset' | 'stall'
  /** Bytes arrive that many at a time. */
  slice?: number
  /** All that is asked is asked once more, on a connection whose answers nobody hears. */
  twice?: boolean
}

/** A TCP proxy between browser and platform that does harm as planned. */
export interface FaultProxy {
  baseUrl: string
  /** Decides about each connection that is opened from now on, by the line that its first request begins with. */
  plan(next: (request: string) => Fault): void
  /** Breaks all that are open. */
  breakAll(by: NonNullable<Fault['by']>): void
  /**
   * Ends those that have stalled, as TCP finds out in the end that a line is dead. Chromium, which has six for a host,
   * leaves one to the preflight of each request that was given up while it stalled.
   */
  bury(): void
  /** How many connections it has broken. */
  broken(): number
  stop(): Promise<void>
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Link>()
  let next: (request: string) => Fault = () => ({})
  let broken = 0

  const dial = () => quiet(connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true }))
  const server = createServer({ noDelay: true, allowHalfOpen: true }, browser => {
    quiet(browser).once('readable', () => {
      const start = browser.read() as Buffer | null
      if (!start) return browser.destroy()
      browser.unshift(start)
      const fault = next(start.toString('latin1').split('\r\n', 1)[0] ?? '')
      const link = createLink(browser, dial(), fault.twice ? dial() : undefined)
      open.add(link)
      browser.once('close', () => {
        open.delete(link)
        link.end()
      })
      void link.carry(fault, () => {
        broken++
        link.break(fault.by ?? 'close')
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan(decide) {
      next = decide
    },
    breakAll(by) {
      broken += open.size
      for (const link of open) link.break(by)
    },
    bury() {
      for (const link of open) if (link.stalls()) link.break('reset')
    },
    broken: () => broken,
    async stop() {
      server.close()
      for (const link of open) link.break('reset')
    },
  }
}

/** One connection of the browser's with the one, or two, to the platform that belong to it. */
interface Link {
  /** Passes bytes on both ways until the fault's end of them. */
  carry(fault: Fault, onBreak: () => void): Promise<unknown>
  break(by: NonNullable<Fault['by']>): void
  stalls(): boolean
  end(): void
}

function createLink(browser: Socket, platform: Socket, second?: Socket): Link {
  let broken: Fault['by']
  second?.resume()
  const end = () => {
    platform.destroy()
    second?.destroy()
  }

  async function pass(from: Socket, to: Socket[], limit: number, slice: number, onBreak: () => void): Promise<void> {
    let left = limit
    const deliver = async (chunk: Buffer) => {
      for (let at = 0; at < chunk.length && !broken; await nextTurn()) {
        const piece = chunk.subarray(at, at + Math.min(slice, left))
        at += piece.length
        left -= piece.length
        const full = to.filter(socket => !socket.write(piece))
        if (left <= 0) return onBreak()
        for (const socket of full) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
      }
    }
    if (left <= 0) onBreak()
    try {
      // What comes after the break is read and dropped, or the end of the connection would never be seen.
      for await (const chunk of from as AsyncIterable<Buffer>) await deliver(chunk)
    } catch {
      // The other side has gone.
    }
    // Whoever waits on a stalled connection waits in vain, until the browser gives it up.
    if (broken !== 'stall') for (const socket of to) socket.end()
    else if (from === browser) browser.destroy()
  }

  return {
    end,
    stalls: () => broken === 'stall',
    carry: ({ asked = Infinity, answered = Infinity, slice = Infinity }, onBreak) =>
      Promise.all([
        pass(browser, second ? [platform, second] : [platform], asked, slice, onBreak),
        pass(platform, [browser], answered, slice, onBreak),
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

/** A socket whose errors are no surprise. */
const quiet = (socket: Socket): Socket => socket.on('error', () => {})
