import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The ports of each worker of a runner begin elsewhere, so that no two have the same. */
const worker = Number(process.env['VITEST_POOL_ID'] ?? process.env['TEST_PARALLEL_INDEX'] ?? 0)
const portsEach = 100
const firstPort = 20_000 + (worker % portsEach) * portsEach
let last = randomInt(portsEach)

/**
 * A port for a program that is to listen later, or again and again. It is none of those that a system gives to whoever
 * asks for any (from 32768 on): another program would be given it meanwhile.
 */
export async function freePort(): Promise<number> {
  last = (last + 1) % portsEach
  const port = firstPort + last
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
