import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { filesOf, loadModel, textFile } from '../testing/fileFixtures.ts'
import { ada, adaToken, grace, graceToken, type Tab } from '../testing/fixtures.ts'
import { createSite, createSiteWithAda, visible } from '../testing/siteFixtures.ts'
import * as siteChunk from './site.ts'

const minuteMs = 60_000
const body = JSON.stringify({ data: { token: adaToken } })
const canWrite = ({ core }: Tab) => core.models.signIn.canWrite.value
const draftOf = ({ core }: Tab) => core.models.draft.text.value
const messagesSent = ({ platform }: ReturnType<typeof createSite>) =>
  platform.log.filter(({ method, path }) => method === 'POST' && path === '/messages').map(({ token }) => token)

/** The chunk with the code that asks the site, which can't be fetched until `canLoad` is set. */
function createFailingChunk() {
  const chunk = {
    canLoad: false,
    async load() {
      if (!chunk.canLoad) throw new TypeError('Failed to fetch dynamically imported module')
      return siteChunk
    },
  }
  return chunk
}

/** A chat that has been opened, and that the site has still to answer. */
async function openUnanswered() {
  const setUp = createSite()
  const answer = setUp.site.holdAnswer()
  const tab = setUp.openTab()
  tab.core.setOpen(true)
  await settle()
  return { ...setUp, tab, answer, setUp }
}

describe('before the first answer of the site', () => {
  it('nobody can write, and what is written nevertheless is dropped', async () => {
    const { tab, answer, respond, browser, said, platform } = await openUnanswered()
    const { conversation, draft } = tab.core.models
    const files = await loadModel(tab)
    expect(canWrite(tab)).toBe(false)
    draft.setText('Where is my order')
    conversation.outbox.send('Where is my order?')
    files.add([textFile('passport.txt')])
    void conversation.handoverRequest.send()
    expect([draftOf(tab), visible(tab), files.draft.value]).toEqual(['', [], []])
    answer(respond(200, body))
    await browser.clock.advance(5000)
    expect([tab.core.contact(), draftOf(tab), visible(tab), canWrite(tab)]).toEqual([ada, '', ['Dear Ada'], true])
    expect([said(adaToken).length, filesOf(said(adaToken))]).toEqual([1, []])
    expect(platform.log.filter(({ path }) => path === '/sessions')).toEqual([])
  })

  it('the visitor can write as soon as the site has said that nobody is signed in', async () => {
    const { tab, answer, respond, browser } = await openUnanswered()
    answer(respond(401))
    await settle()
    expect(canWrite(tab)).toBe(true)
    tab.core.models.conversation.outbox.send('Where is my order?')
    await browser.clock.advance(5000)
    expect([visible(tab), browser.token()?.[0]]).toEqual([['Where is my order?'], 'v'])
  })

  it('what was in the composer before the question stays there if nobody is signed in, and is dropped otherwise', async () => {
    for (const name of [null, 'ada']) {
      const { openTab, site, browser } = createSite()
      const tab = openTab()
      tab.core.models.draft.setText('Half a')
      site.signedIn = name
      tab.core.setOpen(true)
      await browser.clock.advance(1000)
      expect([tab.core.contact(), draftOf(tab)]).toEqual(name ? [ada, ''] : [null, 'Half a'])
    }
  })

  it('an anonymous message that has not been sent waits, and is dropped if the site names a contact', async () => {
    const setUp = createSite()
    const { openTab, site, browser, respond, platform } = setUp
    const tab = openTab()
    platform.intercept = (_, path) => (path === '/messages' ? respond(503) : undefined)
    tab.core.models.conversation.outbox.send('Somebody else’s')
    await browser.clock.advance(1000)
    const answer = site.holdAnswer()
    void tab.core.models.refreshSignIn()
    await browser.clock.advance(1000)
    platform.intercept = () => undefined
    platform.log.length = 0
    await browser.clock.advance(1900)
    expect(messagesSent(setUp)).toEqual([])
    answer(respond(200, body))
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), visible(tab), messagesSent(setUp)]).toEqual([ada, ['Dear Ada'], []])
  })
})

