import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { adaToken, createAcme, shown, type Tab } from '../testing/fixtures.ts'
import { createSite } from '../testing/siteFixtures.ts'
import type { Conversation } from './conversation.ts'

const eventsOf = (tab: Tab) =>
  tab.core.models.conversation.messageStore.messages.value.flatMap(({ event }) => event ?? [])

describe('a handover', () => {
  it('begins an anonymous session if there is none, and is shown in every tab', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab()
    await settle()
    await tab.core.models.conversation.handoverRequest.send()
    await settle()
    const other = browser.openTab()
    await settle()
    expect([eventsOf(tab), eventsOf(other)]).toEqual([['handover_requested'], ['handover_requested']])
    await other.core.models.conversation.handoverRequest.send()
    await settle()
    expect(eventsOf(tab)).toEqual(['handover_requested'])
    expect(platform.log.filter(({ path }) => path === '/sessions')).toHaveLength(1)
  })

  it('begins one session although the visitor asks before the stored data is open', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab()
    void tab.core.models.conversation.handoverRequest.send()
    await settle()
    expect(eventsOf(tab)).toEqual(['handover_requested'])
    const requests = platform.log.map(({ path }) => path).filter(path => /session|handover/.test(path))
    expect(requests).toEqual(['/sessions', '/handover'])
  })

  it('is asked for again until the platform answers', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    let failures = 2
    platform.intercept = (_, path) => (path === '/handover' && failures-- > 0 ? problem(503, 'unavailable') : undefined)
    const { handoverRequest } = tab.core.models.conversation
    void handoverRequest.send()
    expect(handoverRequest.status.value).toBe('sending')
    await browser.clock.advance(10_000)
    expect(eventsOf(tab)).toEqual(['handover_requested'])
    expect(handoverRequest.status.value).toBe('none')
  })

  it('is given up after two minutes, also if the platform asks to wait for longer', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    platform.intercept = (_, path) =>
      path === '/handover' ? problem(503, 'unavailable', { 'retry-after': '1800' }) : undefined
    const { handoverRequest } = tab.core.models.conversation
    void handoverRequest.send()
    await browser.clock.advance(119_000)
    expect(handoverRequest.status.value).toBe('sending')
    await browser.clock.advance(2000)
    expect(handoverRequest.status.value).toBe('failed')
    platform.intercept = () => undefined
    await browser.clock.advance(3_600_000)
    expect(eventsOf(tab)).toEqual([])
  })

  it('is not sent when the computer wakes up after more than two minutes', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    platform.intercept = (_, path) => (path === '/handover' ? problem(503, 'unavailable') : undefined)
    const { handoverRequest } = tab.core.models.conversation
    void handoverRequest.send()
    await browser.clock.advance(1000)
    browser.clock.sleep(3_600_000)
    const sent = platform.log.length
    await browser.clock.advance(60_000)
    expect(platform.log.slice(sent).filter(({ path }) => path === '/handover')).toEqual([])
    expect(handoverRequest.status.value).toBe('failed')
  })

  it('is given up if the platform does not answer for minutes, and can be asked for again', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    platform.intercept = (_, path) => (path === '/handover' ? problem(503, 'unavailable') : undefined)
    void tab.core.models.conversation.handoverRequest.send()
    await browser.clock.advance(180_000)
    platform.intercept = () => undefined
    await browser.clock.advance(180_000)
    expect(eventsOf(tab)).toEqual([])
    const { handoverRequest } = tab.core.models.conversation
    expect(handoverRequest.status.value).toBe('failed')
    await handoverRequest.send()
    await settle()
    expect(eventsOf(tab)).toEqual(['handover_requested'])
    expect(handoverRequest.status.value).toBe('none')
  })

  it('that has failed is forgotten when somebody of the team writes, and with the session', async () => {
    const { browser, platform, said } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    const { handoverRequest } = tab.core.models.conversation
    for (const end of [
      () => platform.say(said(adaToken), { author: 'agent', text: 'Nora here' }),
      () => tab.core.logout(),
    ]) {
      platform.intercept = (_, path) => (path === '/handover' ? problem(503, 'unavailable') : undefined)
      void handoverRequest.send()
      await browser.clock.advance(180_000)
      expect(handoverRequest.status.value).toBe('failed')
      platform.intercept = () => undefined
      await end()
      await settle()
      expect(handoverRequest.status.value).toBe('none')
    }
  })

  it('that has failed is forgotten when somebody of the team has written, though no stream says so', async () => {
    const { browser, platform, said } = createAcme()
    platform.intercept = (_, path) => (path === '/events/stream' ? problem(503, 'unavailable') : undefined)
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    const { handoverRequest } = tab.core.models.conversation
    platform.intercept = (_, path) =>
      path === '/handover' || path === '/events/stream' ? problem(503, 'unavailable') : undefined
    void handoverRequest.send()
    await browser.clock.advance(180_000)
    expect(handoverRequest.status.value).toBe('failed')
    platform.say(said(adaToken), { author: 'agent', text: 'Nora here' })
    await browser.clock.advance(180_000)
    expect(shown(tab)).toEqual(['Dear Ada', 'Nora here'])
    expect(handoverRequest.status.value).toBe('none')
  })

  it.each([
    ['nobody is signed in', null],
    ['somebody is', adaToken],
  ])('that was not sent when the site is asked again is sent only if the site says that %s', async (_, token) => {
    const { browser, site, openTab, respond, platform } = createSite()
    const tab = openTab()
    tab.core.setOpen(true)
    await settle()
    platform.intercept = (_, path) => (path === '/sessions' ? respond(503) : undefined)
    const { handoverRequest } = tab.core.models.conversation
    void handoverRequest.send()
    await settle()
    const answer = site.holdAnswer()
    platform.intercept = () => undefined
    void tab.core.models.refreshSignIn()
    await settle()
    expect(handoverRequest.status.value).toBe('sending')
    answer(token ? respond(200, JSON.stringify({ data: { token } })) : respond(401))
    await browser.clock.advance(1000)
    expect([tab.core.models.signIn.canWrite.value, handoverRequest.status.value]).toEqual([true, 'none'])
    expect(platform.log.filter(({ path }) => path === '/handover')).toHaveLength(token ? 0 : 1)
  })

  it('that was forgotten leaves the next one alone, and is not repeated', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    const answers: (() => void)[] = []
    platform.intercept = (_, path) =>
      path === '/handover'
        ? new Promise(resolve => answers.push(() => resolve(problem(503, 'unavailable'))))
        : undefined
    const conversation = tab.core.models.conversation as Conversation
    void conversation.handoverRequest.send()
    await settle()
    conversation.handoverRequest.clear()
    void conversation.handoverRequest.send()
    await settle()
    expect(answers).toHaveLength(2)
    answers[0]?.()
    await browser.clock.advance(10_000)
    expect(answers).toHaveLength(2)
    expect(conversation.handoverRequest.status.value).toBe('sending')
  })

  it('fails at once if the bot does not hand over any more, and the profile is loaded again', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    const { botProfile, handoverRequest } = tab.core.models.conversation
    void botProfile.load()
    await settle()
    platform.intercept = (_, path) => (path === '/handover' ? problem(404, 'not_found') : undefined)
    const profiles = () => platform.log.filter(({ method, path }) => method === 'GET' && path === '').length
    const before = profiles()
    await handoverRequest.send()
    await settle()
    expect(handoverRequest.status.value).toBe('failed')
    expect(profiles()).toBe(before + 1)
  })

  it('and its events are neither unread nor told to the page', async () => {
    const { browser, platform, said } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    const { readState } = tab.core.models.conversation
    const unread = readState.unread.value
    for (const event of ['handover_requested', 'handover_expired', 'handed_back', 'of_a_later_version'])
      platform.say(said(adaToken), { author: 'system', text: '', event })
    await settle()
    expect(eventsOf(tab)).toHaveLength(4)
    expect(readState.unread.value).toBe(unread)
    expect(tab.events.filter(([name]) => name === 'message')).toEqual([])
    platform.say(said(adaToken), { author: 'agent', text: 'Nora here' })
    await settle()
    expect(readState.unread.value).toBe(unread + 1)
  })
})
