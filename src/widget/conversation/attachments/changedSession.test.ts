import { describe, expect, it } from 'vitest'
import { settle } from '../../testing/fakeClock.ts'
import { filesOf, loadModel, signIn, textFile } from '../../testing/fileFixtures.ts'
import { ada, adaToken, contactToken, graceToken } from '../../testing/fixtures.ts'
import { createSiteWithAda } from '../../testing/siteFixtures.ts'

describe('an upload', () => {
  it.each(['in the composer', 'of a message'])(
    'is stopped while the site is asked whose session it is: of a file %s',
    async where => {
      const { platform, site, respond, tab, browser, said } = await createSiteWithAda()
      const model = await loadModel(tab)
      const signals: (AbortSignal | null | undefined)[] = []
      platform.intercept = (method, _, { signal }) => {
        if (method !== 'PUT') return undefined
        signals.push(signal)
        return new Promise(() => {})
      }
      model.add([textFile('a.txt')])
      const send = () => tab.core.models.conversation.outbox.send('See this', { files: model.takeDraft() })
      if (where === 'of a message') send()
      await settle()
      expect(signals.map(signal => signal?.aborted)).toEqual([false])
      const answer = site.holdAnswer()
      void tab.core.models.signIn.refresh()
      await settle()
      expect(signals.map(signal => signal?.aborted)).toEqual([true])
      await browser.clock.advance(5000)
      expect(signals).toHaveLength(1)
      platform.intercept = () => undefined
      if (where === 'in the composer') send()
      answer(respond(204))
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

  it.each(['this tab', 'another tab'])('stay when %s logs in with another token of the same contact', async where => {
    const { platform, model, browser, tab, said, send } = await signIn()
    platform.addContact(next, ada)
    const other = browser.openTab()
    await settle()
    model.add([textFile('a.txt')])
    await settle()
    const seen: number[] = []
    const unsubscribe = model.draft.subscribe(files => seen.push(files.length))
    await (where === 'this tab' ? tab : other).core.login(next)
    await browser.clock.advance(3000)
    unsubscribe()
    // In between it may be anybody's session.
    expect([seen[0], Math.min(...seen), seen.at(-1)]).toEqual([1, 0, 1])
    send('See this')
    await browser.clock.advance(3000)
    expect(filesOf(said(next))).toEqual(['a.txt'])
  })

  it('do not come back if the contact has logged out before', async () => {
    const { platform, model, browser, tab } = await signIn()
    platform.addContact(next, ada)
    model.add([textFile('a.txt')])
    await settle()
    void tab.core.logout()
    await tab.core.login(next)
    await browser.clock.advance(3000)
    expect(model.draft.value).toEqual([])
  })

  it('stay behind those that are added during the login, up to the limit', async () => {
    const { platform, model, browser, tab } = await signIn()
    platform.addContact(next, ada)
    model.add([1, 2, 3].map(number => textFile(`before ${number}.txt`)))
    await settle()
    const login = tab.core.login(next)
    model.add([1, 2, 3].map(number => textFile(`during ${number}.txt`)))
    await login
    await browser.clock.advance(1000)
    expect(model.draft.value.map(({ name }) => name)).toEqual([
      'before 1.txt',
      'before 2.txt',
      'during 1.txt',
      'during 2.txt',
      'during 3.txt',
    ])
  })

  it.each(['logout', 'a failed login', 'the login of another contact', 'logout during a login'])(
    'are dropped for good on %s',
    async how => {
      const { platform, model, browser, tab } = await signIn()
      platform.addContact(next, ada)
      model.add([textFile('a.txt')])
      await settle()
      const [file] = model.draft.value
      if (how === 'logout') await tab.core.logout()
      else if (how === 'a failed login') await tab.core.login(contactToken('d')).catch(() => {})
      else if (how === 'the login of another contact') await tab.core.login(graceToken)
      else {
        const login = tab.core.login(next).catch(() => {})
        await tab.core.logout()
        await login
      }
      await browser.clock.advance(1000)
      await tab.core.login(next)
      await browser.clock.advance(1000)
      expect(model.draft.value).toEqual([])
      expect(model.blobsOf(file ? [file] : []).size).toBe(0)
    },
  )
})