describe('where the site has not answered for 3 s', () => {
  /** A chat in which the visitor goes on anonymously. `say` writes a message. */
  async function goOn() {
    const setUp = await openUnanswered()
    await setUp.browser.clock.advance(2999)
    expect(canWrite(setUp.tab)).toBe(false)
    await setUp.browser.clock.advance(1)
    expect(canWrite(setUp.tab)).toBe(true)
    const say = () => setUp.tab.core.models.conversation.outbox.send('Where is my order?')
    return { ...setUp, say }
  }

  it('the visitor goes on anonymously', async () => {
    const { tab, browser, say } = await goOn()
    say()
    await browser.clock.advance(1000)
    expect([visible(tab), browser.token()?.[0]]).toEqual([['Where is my order?'], 'v'])
  })

  it('a late answer logs in if nothing was sent, without the draft', async () => {
    const { tab, answer, respond, browser } = await goOn()
    tab.core.models.draft.setText('Somebody else’s')
    answer(respond(200, body))
    await browser.clock.advance(1000)
    expect([tab.core.contact(), draftOf(tab), visible(tab)]).toEqual([ada, '', ['Dear Ada']])
  })

  it('a retry logs in if nothing was sent', async () => {
    const { tab, site, browser } = await goOn()
    site.answer = undefined
    site.signedIn = 'ada'
    await browser.clock.advance(minuteMs)
    expect(tab.core.contact()).toEqual(ada)
  })

  it('a late answer counts only in the next page once something was sent', async () => {
    const { tab, site, answer, respond, browser, openTab, say } = await goOn()
    say()
    answer(respond(200, body))
    site.answer = undefined
    site.signedIn = 'ada'
    await browser.clock.advance(1000)
    // Neither a return to the page nor the chat’s being opened again is a reason to take the conversation away.
    tab.setHidden(true)
    await browser.clock.advance(2 * minuteMs)
    tab.setHidden(false)
    tab.core.setOpen(false)
    tab.core.setOpen(true)
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), visible(tab)]).toEqual([null, ['Where is my order?']])
    tab.fire('pagehide')
    tab.core.destroy()
    const next = openTab()
    next.core.setOpen(true)
    await browser.clock.advance(1000)
    expect([next.core.contact(), visible(next)]).toEqual([ada, ['Dear Ada']])
  })

  it.each([
    ['refresh()', (tab: Tab) => tab.core.models.refreshSignIn(), grace],
    ['login()', (tab: Tab) => tab.core.login(adaToken), ada],
  ])('%s counts at once, though something was sent', async (_, call, expected) => {
    const { tab, site, browser, say, said } = await goOn()
    say()
    await browser.clock.advance(1000)
    site.answer = undefined
    site.signedIn = 'grace'
    void call(tab)
    await browser.clock.advance(1000)
    expect([tab.core.contact(), visible(tab).length]).toEqual([expected, 1])
    expect([...said(adaToken), ...said(graceToken)].map(({ text }) => text)).toEqual(['Dear Ada', 'Dear Grace'])
  })

  it('a login in another tab is shown once the site confirms it, though something was sent', async () => {
    const { tab, site, browser, openTab, say } = await goOn()
    say()
    site.answer = undefined
    site.signedIn = 'ada'
    const other = openTab()
    other.core.setOpen(true)
    await browser.clock.advance(5000)
    expect([visible(other), visible(tab)]).toEqual([['Dear Ada'], ['Dear Ada']])
  })

  it('a token whose answer was too late is revoked', async () => {
    const { tab, answer, respond, browser, platform, say } = await goOn()
    let verify = () => {}
    platform.intercept = (_, path, init) => {
      if (path !== '/session/retrieve') return undefined
      platform.intercept = () => undefined
      return new Promise(resolve => {
        verify = () => resolve(platform.fetch(`https://chat.example/widget${path}`, init))
      })
    }
    answer(respond(200, body))
    await settle()
    say()
    verify()
    await browser.clock.advance(1000)
    expect([tab.core.contact(), platform.sessions.get(adaToken)?.ended]).toEqual([null, 'logged_out'])
  })

  it('a stored contact stays hidden, and nobody can write', async () => {
    const { openTab, site, browser, tab: former } = await createSiteWithAda()
    former.core.destroy()
    site.holdAnswer()
    const tab = openTab()
    tab.core.setOpen(true)
    await browser.clock.advance(10 * minuteMs)
    tab.core.models.conversation.outbox.send('Somebody else’s')
    const { isViewHidden } = tab.core.models.signIn
    expect([isViewHidden.value, canWrite(tab), tab.core.models.conversation.outbox.pending.value]).toEqual([
      true,
      false,
      [],
    ])
  })

  it('a hidden page does not go on anonymously before the site was asked', async () => {
    const setUp = createSite()
    const { openTab, site, browser } = setUp
    site.signedIn = 'ada'
    const tab = openTab({ hidden: true })
    tab.core.models.message({ text: 'Where is my order?' })
    await browser.clock.advance(10_000)
    expect([canWrite(tab), messagesSent(setUp)]).toEqual([false, []])
    tab.setHidden(false)
    await browser.clock.advance(1000)
    expect(visible(tab)).toEqual(['Dear Ada', 'Where is my order?'])
  })

  it('the visitor also goes on if the code that asks the site cannot be fetched', async () => {
    const setUp = createSite()
    const { openTab, site, browser } = setUp
    site.signedIn = 'ada'
    const chunk = createFailingChunk()
    const tab = openTab({ site: chunk.load })
    tab.core.setOpen(true)
    await browser.clock.advance(3000)
    expect([canWrite(tab), tab.core.models.signIn.isUnreachable.value]).toEqual([true, true])
    chunk.canLoad = true
    await browser.clock.advance(minuteMs)
    expect(visible(tab)).toEqual(['Dear Ada'])
  })
})
