import { describe, expect, it } from 'vitest'
import { settle } from '../../testing/fakeClock.ts'
import { problem } from '../../testing/fakePlatform.ts'
import { filesOf, loadModel, signIn, textFile } from '../../testing/fileFixtures.ts'
import { ada, adaToken, contactToken, createAcme, graceToken } from '../../testing/fixtures.ts'
import { createSiteWithAda } from '../../testing/siteFixtures.ts'

describe('an upload', () => {
  it.each(['in the composer', 'of a message'])(
    'is not tried again while the site is asked whose session it is: of a file %s',
    async where => {
      const { platform, site, respond, tab, browser, said } = await createSiteWithAda()
      const model = await loadModel(tab)
      const failures: (() => void)[] = []
      platform.intercept = method =>
        method === 'PUT' ? new Promise(resolve => failures.push(() => resolve(respond(503)))) : undefined
      model.add([textFile('a.txt')])
      const send = () => tab.core.models.conversation.outbox.send('See this', { files: model.takeDraft() })
      if (where === 'of a message') send()
      await settle()
      const answer = site.holdAnswer()
      void tab.core.models.signIn.refresh()
      await settle()
      failures[0]?.()
      await browser.clock.advance(5000)
      expect(failures).toHaveLength(1)
      platform.intercept = () => undefined
      answer(respond(204))
      await browser.clock.advance(5000)
      if (where === 'in the composer') send()
      await browser.clock.advance(5000)
      expect(filesOf(said(adaToken))).toEqual(['a.txt'])
    },
  )

  it.each(['logs out', 'is signed out by the platform', 'becomes another contact'])(
    'is stopped for good when the visitor %s',
    async how => {
      const { platform, model, browser, tab, uploads } = await signIn()
      const signals: (AbortSignal | null | undefined)[] = []
      platform.intercept = (method, _, { signal }) => {
        if (method !== 'PUT') return undefined
        signals.push(signal)
        return new Promise(() => {})
      }
      model.add([textFile('a.txt'), textFile('b.txt')])
      await settle()
      if (how === 'logs out') await tab.core.logout()
      else if (how === 'becomes another contact') await tab.core.login(graceToken)
      else platform.end(adaToken, 'revoked')
      await browser.clock.advance(60_000)
      expect(signals.map(signal => signal?.aborted)).toEqual([true])
      expect([uploads().length, model.draft.value]).toEqual([1, []])
    },
  )
})

describe('the files in the composer', () => {
  const next = contactToken('c')

  it.each(['this tab', 'another tab'])('stay when the site gives %s another token of the same contact', async where => {
    const { platform, tab, browser, site, openTab, respond, said } = await createSiteWithAda()
    const model = await loadModel(tab)
    platform.addContact(next, ada)
    const other = openTab()
    await settle()
    model.add([textFile('a.txt')])
    await settle()
    const seen: number[] = []
    const unsubscribe = model.draft.subscribe(files => seen.push(files.length))
    site.answer = () => respond(200, JSON.stringify({ data: { token: next } }))
    void (where === 'this tab' ? tab : other).core.models.refreshSignIn()
    await browser.clock.advance(3000)
    unsubscribe()
    expect([Math.min(...seen), tab.core.models.session.token()]).toEqual([1, next])
    tab.core.models.conversation.outbox.send('See this', { files: model.takeDraft() })
    await browser.clock.advance(3000)
    expect(filesOf(said(next))).toEqual(['a.txt'])
  })

  it('can be sent if they were refused in an anonymous session, and are uploaded in the one after it', async () => {
    const { platform, browser } = createAcme()
    const tab = browser.openTab()
    await settle()
    const { outbox } = tab.core.models.conversation
    outbox.send('First')
    await settle()
    const model = await loadModel(tab)
    const [token] = [...platform.sessions].at(-1) ?? []
    platform.intercept = method => (method === 'PUT' ? problem(415, 'unsupported_media_type') : undefined)
    model.add([textFile('a.txt')])
    await settle()
    expect(model.draftStatus.value).toBe('failed')
    platform.intercept = () => undefined
    platform.end(token ?? '', 'expired')
    await browser.clock.advance(5000)
    expect(model.draftStatus.value).toBe('ready')
  })

  it.each([
    'logout',
    'a failed login',
    'the login of another contact',
    'a login by the page with another token',
    'logout during a login',
  ])('are dropped for good on %s', async how => {
    const { platform, model, browser, tab } = await signIn()
    platform.addContact(next, ada)
    model.add([textFile('a.txt')])
    await settle()
    const [file] = model.draft.value
    if (how === 'logout') await tab.core.logout()
    else if (how === 'a failed login') await tab.core.login(contactToken('d')).catch(() => {})
    else if (how === 'the login of another contact') await tab.core.login(graceToken)
    else if (how === 'a login by the page with another token') await tab.core.login(next)
    else {
      const login = tab.core.login(next).catch(() => {})
      await tab.core.logout()
      await login
    }
    await browser.clock.advance(1000)
    await tab.core.login(next)
    await browser.clock.advance(1000)
    expect(model.draft.value).toEqual([])
    expect(model.uploads.blobsOf(file ? [file] : []).size).toBe(0)
  })
})
