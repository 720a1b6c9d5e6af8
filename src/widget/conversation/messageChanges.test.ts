import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { adaToken, createAcme, graceToken, shown, type Tab } from '../testing/fixtures.ts'
import { conversationOf, tabsOfAda } from '../testing/tabFixtures.ts'

/** Ada's conversation with `count` messages, the first of which contains a password. */
async function talking(count = 3) {
  const acme = createAcme()
  const { platform, browser } = acme
  const messages = acme.said(adaToken)
  for (let seq = 2; seq <= count; seq++) platform.say(messages, { text: seq === 2 ? 'hunter2' : `Message ${seq}` })
  const tab = browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await settle()
  const remove = (seq: number) => platform.remove(messages, seq)
  const stored = () => JSON.stringify([...browser.records])
  return { ...acme, messages, tab, remove, stored, store: conversationOf(tab).messageStore }
}

const requests = (platform: { log: { path: string }[] }, path: string) =>
  platform.log.filter(each => each.path === path).length

describe('a message that the platform has changed', () => {
  it('is shown as it is now, and leaves the browser’s storage', async () => {
    const { tab, remove, stored } = await talking()
    expect([shown(tab), stored()]).toEqual([['Dear Ada', 'hunter2', 'Message 3'], expect.stringContaining('hunter2')])
    remove(2)
    await settle()
    expect([shown(tab), stored()]).toEqual([['Dear Ada', '', 'Message 3'], expect.not.stringContaining('hunter2')])
  })

  it('is no news to the page, and not unread any more', async () => {
    const { tab, remove, platform, messages } = await talking()
    expect(conversationOf(tab).readState.unread.value).toBe(3)
    remove(2)
    await settle()
    expect(conversationOf(tab).readState.unread.value).toBe(2)
    expect(tab.events.filter(([name]) => name === 'message')).toEqual([])
    platform.say(messages, { text: '', removedAt: '2026-01-02T00:00:00.000Z' })
    await settle()
    expect(conversationOf(tab).readState.unread.value).toBe(2)
    expect(tab.events.filter(([name]) => name === 'message')).toEqual([])
  })

  it('is never shown from the cache as it was before', async () => {
    const { tab, remove, browser, platform, stored } = await talking()
    tab.core.destroy()
    remove(2)
    const history = Promise.withResolvers<undefined>()
    platform.intercept = (_, path) =>
      path === '/messages/list' ? history.promise.then(() => platform.fetch('', {})) : undefined
    const late = browser.openTab()
    await settle()
    expect([shown(late), stored()]).toEqual([[], expect.not.stringContaining('hunter2')])
    platform.intercept = () => undefined
    const other = browser.openTab()
    await browser.clock.advance(20_000)
    for (const each of [late, other]) expect(shown(each)).toEqual(['Dear Ada', '', 'Message 3'])
  })

  it('costs no request if it was changed while the widget was open', async () => {
    const { tab, remove, browser, platform } = await talking()
    remove(2)
    await settle()
    tab.core.destroy()
    const before = requests(platform, '/messages/list')
    const next = browser.openTab()
    await settle()
    expect([shown(next), requests(platform, '/messages/list') - before]).toEqual([['Dear Ada', '', 'Message 3'], 0])
  })

  it('is replayed when a stream is back, also if the message is older than a page', async () => {
    const { tab, remove, platform, store, browser } = await talking(50)
    await store.loadOlder()
    platform.down = true
    for (const stream of platform.streams) stream.close()
    remove(2)
    platform.say(platform.sessions.get(adaToken)?.messages ?? [], { text: 'Late' })
    await browser.clock.advance(5000)
    platform.down = false
    await browser.clock.advance(30_000)
    expect([shown(tab).length, shown(tab)[1], shown(tab).at(-1)]).toEqual([51, '', 'Late'])
  })

  it('is noticed without a stream: what may have changed is dropped and loaded again when it is scrolled to', async () => {
    const { tab, remove, platform, store, browser } = await talking(50)
    await store.loadOlder()
    expect(shown(tab)[1]).toBe('hunter2')
    platform.intercept = (_, path) => (path === '/events/stream' ? problem(503, 'unavailable') : undefined)
    for (const stream of [...platform.streams]) stream.close()
    platform.streams.clear()
    remove(2)
    await browser.clock.advance(30_000)
    expect([shown(tab).length, store.history.value]).toEqual([30, 'more'])
    await store.loadOlder()
    expect([shown(tab).length, shown(tab)[1]]).toEqual([50, ''])
  })

  it('is not undone by a page that was read before the change', async () => {
    const { tab, remove, platform, messages, store } = await talking(40)
    const stale = await platform.fetch('/widget/messages/list', {
      ...{ method: 'POST', headers: { authorization: `Bearer ${adaToken}` } },
      body: JSON.stringify({ before: 11, limit: 30, nonce: 'stale' }),
    } as RequestInit)
    const page = JSON.parse(await stale.text()) as object
    let isHeld = true
    const released = Promise.withResolvers<void>()
    platform.intercept = (_, path, { body }) => {
      if (path !== '/messages/list' || !isHeld) return undefined
      isHeld = false
      const { nonce } = JSON.parse(String(body)) as { nonce: string }
      return released.promise.then(
        () => ({ ok: true, text: async () => JSON.stringify({ ...page, nonce }) }) as Response,
      )
    }
    const loading = store.loadOlder()
    remove(2)
    await settle()
    released.resolve()
    await loading
    expect([shown(tab).length, shown(tab)[1], messages.length]).toEqual([40, '', 40])
  })

  it('is changed in every tab, also in one that has missed the event', async () => {
    const { platform, messages, tabs, clock, streaming } = await tabsOfAda(4)
    const [first] = streaming() as [Tab]
    const follower = tabs.find(tab => !streaming().includes(tab)) as Tab
    follower.life.freeze()
    platform.remove(messages, 1)
    await settle()
    expect(shown(first)).toEqual([''])
    follower.life.thaw()
    await clock.advance(20_000)
    for (const tab of tabs) expect(shown(tab as Tab)).toEqual([''])
  })

  it('is changed in a tab that has missed the event, when the next change comes', async () => {
    const { platform, messages, tabs, streaming } = await tabsOfAda(4)
    const follower = tabs.find(tab => !streaming().includes(tab)) as Tab
    platform.say(messages, { text: 'hunter2' })
    await settle()
    follower.life.freeze()
    platform.remove(messages, 2)
    await settle()
    follower.life.thaw()
    platform.remove(messages, 1)
    await settle()
    expect(shown(follower)).toEqual(['', ''])
  })

  it('is never stored as it was before beside the revision of the change', async () => {
    const { browser, platform, messages, remove } = await talking(1)
    const { records } = browser
    const written: string[] = []
    const set = records.set.bind(records)
    records.set = (key, value) => {
      written.push(JSON.stringify(value))
      return set(key, value)
    }
    platform.say(messages, { text: 'hunter2' })
    remove(2)
    await settle()
    expect(written.filter(record => record.includes('hunter2'))).not.toEqual([])
    expect(written.filter(record => record.includes('hunter2') && record.includes('"revision":1,'))).toEqual([])
  })

  it('does not concern another person of the same browser', async () => {
    const { tab, remove } = await talking()
    remove(2)
    await settle()
    await tab.core.login(graceToken)
    await settle()
    expect(shown(tab)).toEqual(['Dear Grace'])
    expect(conversationOf(tab).messageStore.revision()).toBe(0)
  })
})
