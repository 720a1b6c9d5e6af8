import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it } from 'vitest'
import type { Message } from '../../contract/index.ts'
import { line } from '../testing/files/useFiles.ts'
import { execute } from '../testing/postgresServer.ts'
import { startNodes, type TestNodes } from '../testing/testNodes.ts'
import { dataOf, outcomeOf, readEvents } from '../testing/testTenants.ts'

const server = inject('postgres')
const content = Buffer.concat(Array.from({ length: 17 }, () => line))

const upload = ({ nodes, tenants }: TestNodes, node: number, token: string, id: string): Promise<Response> => {
  const url = `http://natter.test/v1/bots/${tenants.ours.bot.id}/widget/attachments/${id}`
  const headers = { authorization: `Bearer ${token}`, 'content-length': String(content.length) }
  return (nodes[node % 3] ?? tenants.platform).fetch(new Request(url, { method: 'PUT', headers, body: content }))
}

describe('three nodes on one PostgreSQL', { timeout: 60_000 }, () => {
  it('store a file once, though all of them receive it at the same moment', async () => {
    const deployment = await startNodes(server)
    const token = await deployment.tenants.ours.visitorToken()
    for (let round = 0; round < 5; round++) {
      const id = randomUUID()
      const outcomes = await Promise.all(
        [0, 1, 2].map(async node => outcomeOf(await upload(deployment, node, token, id))),
      )
      for (const outcome of outcomes) expect(outcome).toMatch(/^(201|200|409 id_reused)$/)
      expect(outcomes).toContain('201')
      expect((await upload(deployment, round, token, id)).status).toBe(200)
      const read = await deployment.call(round + 1, 'GET', `/widget/attachments/${id}`, { token })
      expect(Buffer.from(await read.arrayBuffer()).equals(content)).toBe(true)
    }
    const [counted] = await execute(deployment.database, 'SELECT count(*)::int AS parts FROM attachment_parts')
    expect(counted).toEqual({ parts: 5 * 5 })
  })

  it('show a file to the visitor that another node has received, in a message that a third one has', async () => {
    const deployment = await startNodes(server)
    const { tenants, call } = deployment
    const token = await tenants.ours.visitorToken()
    const events = readEvents(await call(2, 'GET', '/widget/events', { token }))
    const id = randomUUID()
    expect((await upload(deployment, 0, token, id)).status).toBe(201)
    const json = { id: randomUUID(), attachments: [{ id, name: 'a.txt' }] }
    expect((await call(1, 'POST', '/widget/messages', { token, json })).status).toBe(201)
    tenants.clock.advance(800)
    const { data } = await events.nextOf('message')
    expect(data).toMatchObject({ id: json.id, text: '', attachments: [{ id, size: content.length }] })
    const [message] = (await dataOf(await call(2, 'GET', '/widget/messages', { token }))) as Message[]
    expect(message?.attachments).toEqual(data['attachments'])
    expect((await call(2, 'GET', `/widget/attachments/${id}`, { token })).status).toBe(200)
    await events.cancel()
  })

  it('do not exceed the limit of a bot together', async () => {
    const deployment = await startNodes(server)
    const { ours, store } = deployment.tenants
    await store.updateBot(ours.bot.id, { limits: { botMegabytesPerDay: 5 } })
    const tokens = await Promise.all(Array.from({ length: 12 }, () => ours.visitorToken()))
    const outcomes = await Promise.all(
      tokens.map(async (token, node) => outcomeOf(await upload(deployment, node, token, randomUUID()))),
    )
    expect(outcomes.filter(outcome => outcome === '201')).toHaveLength(4)
    expect(outcomes.filter(outcome => outcome === '429 rate_limited')).toHaveLength(8)
  })
})
