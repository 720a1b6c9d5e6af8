import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listen } from '../testServer.ts'
import { createPlatform } from './platform.ts'
import { startPlatform } from './start.ts'
import { createSqliteStore } from './store/sqlite/sqliteStore.ts'
import { createTemporaryFolder } from './testing/temporaryFolder.ts'
import { createManualClock } from './testing/testTenants.ts'

const trustedProxies = ['not a network']

it('starts no timer and asks the store nothing if an option of the platform is invalid', async () => {
  const real = await createSqliteStore({ file: ':memory:' })
  const started: string[] = []
  const names = Object.keys(real) as (keyof typeof real)[]
  const store = Object.fromEntries(names.map(name => [name, () => started.push(name)])) as unknown as typeof real
  const clock = { ...createManualClock(), setTimeout: () => started.push('timer') }
  expect(() => createPlatform({ store, clock: clock as never, trustedProxies })).toThrow('not a network')
  expect(started).toEqual([])
  await real.close()
})

it('closes the bus and the database if the platform cannot be created', async () => {
  const connections = new Set<Socket>()
  // As much of a NATS server as a client needs to stay connected.
  const bus = createServer(socket => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    socket.write('INFO {"server_id":"bus","version":"2.11.0","proto":1,"max_payload":1048576,"headers":true}\r\n')
    socket.on('data', bytes => void (bytes.includes('PING') && socket.write('PONG\r\n')))
  })
  const { port, close } = await listen(bus)
  const connected = once(bus, 'connection')
  const start = startPlatform({
    ...{ database: ':memory:', port: 0, trustedProxies },
    natsUrl: `nats://127.0.0.1:${port}`,
  })
  await expect(start).rejects.toThrow('not a network')
  await connected
  await expect.poll(() => connections.size).toBe(0)
  await close()
})

it('has the threads of its database, so that their start does not count for the first requests', async () => {
  const threads = () => (process.report.getReport() as unknown as { workers: object[] }).workers.length
  const before = threads()
  const { close } = await startPlatform({ database: ':memory:', port: 0 })
  expect(threads() - before).toBe(3)
  await close()
})

it("leaves its host's Request and Response alone, while it runs and after it is closed", async () => {
  const before = { Request, Response }
  const { baseUrl, close } = await startPlatform({ database: ':memory:', port: 0 })
  const response = await fetch(`${baseUrl}/healthz`)
  expect([response.status, response instanceof Response]).toEqual([200, true])
  await close()
  expect({ Request, Response }).toEqual(before)
  expect(Response).toBe(before.Response)
})

it('lets a first admin join the desk with dev, and says without it how to invite one', async () => {
  const database = join(createTemporaryFolder(), 'natter.db')
  const lines: string[] = []
  const startIt = (dev: boolean) => startPlatform({ database, port: 0, dev, log: line => lines.push(line) })
  const alone = await startIt(false)
  await alone.close()
  expect(lines.join('\n')).toContain('natter desk invite EMAIL --admin')

  const { baseUrl, invitationUrl = '', close } = await startIt(true)
  const [link, token] = invitationUrl.split('#')
  expect(link).toBe(`${baseUrl}/desk/invite`)
  const accepted = await fetch(`${baseUrl}/desk/api/invitations/accept`, {
    method: 'POST',
    headers: { origin: baseUrl, 'content-type': 'application/json' },
    body: JSON.stringify({ token, name: 'Ada', password: 'correct horse battery' }),
  })
  expect(await accepted.json()).toMatchObject({ data: { member: { role: 'admin' } } })
  expect(accepted.headers.getSetCookie()[0]).toMatch(/^natter-desk=[0-9a-f]{64}; /)
  await close()
  expect(lines.join('\n')).not.toContain(token)

  lines.length = 0
  const joined = await startIt(true)
  expect(joined.invitationUrl).toBeUndefined()
  await joined.close()
  await (await startIt(false)).close()
  expect(lines.join('\n')).not.toContain('natter desk invite')
}, 30_000)
