import { describe, expect, it } from 'vitest'
import type { PendingMessage } from '../conversation/conversation.ts'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { adaToken, type createAcme, shown, type Tab } from '../testing/fixtures.ts'
import { conversationOf, pendingOf, tabsOfAda } from '../testing/tabFixtures.ts'

describe('several tabs of one visitor', () => {
  const posts = ({ platform }: Pick<ReturnType<typeof createAcme>, 'platform'>) =>
    platform.log.filter(({ method, path }) => method === 'POST' && path === '/messages')

  it('send a message from one of them and show it in all, first as pending', async () => {
    const acme = await tabsOfAda(4)
    const { platform, tabs, clock } = acme
    const { promise: slow, resolve: respond } = Promise.withResolvers<void>()
    const { fetch } = platform
    platform.intercept = (method, path) => {
      if (method + path !== 'POST/messages') return undefined
      platform.intercept = () => undefined
      return slow.then(() =>
        fetch('https://chat.example/widget/messages', {
          method: 'POST',
          headers: { authorization: `Bearer ${adaToken}` },
          body: JSON.stringify({ id: conversationOf(tabs[2]).outbox.pending.value[0]?.id, text: 'From three' }),
        }),
      )
    }
    conversationOf(tabs[2]).outbox.send('From three')
    await settle()
    for (const tab of tabs) expect(pendingOf(tab)).toEqual([['From three', 'sending']])
    expect(posts(acme)).toHaveLength(1)
    respond()
    await clock.advance(1000)
    for (const tab of tabs) expect([shown(tab), pendingOf(tab)]).toEqual([['Dear Ada', 'From three'], []])
    for (const tab of tabs) conversationOf(tab).outbox.send('At once')
    await clock.advance(1000)
    for (const tab of tabs) {
      expect(shown(tab).filter(text => text === 'At once')).toHaveLength(4)
      expect(pendingOf(tab)).toEqual([])
    }
  })

  it.each(['freezes', 'dies'])('send a message from another tab if the sending tab %s', async how => {
    const { platform, tabs, clock, said } = await tabsOfAda(3)
    platform.intercept = (method, path) => (method + path === 'POST/messages' ? problem(503, 'unavailable') : undefined)
    conversationOf(tabs[0]).outbox.send('Left behind')
    await settle()
    if (how === 'dies') tabs[0].life.die()
    else tabs[0].life.freeze()
    platform.intercept = () => undefined
    await clock.advance(25_000)
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada', 'Left behind'])
    if (how === 'freezes') tabs[0].life.thaw()
    await clock.advance(60_000)
    for (const tab of how === 'dies' ? tabs.slice(1) : tabs) {
      expect([shown(tab), pendingOf(tab)]).toEqual([['Dear Ada', 'Left behind'], []])
    }
    expect(said(adaToken)).toHaveLength(2)
  })

  it('show an offline message in all of them, even in one that opens later, and send it once', async () => {
    const acme = await tabsOfAda(3)
    const { tabs, clock, open, said } = acme
    for (const tab of tabs) tab.setOnline(false)
    conversationOf(tabs[1]).outbox.send('Later')
    await settle()
    tabs[1].life.die()
    for (const tab of [tabs[0], tabs[2]]) tab.setOnline(true)
    const late = await open()
    await clock.advance(5000)
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada', 'Later'])
    for (const tab of [tabs[0], tabs[2], late])
      expect([shown(tab), pendingOf(tab)]).toEqual([['Dear Ada', 'Later'], []])
    expect(posts(acme)).toHaveLength(1)
  })

  it('show no message as pending that a tab missed together with more than a page of the history', async () => {
    const { platform, tabs, clock, messages } = await tabsOfAda(2)
    platform.intercept = (_, path) => (path === '/events/stream' ? problem(503, 'unavailable') : undefined)
    for (const stream of platform.streams) stream.close()
    conversationOf(tabs[0]).outbox.send('Missed')
    await clock.advance(100)
    for (let count = 0; count < 40; count++) platform.say(messages, {})
    platform.intercept = () => undefined
    await clock.advance(10_000)
    for (const tab of tabs) expect([shown(tab).at(-1), pendingOf(tab)]).toEqual(['Message 42', []])
  })

  it('retry or delete failed messages of another tab', async () => {
    const { platform, tabs, clock, said, records } = await tabsOfAda(3)
    platform.intercept = (method, path) =>
      method + path === 'POST/messages' ? problem(400, 'invalid_request') : undefined
    for (const text of ['One', 'Two']) conversationOf(tabs[0]).outbox.send(text)
    await clock.advance(1000)
    for (const tab of tabs) {
      expect(pendingOf(tab)).toEqual([
        ['One', 'failed'],
        ['Two', 'failed'],
      ])
    }
    platform.intercept = () => undefined
    const [one, two] = conversationOf(tabs[2]).outbox.pending.value as [PendingMessage, PendingMessage]
    conversationOf(tabs[1]).outbox.remove(two.id)
    conversationOf(tabs[2]).outbox.retry(one.id)
    await clock.advance(1000)
    for (const tab of tabs) expect([shown(tab), pendingOf(tab)]).toEqual([['Dear Ada', 'One'], []])
    expect(said(adaToken)).toHaveLength(2)
    expect(records.get('outbox')).toEqual([])
  })

  it('share a draft, for the same person only', async () => {
    const { tabs, clock, open } = await tabsOfAda(2)
    const draftOf = ({ core }: Tab) => core.models.draft.text.value
    tabs[1].core.models.draft.setText('Half a')
    await clock.advance(300)
    expect(draftOf(tabs[0])).toBe('Half a')
    tabs[0].core.models.draft.setText('Half a sentence')
    const late = await open()
    for (const tab of [...tabs, late]) expect(draftOf(tab)).toBe('Half a sentence')
    late.core.models.draft.setText('')
    await clock.advance(300)
    for (const tab of tabs) expect(draftOf(tab)).toBe('')
    tabs[0].core.models.draft.setText('Only Ada’s')
    await tabs[1].core.logout()
    await clock.advance(1000)
    for (const tab of [...tabs, late]) expect(draftOf(tab)).toBe('')
  })

  it('mark messages as read in all of them, even offline', async () => {
    const { platform, messages, tabs, clock, open } = await tabsOfAda(3)
    platform.say(messages, {})
    platform.say(messages, {})
    await settle()
    const unread = (tab: Tab) => conversationOf(tab).readState.unread.value
    for (const tab of tabs) expect(unread(tab)).toBe(3)
    platform.intercept = (_, path) => (path === '/read' ? problem(503, 'unavailable') : undefined)
    conversationOf(tabs[1]).readState.markRead()
    await settle()
    for (const tab of tabs)
      expect([unread(tab), tab.events.filter(([name]) => name === 'unread').at(-1)]).toEqual([
        0,
        ['unread', { count: 0 }],
      ])
    platform.intercept = () => undefined
    await clock.advance(30_000)
    expect(unread(await open())).toBe(0)
  })
})
