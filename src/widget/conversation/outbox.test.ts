import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem, reply } from '../testing/fakePlatform.ts'
import { adaToken, createAcme, graceToken, shown, type Tab } from '../testing/fixtures.ts'

async function talking() {
  const acme = createAcme()
  const tab = acme.browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await settle()
  return { ...acme, tab, conversation: tab.core.models.conversation }
}
const pending = ({ core }: Tab) =>
  core.models.conversation.outbox.pending.value.map(({ text, status }) => [text, status])
const posts = (platform: Awaited<ReturnType<typeof talking>>['platform']) =>
  platform.log.filter(({ method, path }) => method === 'POST' && path === '/messages')
const onPost =
  (answer: () => Response | Promise<Response> | undefined) =>
  (method: string, path: string): Response | Promise<Response> | undefined =>
    method === 'POST' && path === '/messages' ? answer() : undefined

describe('the outbox', () => {
  it('shows a message at once, and later once as stored, whether response or stream comes first', async () => {
    const { tab, conversation } = await talking()
    conversation.outbox.send('  Hello  ')
    expect(pending(tab)).toEqual([['Hello', 'sending']])
    await settle()
    expect([pending(tab), shown(tab)]).toEqual([[], ['Dear Ada', 'Hello']])
    expect(tab.events.filter(([name]) => name === 'message')).toHaveLength(1)
  })

  it('stores a message once, and again only when what is stored of it changes', async () => {
    const { browser, platform, tab, conversation } = await talking()
    let writes = 0
    const { set } = browser.records
    browser.records.set = (key, record) => {
      if (key === 'outbox') writes++
      return set.call(browser.records, key, record)
    }
    platform.intercept = onPost(() => problem(503, 'unavailable'))
    conversation.outbox.send('Hello')
    await browser.clock.advance(10_000)
    expect(posts(platform).length).toBeGreaterThan(2)
    expect([pending(tab), writes]).toEqual([[['Hello', 'waiting']], 1])
    await browser.clock.advance(600_000)
    expect([pending(tab), writes]).toEqual([[['Hello', 'failed']], 2])
  })

  it('sends the text and prefills the draft that the page passes to message()', async () => {
    const { tab, conversation } = await talking()
    const { message, draft } = tab.core.models
    message({ text: 'From the page', prefill: 'Dear' })
    await settle()
    expect([shown(tab).at(-1), draft.text.value]).toEqual(['From the page', 'Dear'])
    message({ text: 7, prefill: 8 } as unknown as { text: string })
    await settle()
    expect([shown(tab).at(-1), draft.text.value]).toEqual(['7', '8'])
    draft.setText('Dear')
    message({})
    expect([conversation.outbox.pending.value, draft.text.value]).toEqual([[], 'Dear'])
  })

  it.each(['Ada', 'Grace'])(
    'keeps messages that are written while a session is restored, for its owner only: %s',
    async who => {
      const { browser, platform, said, tab } = await talking()
      platform.down = true
      tab.core.destroy()
      const restoring = browser.openTab()
      const { conversation, draft } = restoring.core.models
      conversation.outbox.send('Call me')
      draft.setText('Half a')
      await settle()
      restoring.core.destroy()
      platform.down = false
      const next = browser.openTab({ start: who === 'Ada' })
      if (who === 'Grace') await next.core.login(graceToken)
      await settle()
      const expected = who === 'Ada' ? ['Dear Ada', 'Call me'] : ['Dear Ada']
      expect(said(adaToken).map(({ text }) => text)).toEqual(expected)
      expect(said(graceToken).map(({ text }) => text)).toEqual(['Dear Grace'])
      expect(next.core.models.draft.text.value).toBe(who === 'Ada' ? 'Half a' : '')
      expect(browser.records.get('outbox') ?? []).toEqual([])
    },
  )

  it('sends messages in order, one at a time', async () => {
    const { conversation, platform, said } = await talking()
    for (const text of ['1', '2', '3']) conversation.outbox.send(text)
    await settle()
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada', '1', '2', '3'])
    expect(posts(platform)).toHaveLength(3)
  })

  it('stores one message when it is sent again after a lost response', async () => {
    const { conversation, platform, said, tab, browser } = await talking()
    let lost = 0
    const { fetch } = platform
    platform.intercept = onPost(() => {
      if (lost++ > 1) return undefined
      // The message is stored, but the response is lost.
      platform.intercept = () => undefined
      return fetch('https://chat.example/widget/messages', {
        method: 'POST',
        headers: { authorization: `Bearer ${adaToken}` },
        body: JSON.stringify({ id: conversation.outbox.pending.value[0]?.id, text: 'Once' }),
      }).then(() => Promise.reject(new TypeError('Failed to fetch')))
    })
    conversation.outbox.send('Once')
    await browser.clock.advance(5000)
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada', 'Once'])
    expect([shown(tab), pending(tab)]).toEqual([['Dear Ada', 'Once'], []])
  })

  it('sends nothing twice while the history is slow to load', async () => {
    const { platform, browser, tab, conversation, said } = await talking()
    platform.intercept = (_, path) => (path === '/messages/list' ? problem(503, 'unavailable') : undefined)
    platform.emit(said(adaToken), { event: 'reset', data: {} })
    await settle()
    conversation.outbox.send('One')
    conversation.outbox.send('Two')
    await browser.clock.advance(1000)
    expect(posts(platform).map(({ body }) => (body as { text: string }).text)).toEqual(['One', 'Two'])
    expect(pending(tab)).toHaveLength(2)
    platform.intercept = () => undefined
    await browser.clock.advance(20_000)
    expect([pending(tab), shown(tab)]).toEqual([[], ['Dear Ada', 'One', 'Two']])
  })

  it('sends when the network is back', async () => {
    const { conversation, tab, said } = await talking()
    tab.setOnline(false)
    conversation.outbox.send('Offline')
    await settle()
    expect([pending(tab), conversation.connection.value]).toEqual([[['Offline', 'waiting']], 'offline'])
    tab.setOnline(true)
    await settle()
    expect(said(adaToken).at(-1)?.text).toBe('Offline')
    expect(conversation.connection.value).toBe('live')
  })

  it('sends messages after a reload that could not be sent before', async () => {
    const { conversation, tab, browser, said } = await talking()
    tab.setOnline(false)
    for (const text of ['First', 'Second', 'Third']) conversation.outbox.send(text)
    await settle()
    tab.core.destroy()
    const next = browser.openTab()
    await settle()
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada', 'First', 'Second', 'Third'])
    expect(pending(next)).toEqual([])
    next.core.destroy()
    const last = browser.openTab()
    await settle()
    expect([pending(last), said(adaToken).length]).toEqual([[], 4])
  })

  it.each([0, 500, 503, 429])('retries after a %i', async code => {
    const { conversation, platform, browser, said, tab } = await talking()
    platform.intercept = onPost(() => (code ? problem(code, '') : Promise.reject(new TypeError('Failed to fetch'))))
    conversation.outbox.send('Stubborn')
    await browser.clock.advance(2000)
    expect(posts(platform).length).toBeGreaterThan(1)
    expect(pending(tab)).toEqual([['Stubborn', 'waiting']])
    platform.intercept = () => undefined
    await browser.clock.advance(10_000)
    expect(said(adaToken).at(-1)?.text).toBe('Stubborn')
  })

  it.each([
    [429, 'rate_limited', '2026-01-01T00:00:20.000Z'],
    [503, 'unavailable', undefined],
  ])(
    'waits as long as the Retry-After of a %s says, and shows until when if the rate limit was exceeded',
    async (...refusal) => {
      const [status, code, resumesAt] = refusal
      const { conversation, platform, browser } = await talking()
      platform.intercept = onPost(() => problem(status, code, { 'retry-after': '20' }))
      conversation.outbox.send('Patient')
      await browser.clock.advance(19_000)
      expect(conversation.outbox.pending.value).toMatchObject([{ status: 'waiting', resumesAt }])
      expect(posts(platform)).toHaveLength(1)
      await browser.clock.advance(2000)
      expect(posts(platform)).toHaveLength(2)
    },
  )

  it('does not show after a reload until when a message was delayed, because it is sent at once', async () => {
    const { tab, conversation, platform, browser } = await talking()
    platform.intercept = onPost(() => problem(429, 'rate_limited', { 'retry-after': '3600' }))
    conversation.outbox.send('Patient')
    await settle()
    tab.core.destroy()
    const next = browser.openTab()
    const shownTimes: unknown[] = []
    next.core.models.conversation.outbox.pending.subscribe(all => shownTimes.push(...all.map(each => each.resumesAt)))
    platform.intercept = onPost(() => new Promise(() => {}))
    await settle()
    expect([pending(next), shownTimes.filter(Boolean)]).toEqual([[['Patient', 'sending']], []])
  })

  it('does not save a message again that another tab has seen stored, or deleted', async () => {
    const { conversation, platform, browser } = await talking()
    platform.intercept = onPost(() => problem(503, 'unavailable'))
    conversation.outbox.send('Once')
    await settle()
    const kept = () => browser.records.get('outbox')
    expect(kept()).toHaveLength(1)
    browser.records.set('outbox', [])
    await browser.clock.advance(5000)
    expect(kept()).toEqual([])
  })

  it('reopens the stream when a message gets through, but not before the Retry-After of the platform', async () => {
    const { conversation, platform, browser } = await talking()
    platform.intercept = (_, path) =>
      path === '/events/stream' ? problem(503, 'unavailable', { 'retry-after': '20' }) : undefined
    for (const stream of platform.streams) stream.close()
    await browser.clock.advance(1000)
    conversation.outbox.send('Too soon')
    await browser.clock.advance(1000)
    const tries = () => platform.log.filter(({ path }) => path === '/events/stream').length
    expect(tries()).toBe(2)
    // It has waited for 20 s since the last attempt, and would wait longer.
    while (tries() < 8) await browser.clock.advance(1000)
    await browser.clock.advance(21_000)
    platform.intercept = () => undefined
    expect(platform.streams.size).toBe(0)
    conversation.outbox.send('Now')
    await settle()
    expect(platform.streams.size).toBe(1)
  })

  it('marks a rejected message as failed, sends the next, and lets the visitor retry or delete it', async () => {
    const { conversation, platform, tab, said, browser } = await talking()
    let first = true
    platform.intercept = onPost(() => {
      if (!first) return undefined
      first = false
      return problem(400, 'invalid_request')
    })
    conversation.outbox.send('Refused')
    conversation.outbox.send('Fine')
    await settle()
    expect(pending(tab)).toEqual([['Refused', 'failed']])
    expect(conversation.outbox.pending.value[0]?.failure).toBe('rejected')
    expect(said(adaToken).at(-1)?.text).toBe('Fine')
    expect(tab.events).toContainEqual(['error', { code: 'message_failed' }])
    conversation.outbox.retry(conversation.outbox.pending.value[0]?.id ?? '')
    await settle()
    expect(said(adaToken).at(-1)?.text).toBe('Refused')

    platform.intercept = onPost(() => problem(400, 'invalid_request'))
    conversation.outbox.send('Refused again')
    await settle()
    conversation.outbox.remove(conversation.outbox.pending.value[0]?.id ?? '')
    expect(pending(tab)).toEqual([])
    await settle()
    expect(browser.records.get('outbox') ?? []).toEqual([])
  })

  it('removes only messages that have failed', async () => {
    const { conversation, platform, tab, browser } = await talking()
    platform.intercept = onPost(() => problem(503, 'unavailable'))
    conversation.outbox.send('On its way')
    await settle()
    conversation.outbox.remove(conversation.outbox.pending.value[0]?.id ?? '')
    expect(pending(tab)).toEqual([['On its way', 'waiting']])
    platform.intercept = () => undefined
    await browser.clock.advance(10_000)
    expect(shown(tab).at(-1)).toBe('On its way')
  })

  it('gives up after some minutes without a response, and lets the visitor retry', async () => {
    const { conversation, platform, tab, browser, said } = await talking()
    platform.intercept = onPost(() => problem(503, 'unavailable'))
    conversation.outbox.send('Nobody there')
    await browser.clock.advance(600_000)
    expect(conversation.outbox.pending.value[0]).toMatchObject({ status: 'failed', failure: 'network' })
    platform.intercept = () => undefined
    conversation.outbox.retry(conversation.outbox.pending.value[0]?.id ?? '')
    await settle()
    expect([said(adaToken).at(-1)?.text, pending(tab)]).toEqual(['Nobody there', []])
  })

  it('does not give up sooner because the visitor switches between tabs', async () => {
    const { conversation, platform, tab, browser, said } = await talking()
    platform.intercept = onPost(() => problem(503, 'unavailable'))
    conversation.outbox.send('Nobody there yet')
    for (let times = 0; times < 30; times++) {
      tab.setHidden(times % 2 === 0)
      await browser.clock.advance(1000)
    }
    platform.intercept = () => undefined
    await browser.clock.advance(60_000)
    expect([said(adaToken).at(-1)?.text, pending(tab)]).toEqual(['Nobody there yet', []])
  })

  it('makes texts well-formed and takes 1 to 4000 code points', async () => {
    const { conversation, platform } = await talking()
    for (const text of ['', '   ', '\0', '😀'.repeat(4001)]) conversation.outbox.send(text)
    await settle()
    expect(posts(platform)).toEqual([])
    conversation.outbox.send('a\ud800b\0c')
    conversation.outbox.send('😀'.repeat(4000))
    await settle()
    expect(posts(platform).map(({ body }) => (body as { text: string }).text)).toEqual(['a\ufffdbc', '😀'.repeat(4000)])
  })

  it('sends nothing for a person who has logged out, in this tab or another', async () => {
    const { conversation, platform, tab, browser, said } = await talking()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    platform.intercept = onPost(() => held.then(() => reply(503)))
    conversation.outbox.send('Half said')
    conversation.outbox.send('Not said')
    await settle()
    await tab.core.logout()
    release()
    await browser.clock.advance(60_000)
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada'])
    expect(posts(platform)).toHaveLength(1)
    expect(JSON.stringify([...browser.records])).not.toMatch(/said/)
  })
})

