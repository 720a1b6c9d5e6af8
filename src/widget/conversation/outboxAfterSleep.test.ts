import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { adaToken, createAcme, shown, type Tab } from '../testing/fixtures.ts'

const minute = 60_000
const pending = ({ core }: Tab) =>
  core.models.conversation.outbox.pending.value.map(({ text, status }) => [text, status])
const isPost = (method: string, path: string) => method === 'POST' && path === '/messages'

async function talking() {
  const acme = createAcme()
  const tab = acme.browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await settle()
  return { ...acme, tab, conversation: tab.core.models.conversation }
}

describe('a message that is still being tried', () => {
  it('is sent when the phone is unlocked, though one request fails first, as browsers break those of a frozen page', async () => {
    const { tab, platform, browser, conversation, said } = await talking()
    platform.intercept = (method, path) => (isPost(method, path) ? problem(503, 'unavailable') : undefined)
    conversation.outbox.send('On my way')
    await browser.clock.advance(500)
    // The second attempt is on its way when the phone is locked.
    let breakOff = () => {}
    platform.intercept = (method, path) =>
      isPost(method, path)
        ? new Promise((_, reject) => {
            breakOff = () => reject(new TypeError('net::ERR_NETWORK_IO_SUSPENDED'))
          })
        : undefined
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
    platform.intercept = (method, path) => (isPost(method, path) ? answers.shift() : undefined)
    conversation.outbox.send('On my way')
    await browser.clock.advance(20 * minute)
    expect([said(adaToken).at(-1)?.text, pending(tab)]).toEqual(['On my way', []])
  })
})
