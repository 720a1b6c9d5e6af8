import { describe, expect, it } from 'vitest'
import { createMemoryBus } from '../bus/memory.ts'
import { presenceRoundMs } from '../domain/maintenance.ts'
import { teamSubject } from '../domain/subjects.ts'
import { timestamp } from '../domain/time.ts'
import { sweepMs } from '../platform.ts'
import { createMember, type DeskCallOptions, type TestMember } from '../testing/createMember.ts'
import {
  advanceUntil,
  createTestTenants,
  dataOf,
  type EventReader,
  outcomeOf,
  readDeskEvents,
  readEvents,
  type TestBot,
} from '../testing/testTenants.ts'
import { forgottenAfterMs } from './viewers.ts'

/** Two nodes with a bus, two members, and a visitor who has written. */
async function start() {
  const bus = createMemoryBus()
  const tenants = await createTestTenants({ bus })
  const { clock, ours, sibling } = tenants
  const second = tenants.addNode({ bus })
  const begin = async (testBot: TestBot) => {
    const token = await testBot.visitorToken()
    await testBot.send(token, 'Hello')
    const [conversation] = await dataOf<{ id: string }[]>(testBot.call('GET', '/conversations'))
    return { token, id: conversation?.id ?? '' }
  }
  const [conversation, other] = [await begin(ours), await begin(sibling)]
  const [nora, ada] = [
    await createMember(tenants, { name: 'Nora' }),
    await createMember(tenants, { name: 'Ada', botIds: [ours.bot.id] }),
  ]
  const open = async (member: TestMember, options?: DeskCallOptions & { page?: string }) =>
    readDeskEvents(await member.call('GET', `/events?page=${options?.page ?? ''}`, options))
  /** Lets time pass, and everything happen that is due. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500)
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  /** Tells the platform what the member looks at. */
  const view = (member: TestMember, conversationId: string | null, options?: DeskCallOptions & { page?: string }) =>
    outcomeOf(member.call('PUT', '/viewing', { ...options, json: { page: options?.page, conversationId } }))
  /** The names of the next viewers that a stream is told. Time passes until then. */
  const viewersOf = async (events: EventReader) => {
    const { data } = await advanceUntil(clock, 100, events.nextOf('viewers'))
    return { id: data['conversationId'], names: (data['members'] as { name: string }[]).map(({ name }) => name) }
  }
  return { ...tenants, tenants, bus, second, conversation, other, nora, ada, open, pass, view, viewersOf }
}

describe('a member who writes', () => {
  it('is shown to the team on every node, and to the visitor', async () => {
    const { ours, second, conversation, nora, ada, open } = await start()
    const events = await open(ada, { platform: second })
    const widget = readEvents(await ours.call('GET', '/widget/events', { token: conversation.token }))
    expect(await outcomeOf(nora.call('POST', `/conversations/${conversation.id}/typing`))).toBe('204')
    expect((await events.nextOf('typing')).data).toEqual({
      conversationId: conversation.id,
      member: { id: nora.id, name: 'Nora' },
    })
    expect((await widget.nextOf('typing')).data).toEqual({ author: 'agent', sender: { name: 'Nora' } })
  })

  it('is not shown to those who do not see the bot, nor to other organizations', async () => {
    const { tenants, otherOrganization, conversation, other, nora, ada, open } = await start()
    const { organizationId } = otherOrganization.bot
    const stranger = await createMember(tenants, { organizationId })
    const [events, foreign] = [await open(ada), await open(stranger)]
    await nora.call('POST', `/conversations/${other.id}/typing`)
    await nora.call('POST', `/conversations/${conversation.id}/typing`)
    expect((await events.nextOf('typing')).data).toMatchObject({ conversationId: conversation.id })
    await tenants.platform.closeStreams()
    await expect(foreign.nextOf('typing')).rejects.toThrow('The stream has ended')
  })

  it.each(['another organization', 'a bot that it does not see'])('gets 404 for a conversation of %s', async whose => {
    const { tenants, otherOrganization, conversation, other, ada, view } = await start()
    const { organizationId } = otherOrganization.bot
    const [member, { id }] =
      whose === 'another organization' ? [await createMember(tenants, { organizationId }), conversation] : [ada, other]
    expect(await outcomeOf(member.call('POST', `/conversations/${id}/typing`))).toBe('404 not_found')
    expect(await view(member, id)).toBe('404 not_found')
  })
})

