import { connect, createServer, type Socket } from 'node:net'
import { listen } from '../../testServer.ts'

/** A TCP proxy that fails like a network: data stops arriving, and neither side notices. */
export interface TcpProxy {
  /** URL of the server through the proxy. */
  url: string
  /** Drops all data. */
  cut(): void
  /** Holds back all data until `mend`. */
  stall(): void
  mend(): void
  close(): void
}

export async function createTcpProxy(to: string): Promise<TcpProxy> {
  const target = new URL(to)
  const ends = new Set<Socket>()
  let isCut = false
  let isStalled = false
  const server = createServer(near => {
    const far = connect(Number(target.port), target.hostname)
    for (const [from, on] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from)
      from.on('data', chunk => void (isCut || on.write(chunk)))
      from.on('close', () => {
        ends.delete(from)
        if (!isCut) on.destroy()
      })
      from.on('error', () => {})
      if (isStalled) from.pause()
    }
  })
  const { port } = await listen(server)
  return {
    url: Object.assign(new URL(to), { port: String(port) }).href,
    cut() {
      isCut = true
    },
    stall() {
      isStalled = true
      for (const end of ends) end.pause()
    },
    mend() {
      isCut = false
      isStalled = false
      for (const end of ends) end.resume()
    },
    close() {
      for (const end of ends) end.destroy()
      server.close()
    },
  }
}
