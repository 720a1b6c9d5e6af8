import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { natter, type RunningServer, serve } from './cliProcess.ts'
import { line } from './files/startFiles.ts'
import { at } from './store/storeTenants.ts'
import type { TestDatabase } from './testDatabases.ts'
import { dataOf } from './testTenants.ts'

const partBytes = 256 * 1024
const file = Buffer.concat(Array.from({ length: 30 }, () => line))
const parts = Math.ceil(file.length / partBytes)

/** Uploads and messages of server processes that are killed, on any database. */
export function describeKilledUploads(name: string, create: () => Promise<TestDatabase>): void {
  /** A server whose bot takes files, and a visitor. */
  async function start() {
    const database = await create()
    const restart = (...args: string[]) =>
      serve([...args, '--log-level', 'warn', '--database', database.address], { NATTER_RATE_LIMIT: '0' })
    const first = await restart('--dev')
    const { botId } = first
    await natter('bot', 'update', botId, '--attachments', 'yes', '--responder', 'none', '--database', database.address)
    const started = fetch(`${first.baseUrl}/v1/bots/${botId}/widget/sessions`, { method: 'POST' })
    const { token } = await dataOf<{ token: string }>(started)
    const call = (server: RunningServer, method: string, path: string, body?: BodyInit) =>
      fetch(`${server.baseUrl}/v1/bots/${botId}/widget${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      })
    const upload = (server: RunningServer, id: string, body: Buffer = file) =>
      call(server, 'PUT', `/attachments/${id}`, new Uint8Array(body))
    const send = (server: RunningServer, id: string, files: string[]) => {
      const attachments = files.map(id => ({ id, name: 'a.txt' }))
      return call(server, 'POST', '/messages', JSON.stringify({ id, attachments }))
    }
    const count = async (sql: string) => Number((await database.query(`SELECT count(*) AS n FROM ${sql}`))[0]?.['n'])
    return { database, first, restart, call, upload, send, count, botId, token }
  }

  describe(name, () => {
    it('keeps nothing of an upload that it was killed in, and its repetition is stored once', async () => {
      const { database, first, restart, call, upload, send, count, botId, token } = await start()
      const [id, abandoned] = [randomUUID(), randomUUID()]
      const begin = (id: string) => {
        const sending = request(`${first.baseUrl}/v1/bots/${botId}/widget/attachments/${id}`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${token}`, 'content-length': String(file.length) },
        })
        sending.on('error', () => {})
        sending.write(file.subarray(0, file.length - 1))
      }
      for (const each of [id, abandoned]) begin(each)
      await expect.poll(() => count('attachment_parts'), { timeout: 20_000 }).toBe(2 * (parts - 1))
      await first.stop('SIGKILL')

      const second = await restart()
      expect((await call(second, 'GET', `/attachments/${id}`)).status).toBe(404)
      expect([(await upload(second, id)).status, (await upload(second, id)).status]).toEqual([201, 200])
      expect((await send(second, randomUUID(), [id])).status).toBe(201)
      const read = await call(second, 'GET', `/attachments/${id}`)
      expect(Buffer.from(await read.arrayBuffer()).equals(file)).toBe(true)
      expect(await second.stop()).toBe(0)
      expect(await count('attachment_parts')).toBe(parts + parts - 1)
      const store = await database.openStore()
      await store.purge({ now: at(1e9), endedBefore: at(-1e9) })
      await store.close()
      expect([await count('attachments'), await count('attachment_parts')]).toEqual([1, parts])
    })

    it('stores each message with its files once, though it was killed while they arrived', async () => {
      const { database, first, restart, call, upload, send, count } = await start()
      const messages = Array.from({ length: 24 }, () => ({ id: randomUUID(), files: [randomUUID(), randomUUID()] }))
      const small = file.subarray(0, 1000)
      await Promise.all(messages.flatMap(({ files }) => files).map(id => upload(first, id, small)))
      const sendAll = (server: RunningServer) => messages.map(({ id, files }) => send(server, id, files))
      const interrupted = sendAll(first)
      await Promise.race(interrupted)
      await first.stop('SIGKILL')
      const statuses = await Promise.all(interrupted.map(sent => sent.then(({ status }) => status).catch(() => 0)))
      const acknowledged = statuses.filter(status => status === 201).length
      expect(acknowledged).toBeGreaterThan(0)

      const survived = await count('messages')
      expect(survived).toBeGreaterThanOrEqual(acknowledged)
      expect(await count('attachments WHERE message_id IS NOT NULL')).toBe(2 * survived)
      const second = await restart()
      const repeated = await Promise.all(sendAll(second))
      expect(repeated.filter(({ status }) => status === 200)).toHaveLength(survived)
      expect(repeated.filter(({ status }) => status === 201)).toHaveLength(messages.length - survived)
      for (const { files } of messages)
        for (const id of files)
          expect(await (await call(second, 'GET', `/attachments/${id}`)).text()).toBe(small.toString())
      expect(await second.stop()).toBe(0)
      const [sums] = await database.query('SELECT count(*) AS n, max(seq) AS last FROM messages')
      expect([Number(sums?.['n']), Number(sums?.['last'])]).toEqual([messages.length, messages.length])
      expect(await count('attachments WHERE message_id IS NOT NULL')).toBe(2 * messages.length)
    })
  })
}