describe('the viewers of a conversation', () => {
  it('are shown on every node, also to a stream that opens later, until they look elsewhere', async () => {
    const { second, conversation, other, nora, ada, open, view, viewersOf } = await start()
    await open(nora)
    const events = await open(ada, { platform: second })
    // The request may reach a node that does not have the stream.
    expect(await view(nora, conversation.id, { platform: second })).toBe('204')
    const shown = { id: conversation.id, names: ['Nora'] }
    expect(await viewersOf(events)).toEqual(shown)
    const late = await open(ada, { platform: second })
    expect(await viewersOf(late)).toEqual(shown)
    await view(nora, other.id)
    for (const stream of [events, late]) expect(await viewersOf(stream)).toEqual({ ...shown, names: [] })
  })

  it('are each named once', async () => {
    const { conversation, nora, ada, open, view, viewersOf } = await start()
    const events = await open(nora)
    await open(ada)
    await view(nora, conversation.id)
    await view(ada, conversation.id)
    expect((await viewersOf(events)).names).toEqual(['Nora'])
    expect((await viewersOf(events)).names).toEqual(['Nora', 'Ada'])
    await view(ada, null)
    expect((await viewersOf(events)).names).toEqual(['Nora'])
  })

  it('are not forgotten because they look elsewhere on another page', async () => {
    const { pass, conversation, nora, ada, open, view, viewersOf } = await start()
    const events = await open(ada)
    for (const page of ['one', 'two']) await open(nora, { page })
    await view(nora, conversation.id, { page: 'one' })
    await view(nora, null, { page: 'two' })
    expect((await viewersOf(events)).names).toEqual(['Nora'])
    await pass(2 * forgottenAfterMs)
    await view(ada, conversation.id)
    expect((await viewersOf(events)).names).toEqual(['Nora', 'Ada'])
  })

  it('stay while a stream of their page is open on any node, and are forgotten some time later', async () => {
    const { pass, second, conversation, nora, ada, open, view, viewersOf } = await start()
    const [here, there] = [await open(nora), await open(nora, { platform: second })]
    const events = await open(ada, { platform: second })
    await view(nora, conversation.id)
    expect((await viewersOf(events)).names).toEqual(['Nora'])
    let hasLeft = false
    const left = events.nextOf('viewers').then(({ data }) => {
      hasLeft = true
      return data
    })
    await here.cancel()
    await pass(2 * forgottenAfterMs)
    await there.cancel()
    expect(hasLeft).toBe(false)
    await pass(forgottenAfterMs + sweepMs)
    expect(await left).toEqual({ conversationId: conversation.id, members: [] })
  })

  it('are forgotten if their node is gone', async () => {
    const { bus, ours, conversation, nora, ada, open, viewersOf } = await start()
    const events = await open(ada)
    const { id, botId } = { id: conversation.id, botId: ours.bot.id }
    const viewing = { viewer: 'there', member: { id: nora.id, name: 'Nora' }, conversation: { id, botId } }
    bus.publish(teamSubject(ours.bot.organizationId), { type: 'viewing', viewing })
    expect(await viewersOf(events)).toEqual({ id, names: ['Nora'] })
    expect(await viewersOf(events)).toEqual({ id, names: [] })
  })
})

describe('the presence of a member', () => {
  const startWithRow = async () => {
    const { store, ours, nora, ...rest } = await start()
    const rowOf = async () => (await store.listMembers(ours.bot.organizationId)).find(({ id }) => id === nora.id)
    return { ...rest, nora, rowOf }
  }

  it('is recorded while a stream is open', async () => {
    const { clock, nora, open, rowOf } = await startWithRow()
    await open(nora)
    for (let round = 0; round < 2; round++) {
      clock.advance(presenceRoundMs)
      await expect.poll(rowOf).toMatchObject({ isAway: false, activeAt: timestamp(clock.now()) })
    }
  })

  it('stays away while a stream is open, and so does the time since when', async () => {
    const { clock, nora, open, rowOf } = await startWithRow()
    await open(nora)
    await nora.call('PUT', '/presence', { json: { presence: 'away' } })
    const before = await rowOf()
    for (let round = 0; round < 5; round++) {
      clock.advance(presenceRoundMs)
      await nora.call('PUT', '/presence', { json: { presence: 'away' } })
    }
    expect(await rowOf()).toEqual(before)
    expect(before?.isAway).toBe(true)
  })
})

it.each(['has left', 'is away'])(
  'a conversation waits for another member if its owner %s for ten minutes',
  async how => {
    const { store, clock, ours, conversation, nora, ada, open } = await start()
    const events = await open(ada)
    const { organizationId, id: botId } = ours.bot
    const leftAt = clock.elapsed()
    await nora.call('PUT', '/presence', { json: { presence: how === 'is away' ? 'away' : 'online' } })
    if (how === 'is away') await open(nora)
    const owner = { id: nora.id, name: nora.name }
    await store.claimConversation({ organizationId, botId }, conversation.id, owner, null, timestamp(clock.now()))
    const stateOf = async () => {
      const { data } = await advanceUntil(clock, 5_000, events.nextOf('conversation'))
      return [data['state'], data['assignee']]
    }
    expect(await stateOf()).toEqual(['bot', null])
    expect(await stateOf()).toEqual(['open', owner])
    expect(await stateOf()).toEqual(['waiting', null])
    expect(clock.elapsed() - leftAt).toBeGreaterThanOrEqual(10 * 60_000)
  },
)
