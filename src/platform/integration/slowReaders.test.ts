import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { report, scale } from '../../testScale.ts'
import { conversationSubject } from '../domain/subjects.ts'
import { countingBus, createTestTenants, dataOf, readEvents, type TestTenants } from '../testing/testTenants.ts'

const { readers, chunks: deltas } = scale.unread
const chunk = 'x'.repeat(8192)
const mebibyte = 2 ** 20

/** Opens a stream and never reads from it. */
function openUnreadStream(port: number, { ours }: TestTenants, token: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.pause()
  const path = `/v1/bots/${ours.bot.id}/widget/events`
  socket.write(`GET ${path} HTTP/1.1\r\nHost: natter.test\r\nAuthorization: ${token}\r\n\r\n`)
  return socket
}

it('clients that never read use bounded memory, are disconnected, and do not delay others', async () => {
  const { bus, listening } = countingBus()
  const tenants = await createTestTenants({ bus })
  const { port } = await tenants.serve()
  const contact = await tenants.ours.createContact()
  const token = await tenants.ours.contactToken(contact.id)
  await tenants.ours.send(token, 'Hello?')
  const [conversation] = await dataOf<{ id: string }[]>(tenants.ours.call('GET', '/conversations'))
  const subject = conversationSubject(conversation?.id ?? '')
  const base = `http://127.0.0.1:${port}/v1/bots/${tenants.ours.bot.id}/widget/events`
  const events = readEvents(await fetch(base, { headers: { authorization: token } }))
  const alone = listening()
  const sockets: Socket[] = []
  for (let count = 0; count < readers; count++)
    sockets.push(openUnreadStream(port, tenants, await tenants.ours.contactToken(contact.id)))
  while (listening() < alone + readers) await turn()

  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = (): number => {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = used()
  let most = 0
  const id = randomUUID()
  for (let index = 0; index < deltas; index++) {
    const data = { id, offset: index * chunk.length, text: chunk }
    bus.publish(subject, { type: 'forward', streamEvent: { event: 'message.delta', data } })
    // The normal reader receives each chunk before the next is sent.
    const event = await events.nextOf('message.delta')
    expect(event.data['offset']).toBe(data.offset)
    if (index % 250 === 0) most = Math.max(most, used() - before)
  }
  while (listening() > alone) await turn()
  report(`${readers} readers that never read cost ${(most / mebibyte).toFixed(1)} MiB at most`)
  // Without a bound it would be everything, for each of them.
  const bound = readers * 0.25 * mebibyte + 16 * mebibyte
  expect(most).toBeLessThan(bound)
  expect(deltas * chunk.length * readers).toBeGreaterThan(5 * bound)
  for (const socket of sockets) socket.destroy()
  await events.cancel()
}, 120_000)
