import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { startTalk } from '../testing/startTalk.ts'
import { outcomeOf } from '../testing/testTenants.ts'

async function start() {
  const talk = await startTalk()
  const remove = (messageId: string) =>
    outcomeOf(talk.ours.call('DELETE', `/contacts/${talk.contact.id}/messages/${messageId}`))
  const secret = randomUUID()
  await talk.send('hunter2', secret)
  const first = await talk.asked(0)
  await talk.say({ text: 'Your password hunter2' })
  const { id } = await talk.nextDelta()
  return { ...talk, remove, secret, first, replyId: String(id) }
}

it('a reply that is being written is written again without the message that was removed', async () => {
  const { asked, signals, events, send, say, finish, reply, said, remove, secret, first, replyId } = await start()
  await send('Are you there?')
  expect(await remove(secret)).toBe('204')
  expect(signals[0]?.aborted).toBe(true)
  expect((await events.nextOf('message.aborted')).data).toEqual({ id: replyId })
  // The reply that was aborted still waits for its next part.
  await say({ text: ' is …' })
  const second = await asked(1)
  await finish('I am.')
  const texts = [first, second].map(question => question?.messages.map(({ text }) => text))
  expect(texts).toEqual([['hunter2'], ['Are you there?']])
  await reply()
  expect(await said()).toEqual(['', 'Are you there?', 'I am.'])
})

it('a reply is not written if nothing is left to answer, nor found before it is stored', async () => {
  const { clock, store, events, say, said, remove, secret, replyId } = await start()
  expect(await remove(replyId)).toBe('404 not_found')
  await remove(secret)
  await events.nextOf('message.aborted')
  await say({ text: ' is …' })
  const later = new Date(clock.now() + 60_000).toISOString()
  expect(await store.leaseTurns('a test', later, later, 10)).toEqual([])
  expect(await said()).toEqual([''])
})

it('a message is found by its id in any case, and not by a part of it, nor by a visitor', async () => {
  const { ours, token, said, remove, secret } = await start()
  for (const wrong of [randomUUID(), 'x', '%00', `${secret}0`]) expect(await remove(wrong)).toBe('404 not_found')
  const own = ours.call('DELETE', `/conversations/${randomUUID()}/messages/${secret}`, { token })
  expect(await outcomeOf(own)).toBe('403 insufficient_scope')
  expect(await said()).toEqual(['hunter2'])
  expect([await remove(secret.toUpperCase()), await remove(secret), await said()]).toEqual(['204', '204', ['']])
})
