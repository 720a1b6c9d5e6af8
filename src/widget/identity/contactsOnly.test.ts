import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { botProfile, problem, reply } from '../testing/fakePlatform.ts'
import { createSite, visible } from '../testing/siteFixtures.ts'

describe('a bot that talks to contacts only', () => {
  it('asks the page to sign the visitor in, and then shows the contact’s conversation', async () => {
    const { site, openTab, platform } = createSite()
    platform.intercept = (_, path) => (path === '' ? reply(200, { ...botProfile, visitors: 'contacts' }) : undefined)
    const tab = openTab()
    tab.core.setOpen(true)
    await settle()
    const { signIn } = tab.core.models
    expect(signIn.isRequired.value).toBe(true)
    site.signedIn = 'ada'
    signIn.request()
    await settle()
    expect(tab.events).toContainEqual(['signin', undefined])
    expect([signIn.isRequired.value, visible(tab)]).toEqual([false, ['Dear Ada']])
  })

  it.each(['closed', 'open'])(
    'marks an anonymous message as failed when the platform refuses it, in a chat that is %s',
    async how => {
      const { openTab, platform } = createSite()
      let visitors = 'everyone'
      platform.intercept = (_, path) => {
        if (path === '') return reply(200, { ...botProfile, visitors })
        return path === '/sessions' && visitors === 'contacts' ? problem(403, 'login_required') : undefined
      }
      const tab = openTab({ tokenUrl: undefined })
      tab.core.setOpen(how === 'open')
      await settle()
      visitors = 'contacts'
      const { conversation, signIn } = tab.core.models
      expect(signIn.isRequired.value).toBe(false)
      conversation.outbox.send('Hello')
      await settle()
      expect(signIn.isRequired.value).toBe(true)
      expect(conversation.outbox.pending.value).toMatchObject([
        { text: 'Hello', status: 'failed', failure: 'rejected' },
      ])
    },
  )

  it('requires a sign-in when it ends an anonymous session', async () => {
    const { openTab, platform, browser } = createSite()
    let visitors = 'everyone'
    platform.intercept = (_, path) => (path === '' ? reply(200, { ...botProfile, visitors }) : undefined)
    const tab = openTab({ tokenUrl: undefined })
    tab.core.setOpen(true)
    tab.core.models.conversation.outbox.send('Hello')
    await settle()
    visitors = 'contacts'
    platform.end(`${browser.token()}`, 'revoked')
    await settle()
    expect([tab.core.models.signIn.isRequired.value, visible(tab)]).toEqual([true, []])
  })
})
