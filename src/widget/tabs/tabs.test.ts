import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, createAcme, graceToken, shown, type Tab } from '../testing/fixtures.ts'
import { conversationOf, tabsOfAda } from '../testing/tabFixtures.ts'
import type { TabMessage } from './tabChannel.ts'

const delta = (offset: number, text: string) => ({ event: 'message.delta', data: { id: 'r', offset, text } }) as const
const connections = (tabs: Tab[]) => tabs.map(tab => conversationOf(tab).connection.value)

describe('tabs of one visitor', () => {
  it('share three streams and all show their events', async () => {
    const { platform, messages, tabs, clock, streaming } = await tabsOfAda(10)
    expect([platform.streams.size, streaming().length]).toEqual([3, 3])
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
    }
    await clock.advance(60_000)
    expect(platform.streams.size).toBe(3)
    expect(connections(tabs).toSorted()).toEqual([...Array(3).fill('live'), ...Array(7).fill('withoutStream')])
  })

  it('are one stream and one lock while there is only one', async () => {
    const { origin, tabs, platform, clock } = await tabsOfAda(1)
    for (const isHidden of [true, false]) {
      tabs[0].setHidden(isHidden)
      for (let quarter = 0; quarter < 8; quarter++) {
        for (const stream of platform.streams) stream.push(':\n\n')
        await clock.advance(15_000)
      }
      expect([platform.streams.size, origin.held().length]).toEqual([1, 1])
    }
    expect(platform.log.filter(({ path }) => path === '/events/stream')).toHaveLength(1)
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

  it.each(['destroyed', 'killed', 'put away'])('miss nothing when one with a stream is %s', async how => {
    const { platform, messages, tabs, clock, streaming } = await tabsOfAda(4)
    const [gone] = streaming() as [Tab]
    const rest = tabs.filter(tab => tab !== gone)
    if (how === 'killed') gone.life.die()
    if (how === 'destroyed') gone.core.destroy()
    if (how === 'put away') gone.fire('pagehide')
    platform.say(messages, { text: 'In between' })
    await clock.advance(1000)
    for (const tab of rest) expect(shown(tab)).toEqual(['Dear Ada', 'In between'])
    expect(connections(rest)).toEqual(['live', 'live', 'live'])
    expect(platform.streams.size).toBe(3)
  })

  it('do without one that is frozen, and it shows everything when it thaws', async () => {
    const { platform, messages, tabs, clock } = await tabsOfAda(3)
    const [frozen, ...rest] = tabs
    frozen.life.freeze()
    platform.say(messages, { text: 'Unheard' })
    await clock.advance(100_000)
    for (const tab of rest) expect(shown(tab)).toEqual(['Dear Ada', 'Unheard'])
    platform.say(messages, { text: 'Then' })
    frozen.life.thaw()
    await clock.advance(1000)
    expect(shown(frozen)).toEqual(['Dear Ada', 'Unheard', 'Then'])
    expect(frozen.events.filter(([name]) => name === 'message')).toHaveLength(2)
  })

  it('have one stream for all that have been hidden for a minute', async () => {
    const { platform, messages, tabs, clock, streaming } = await tabsOfAda(5)
    for (const tab of tabs.slice(0, 4)) tab.setHidden(true)
    const last = tabs.at(-1) as Tab
    await clock.advance(59_000)
    expect([platform.streams.size, streaming().includes(last)]).toEqual([3, false])
    await clock.advance(2000)
    expect([platform.streams.size, streaming().includes(last)]).toEqual([2, true])
    const polls = () => platform.log.filter(({ path }) => path === '/messages/list').length
    const before = polls()
    platform.say(messages, { text: 'Heard by all' })
    await clock.advance(60_000)
    for (const tab of tabs) expect(shown(tab)).toEqual(['Dear Ada', 'Heard by all'])
    expect(polls()).toBe(before)
    for (const tab of tabs) tab.setHidden(true)
    await clock.advance(61_000)
    expect(platform.streams.size).toBe(1)
    tabs[0].setHidden(false)
    await clock.advance(1000)
    expect(streaming()).toContain(tabs[0])
  })

  it('show one that comes to the front what it has missed', async () => {
    const { platform, messages, tabs, clock, origin, open } = await tabsOfAda(3)
    const hidden = await open({ hidden: true })
    for (const channel of origin.channels) channel.onMessage = () => {}
    platform.say(messages, { text: 'Not passed on' })
    await clock.advance(60_000)
    expect(shown(hidden)).toEqual(['Dear Ada'])
    hidden.setHidden(false)
    await clock.advance(1000)
    expect(connections([...tabs, hidden])).toEqual(['live', 'live', 'live', 'withoutStream'])
    expect(shown(hidden)).toEqual(['Dear Ada', 'Not passed on'])
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

  it('fetch messages from the platform when events of other tabs were lost', async () => {
    const { platform, messages, tabs, clock, origin } = await tabsOfAda(4)
    for (const channel of origin.channels) {
      const { onMessage } = channel
      channel.onMessage = message => (message as TabMessage).type === 'event' || onMessage(message)
    }
    platform.say(messages, { text: 'Not passed on' })
    await clock.advance(17_000)
    for (const tab of tabs) expect(shown(tab)).toEqual(['Dear Ada', 'Not passed on'])
  })

  it('fetch the messages if they have missed a change before one that another tab passes on', async () => {
    const { platform, messages, tabs, clock, origin } = await tabsOfAda(4)
    const passOn = [...origin.channels].map(channel => {
      const { onMessage } = channel
      channel.onMessage = () => {}
      return () => (channel.onMessage = onMessage)
    })
    platform.say(messages, { text: 'Dear Ada!' })
    platform.remove(messages, 1)
    await settle()
    for (const go of passOn) go()
    platform.change(messages, 2, { rating: 'up' })
    await clock.advance(1000)
    for (const tab of tabs) expect(shown(tab)).toEqual(['', 'Dear Ada!'])
  })

  it('all reconnect with three streams when the network returns', async () => {
    const { platform, messages, tabs, clock } = await tabsOfAda(4)
    for (const tab of tabs) tab.setOnline(false)
    await settle()
    expect(platform.streams.size).toBe(0)
    platform.say(messages, { text: 'While away' })
    for (const tab of tabs) tab.setOnline(true)
    await clock.advance(2000)
    for (const tab of tabs) expect(shown(tab)).toEqual(['Dear Ada', 'While away'])
    expect(connections(tabs).toSorted()).toEqual(['live', 'live', 'live', 'withoutStream'])
    expect(platform.streams.size).toBe(3)
  })

  it('end the session once when the platform ends it', async () => {
    const { platform, tabs, clock, identity } = await tabsOfAda(4)
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
    const { tabs, origin, clock, platform } = await tabsOfAda(4)
    const names = () => [...origin.held(), ...[...origin.channels].map(({ name }) => name)]
    const before = names()
    await tabs[0].core.login(graceToken)
    await clock.advance(1000)
    for (const tab of tabs) expect(shown(tab)).toEqual(['Dear Grace'])
    for (const name of names()) expect(before).not.toContain(name)
    expect(platform.streams.size).toBe(3)
    for (const tab of tabs) tab.core.destroy()
    await clock.advance(0)
    expect([origin.held(), origin.channels.size, clock.timers, platform.streams.size]).toEqual([[], 0, 0, 0])
    expect(tabs.map(({ listeners }) => listeners)).toEqual([0, 0, 0, 0])
  })

  it('have one stream each if there are no locks', async () => {
    const { platform, browser, said } = createAcme()
    const tabs = Array.from({ length: 4 }, () => browser.openTab({ locks: false, start: false }))
    await (tabs[0] as Tab).core.login(adaToken)
    for (const tab of tabs.slice(1)) tab.core.start()
    await browser.clock.advance(5000)
    expect(platform.log.filter(({ path }) => path === '/events/stream')).toHaveLength(4)
    expect(connections(tabs)).toEqual(['live', 'live', 'live', 'live'])
    platform.say(said(adaToken), { text: 'Heard' })
    await settle()
    for (const tab of tabs) expect(shown(tab)).toEqual(['Dear Ada', 'Heard'])
  })
})
