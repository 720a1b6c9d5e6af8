import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConversationPage } from '../../contract/index.ts'
import { startTalk } from '../testing/startTalk.ts'
import { createTestTenants, dataOf, outcomeOf, type TestBot, type TestTenants } from '../testing/testTenants.ts'

const minute = 60_000

const list = async ({ call }: TestBot, query = '') =>
  (await call('GET', `/conversations${query}`)).json() as Promise<ConversationPage>
const newMessage = (text = 'An agent here.') => ({ id: randomUUID(), text })

describe('the team’s side of the conversations', () => {
  let tenants: TestTenants
  beforeAll(async () => {
    tenants = await createTestTenants()
  })
  afterAll(() => tenants.close())

  it('are listed if they have a message, newest message first, page by page', async () => {
    const { sibling: bot, otherOrganization, clock } = tenants
    const tokens = [await bot.visitorToken(), await bot.visitorToken(), await bot.visitorToken()]
    await bot.visitorToken()
    for (const index of [0, 1, 2, 0]) {
      clock.advance(1)
      await bot.send(tokens[index] ?? '', `to ${index}`)
    }
    const texts = ({ data }: ConversationPage) => data.map(({ lastMessage }) => lastMessage.text)
    const first = await list(bot, '?limit=2')
    const second = await list(bot, `?limit=2&after=${first.next}`)
    expect([texts(first), texts(second), second.next]).toEqual([['to 0', 'to 2'], ['to 1'], null])
    expect(await list(bot)).toEqual({ data: [...first.data, ...second.data], next: null })
    expect(first.data[0]).toMatchObject({ contact: null, lastSeq: 2, readSeq: 0, unread: 0, pausedUntil: null })
    expect((await list(otherOrganization)).data).toEqual([])
    for (const query of ['?after=x', '?after=', '?limit=0', '?limit=101'])
      expect(await outcomeOf(bot.call('GET', `/conversations${query}`))).toBe('400 invalid_request')
  })

  it("get an agent's message once however often it is sent, as do open widgets, and no invalid one", async () => {
    const { ours } = tenants
    const { id } = await ours.createContact()
    const token = await ours.contactToken(id)
    const events = await ours.events(token)
    const write = (json: object) => ours.call('POST', `/contacts/${id}/messages`, { json })
    const message = { ...newMessage(' **Hello** '), format: 'markdown' }
    const [first, repeated] = [await write({ ...message, sources: [] }), await write(message)]
    expect([first.status, repeated.status]).toEqual([201, 200])
    const stored = await dataOf(first)
    expect(stored).toMatchObject({ ...message, text: '**Hello**', seq: 1, author: 'agent' })
    expect(stored).not.toHaveProperty('sources')
    expect(await dataOf(repeated)).toEqual(stored)
    expect((await events.nextOf('message')).data).toEqual(stored)
    for (const other of [{ text: 'Other' }, { format: 'plain' }])
      expect(await outcomeOf(write({ ...message, ...other }))).toBe('409 id_reused')
    const bad = [{}, { handBack: false }, { id: randomUUID() }, { text: 'x' }, { handBack: 'yes' }]
    const wrong = [{ id: 'x', text: 'x' }, newMessage(' '), newMessage('x'.repeat(4001)), newMessage('\0')]
    for (const json of [...bad, ...wrong, { ...newMessage(), format: 'html' }])
      expect(await outcomeOf(write(json))).toBe('400 invalid_request')
    expect(await ours.messages(token)).toEqual([stored])
    await events.cancel()
  })
})

describe('an agent takes over', () => {
  async function start(options: Parameters<typeof startTalk>[0] = {}) {
    const talk = await startTalk(options)
    const { clock, store, ours } = talk
    /** How many turns are waiting or running. Leases all of them, after their leases have expired. */
    const turns = async () => {
      const then = new Date(clock.now() + minute).toISOString()
      return (await store.leaseTurns('a test', then, then, 10)).length
    }
    const pausedUntil = async () => (await list(ours)).data[0]?.pausedUntil
    return { ...talk, turns, pausedUntil }
  }

  it('and the running reply is aborted immediately, with nothing of it stored', async () => {
    const { signals, events, send, asked, say, nextDelta, write, said } = await start()
    await send()
    await asked(0)
    await say({ text: 'Let me ' })
    const { id } = await nextDelta()
    expect((await write(newMessage())).status).toBe(201)
    expect(signals[0]?.aborted).toBe(true)
    expect((await events.nextOf('message.aborted')).data).toEqual({ id })
    expect((await events.nextOf('message')).data).toMatchObject({ author: 'agent' })
    expect(await said()).toEqual(['Hello?', 'An agent here.'])
  })

  it("while the reply is being stored, and only the agent's message is kept", async () => {
    const { store, events, send, asked, finish, write, said } = await start()
    const { endTurn } = store
    store.endTurn = async (...turn) => {
      await write(newMessage())
      return endTurn(...turn)
    }
    await send()
    await asked(0)
    await finish('Too late.')
    await events.nextOf('message.aborted')
    expect(await said()).toEqual(['Hello?', 'An agent here.'])
  })

  it("and the responder stays silent until 30 minutes after the agent's last message", async () => {
    const { clock, asked, send, write, turns, pausedUntil } = await start()
    await write(newMessage())
    clock.advance(20 * minute)
    await write(newMessage())
    expect(await pausedUntil()).toBe(new Date(clock.now() + 30 * minute).toISOString())
    clock.advance(29 * minute)
    await send()
    expect(await turns()).toBe(0)
    clock.advance(minute)
    expect(await pausedUntil()).toBeNull()
    await send()
    expect((await asked(0))?.messages.at(-1)?.author).toBe('visitor')
  })

  it('and hands back, also with the last message: the responder answers from the next one on', async () => {
    const { ours, asked, send, write, turns, pausedUntil } = await start({ agentPauseMs: 5 * minute })
    const profile = await dataOf(ours.call('GET', '/widget', { token: '' }))
    expect(profile).toMatchObject({ agentPauseSeconds: 300 })
    // A contact without a conversation has none to hand back.
    expect((await write({ handBack: true })).status).toBe(204)
    const message = newMessage()
    await write(message)
    await send('to the agent')
    expect(await turns()).toBe(0)
    expect((await write({ handBack: true })).status).toBe(204)
    expect(await pausedUntil()).toBeNull()
    await write(newMessage())
    expect(await pausedUntil()).not.toBeNull()
    await write({ ...newMessage(), handBack: true })
    expect(await pausedUntil()).toBeNull()
    await send('to the bot')
    expect((await asked(0))?.messages.at(-1)?.text).toBe('to the bot')
  })
})
