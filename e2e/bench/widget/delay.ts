import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Delay {
  baseUrl: string
  stop(): void
}

/** A proxy to a server that delays everything by half a round trip in either direction. */
export async function startDelay(target: string, roundTripMs: number): Promise<Delay> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const later = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('error', () => {})
    from.on('data', piece => setTimeout(() => to.writable && to.write(piece), roundTripMs / 2))
    from.on('close', () => setTimeout(() => to.destroy(), roundTripMs / 2))
  }
  const server = createServer({ noDelay: true }, browser => {
    const platform = connect({ host: hostname, port: Number(port), noDelay: true })
    later(browser, platform)
    later(platform, browser)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
