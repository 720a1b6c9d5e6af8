import { randomUUID } from 'node:crypto'
import { collectErrors } from './demoPage.ts'
import { Chat, expect, test } from './fixtures.ts'

declare global {
  interface Window {
    /** Recorded by the strict host page. */
    violations: string[]
  }
}

test('a whole conversation under the strictest policy reports no violation', async ({ page, hostPage, client }) => {
  const errors = collectErrors(page)
  await page.goto(hostPage.url)
  const chat = new Chat(page)
  await chat.open()
  await chat.ask('How do I return something?', /30 days/)

  const email = `${randomUUID()}@example.com`
  await client.contacts.create({ name: 'Katherine Johnson', email })
  const { token } = await client.contactTokens.create({ email })
  const result = await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  expect(result.contact?.name).toBe('Katherine Johnson')
  await expect(chat.panel).toContainText('Chatting as Katherine Johnson')
  await chat.ask('Which sizes do you have?', /XS/)
  await page.evaluate(() => window.Natter.auth.contacts.logout())
  await expect(chat.panel).not.toContainText('Katherine')
  await chat.composer.press('Escape')
  await expect(chat.panel).toBeHidden()
  await expect(chat.launcher).toBeFocused()

  // Check that the policy is really in force: a violation is blocked and reported.
  expect(await page.evaluate(() => window.violations)).toEqual([])
  const isBlocked = await page.evaluate(() => {
    try {
      document.body.innerHTML = '<p>injected</p>'
      return false
    } catch {
      return true
    }
  })
  expect(isBlocked).toBe(true)
  // Except for the violation above, as each browser words it, and the page's icon.
  expect(errors.filter(line => !/TrustedHTML|injection sink|favicon/.test(line))).toEqual([])
})