const minute = 60_000

describe('a message that is still being tried', () => {
  it('is sent when the phone is unlocked, though one request fails first, as browsers break those of a frozen page', async () => {
    const { tab, platform, browser, conversation, said } = await talking()
    platform.intercept = onPost(() => problem(503, 'unavailable'))
    conversation.outbox.send('On my way')
    await browser.clock.advance(500)
    // The second attempt is on its way when the phone is locked.
    let breakOff = () => {}
    platform.intercept = onPost(
      () =>
        new Promise((_, reject) => {
          breakOff = () => reject(new TypeError('net::ERR_NETWORK_IO_SUSPENDED'))
        }),
    )
    await browser.clock.advance(1000)
    tab.setHidden(true)
    await browser.clock.advance(500)
    tab.life.freeze()
    browser.clock.sleep(10 * minute)
    platform.intercept = () => undefined
    breakOff()
    tab.life.thaw()
    tab.setHidden(false)
    await browser.clock.advance(minute)
    expect([said(adaToken).at(-1)?.text, pending(tab), shown(tab).at(-1)]).toEqual(['On my way', [], 'On my way'])
  })

  it('is sent when the laptop wakes, though the network needs a moment', async () => {
    const { tab, platform, browser, conversation, said } = await talking()
    platform.down = true
    conversation.outbox.send('On my way')
    await browser.clock.advance(2000)
    browser.clock.sleep(8 * 60 * minute)
    await browser.clock.advance(3000)
    platform.down = false
    await browser.clock.advance(5 * minute)
    expect([said(adaToken).at(-1)?.text, pending(tab)]).toEqual(['On my way', []])
  })

  it('is sent after a long rate limit, though the platform is busy for a moment then', async () => {
    const { tab, platform, browser, conversation, said } = await talking()
    const answers = [problem(429, 'rate_limited', { 'retry-after': '600' }), problem(503, 'unavailable')]
    platform.intercept = onPost(() => answers.shift())
    conversation.outbox.send('On my way')
    await browser.clock.advance(20 * minute)
    expect([said(adaToken).at(-1)?.text, pending(tab)]).toEqual(['On my way', []])
  })
})
