import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, createAcme, graceToken, shown, type Tab } from '../testing/fixtures.ts'
import { conversationOf, tabsOfAda } from '../testing/tabFixtures.ts'

const delta = (offset: number, text: string) => ({ event: 'message.delta', data: { id: 'r', offset, text } }) as const

describe('tabs of one visitor', () => {
  it('share one stream and all show its events', async () => {
    const { platform, messages, tabs, clock } = await tabsOfAda(10)
    expect(platform.streams.size).toBe(1)
    platform.emit(messages, { event: 'typing', data: { author: 'agent' } })
    await settle()
    for (const tab of tabs) expect(conversationOf(tab).reply.typing.value?.author).toBe('agent')
    platform.emit(messages, delta(0, 'Hel'))
    platform.emit(messages, delta(3, 'lo'))
    await settle()
    for (const tab of tabs) expect(conversationOf(tab).reply.streaming.value?.text).toBe('Hello')
    const message = platform.say(messages, { id: 'r', text: 'Hello!' })
    await settle()
    for (const tab of tabs) {
      expect([shown(tab), conversationOf(tab).reply.streaming.value]).toEqual([['Dear Ada', 'Hello!'], null])
      expect(tab.events.filter(([name]) => name === 'message')).toEqual([['message', message]])
      expect(conversationOf(tab).connection.value).toBe('live')
    }
    await clock.advance(60_000)
    expect(platform.streams.size).toBe(1)
  })

  it('load no coordination code while there is only one', async () => {
    const { origin, tabs, platform } = await tabsOfAda(1)
    expect([origin.channels.size, platform.streams.size, conversationOf(tabs[0]).outbox.isLeader()]).toEqual([
      0,
      1,
      true,
    ])
  })

  it('open one stream each in a sandboxed frame, which refuses every lock', async () => {
    const { browser, platform } = createAcme()
    const { openTab } = browser.origin
    browser.origin.openTab = (...tab) => {
      const { transport } = openTab(...tab)
      const refuse = () => Promise.reject(new DOMException('Sandboxed', 'SecurityError'))
      return { transport: { ...transport, requestLock: refuse }, withLeaderLock: async () => 'taken' }
    }
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await browser.clock.advance(5000)
    expect(platform.log.filter(({ path }) => path === '/events/stream')).toHaveLength(1)
    expect(conversationOf(tab).connection.value).toBe('live')
  })

  it('show a streaming reply in full if they open in the middle of it', async () => {
    const { platform, messages, open } = await tabsOfAda(2)
    platform.emit(messages, delta(0, 'Once upon '))
    await settle()
    const late = await open()
    expect(conversationOf(late).reply.streaming.value?.text).toBe('Once upon ')
    platform.emit(messages, delta(10, 'a time'))
    await settle()
    expect(conversationOf(late).reply.streaming.value?.text).toBe('Once upon a time')
  })

  it.each(['destroyed', 'killed', 'put away'])('miss nothing when the leader is %s', async how => {
    const { platform, messages, tabs, clock, leaders } = await tabsOfAda(3)
    const [leader] = leaders() as [Tab]
    const rest = tabs.filter(tab => tab !== leader)
    if (how === 'killed') leader.life.die()
    if (how === 'destroyed') leader.core.destroy()
    if (how === 'put away') leader.fire('pagehide')
    platform.say(messages, { text: 'In between' })
    await clock.advance(1000)
    for (const tab of rest) expect(shown(tab)).toEqual(['Dear Ada', 'In between'])
    expect(platform.streams.size).toBe(1)
  })

  it('replace a silent leader by a visible tab after 20 s, and a frozen leader follows when it thaws', async () => {
    const { platform, messages, tabs, clock, leaders } = await tabsOfAda(3, at => at === 2)
    const [frozen] = leaders() as [Tab]
    const visible = tabs.find(tab => tab !== frozen && tab !== tabs[2]) as Tab
    frozen.life.freeze()
    platform.say(messages, { text: 'Unheard' })
    await clock.advance(15_000)
    expect(shown(visible)).toEqual(['Dear Ada'])
    await clock.advance(6000)
    for (const tab of [visible, tabs[2]]) expect(shown(tab)).toEqual(['Dear Ada', 'Unheard'])
    expect(conversationOf(visible).outbox.isLeader()).toBe(true)
    platform.say(messages, { text: 'Then' })
    frozen.life.thaw()
    await clock.advance(1000)
    expect(shown(frozen)).toEqual(['Dear Ada', 'Unheard', 'Then'])
    expect(frozen.events.filter(([name]) => name === 'message')).toHaveLength(2)
    expect([platform.streams.size, leaders()]).toEqual([1, [visible]])
  })

  it('keep a leader whose stream only delivers comments', async () => {
    const { platform, clock, leaders } = await tabsOfAda(3)
    const [leader] = leaders()
    for (let quarter = 0; quarter < 8; quarter++) {
      for (const stream of platform.streams) stream.push(':\n\n')
      await clock.advance(15_000)
    }
    expect(leaders()).toEqual([leader])
  })

  it('prefer a visible leader', async () => {
    const { platform, tabs, clock, leaders } = await tabsOfAda(3)
    const [leader] = leaders() as [Tab]
    const [other, last] = tabs.filter(tab => tab !== leader) as [Tab, Tab]
    last.setHidden(true)
    leader.setHidden(true)
    await settle()
    expect(leaders()).toEqual([other])
    // If no tab is visible, the leader stays.
    other.setHidden(true)
    await clock.advance(1000)
    expect(leaders()).toEqual([other])
    last.setHidden(false)
    await settle()
    expect([leaders(), platform.streams.size]).toEqual([[last], 1])
  })

  it('all show that the stream has broken, and that it is back', async () => {
    const { platform, tabs, clock } = await tabsOfAda(3)
    platform.down = true
    for (const stream of platform.streams) stream.close()
    platform.streams.clear()
    await clock.advance(600)
    for (const tab of tabs) expect(conversationOf(tab).connection.value).toBe('reconnecting')
    platform.down = false
    await clock.advance(5000)
    for (const tab of tabs) expect(conversationOf(tab).connection.value).toBe('live')
  })

  it('fetch messages from the platform when events from the leader were lost', async () => {
    const { platform, messages, tabs, clock, origin } = await tabsOfAda(3)
    for (const channel of origin.channels) {
      const { onMessage } = channel
      channel.onMessage = message => message.type === 'event' || onMessage(message)
    }
    platform.say(messages, { text: 'Not passed on' })
    await clock.advance(10_000)
    for (const stream of platform.streams) stream.push(':\n\n')
    await settle()
    for (const tab of tabs) expect(shown(tab)).toEqual(['Dear Ada', 'Not passed on'])
  })

  it('all reconnect with one stream when the network returns', async () => {
    const { platform, messages, tabs, clock } = await tabsOfAda(4)
    for (const tab of tabs) tab.setOnline(false)
    await settle()
    expect(platform.streams.size).toBe(0)
    platform.say(messages, { text: 'While away' })
    for (const tab of tabs) tab.setOnline(true)
    await clock.advance(2000)
    for (const tab of tabs)
      expect([shown(tab), conversationOf(tab).connection.value]).toEqual([['Dear Ada', 'While away'], 'live'])
    expect(platform.streams.size).toBe(1)
  })

  it('end the session once when the platform ends it', async () => {
    const { platform, tabs, clock, identity } = await tabsOfAda(3)
    platform.end(adaToken, 'revoked')
    await settle()
    const epoch = identity().epoch
    await clock.advance(5000)
    expect(identity().epoch).toBe(epoch)
    for (const tab of tabs) {
      expect([shown(tab), tab.core.state(), tab.core.models.session.endReason.value]).toEqual([
        [],
        'anonymous',
        'revoked',
      ])
      expect(tab.events.filter(([name]) => name === 'auth').at(-1)?.[1]).toMatchObject({ reason: 'revoked' })
    }
  })

  it('share nothing with the tabs of another person, and release everything on destroy', async () => {
    const { tabs, origin, clock, platform } = await tabsOfAda(3)
    const [, lock] = [...origin.held(), ...[...origin.channels].map(({ name }) => name)]
    await tabs[0].core.login(graceToken)
    await clock.advance(1000)
    for (const tab of tabs) expect(shown(tab)).toEqual(['Dear Grace'])
    for (const name of [...origin.held(), ...[...origin.channels].map(({ name }) => name)]) expect(name).not.toBe(lock)
    expect(platform.streams.size).toBe(1)
    for (const tab of tabs) tab.core.destroy()
    await clock.advance(0)
    expect([origin.held(), origin.channels.size, clock.timers, platform.streams.size]).toEqual([[], 0, 0, 0])
    expect(tabs.map(({ listeners }) => listeners)).toEqual([0, 0, 0])
  })

  it.each([{ locks: false }, { canLoadTabs: () => false }])(
    'have a stream each if they can’t coordinate: %o',
    async options => {
      const { platform, messages, open, tabs } = await tabsOfAda(1)
      const other = await open(options)
      expect(platform.streams.size).toBe(2)
      platform.say(messages, { text: 'Heard' })
      await settle()
      for (const tab of [tabs[0], other]) expect(shown(tab)).toEqual(['Dear Ada', 'Heard'])
    },
  )
})
