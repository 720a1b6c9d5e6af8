import { randomUUID } from 'node:crypto'
import AxeBuilder from '@axe-core/playwright'
import { Chat, expect, test } from './fixtures.ts'

declare global {
  interface Window {
    /** Kept by the strict host page. */
    violations: string[]
  }
}

test('a whole conversation under the strictest policy reports no violation', async ({ page, hostPage, client }) => {
  const complaints: string[] = []
  page.on('console', line => {
    if (/content security|trusted/i.test(line.text())) complaints.push(line.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  await page.goto(hostPage.url)
  const chat = new Chat(page)
  await chat.open()
  await chat.ask('How do I return something?', /30 days/)

  const email = `${randomUUID()}@example.com`
  await client.contacts.create({ name: 'Katherine Johnson', email })
  const { token } = await client.contactTokens.create({ email })
  const answer = await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  expect(answer.contact?.name).toBe('Katherine Johnson')
  await expect(chat.panel).toContainText('Chatting as Katherine Johnson')
  await chat.ask('Which sizes do you have?', /XS/)
  await page.evaluate(() => window.Natter.auth.contacts.logout())
  await expect(chat.panel).not.toContainText('Katherine')
  await chat.composer.press('Escape')
  await expect(chat.panel).toBeHidden()
  await expect(chat.launcher).toBeFocused()

  // The policy is really in force: what it forbids is refused and seen.
  expect(await page.evaluate(() => window.violations)).toEqual([])
  const refused = await page.evaluate(() => {
    try {
      document.body.innerHTML = '<p>injected</p>'
      return false
    } catch {
      return true
    }
  })
  expect(refused).toBe(true)
  // What was just tried, in the words of either browser, and the page's own icon.
  expect(complaints.filter(line => !/TrustedHTML|injection sink|favicon/.test(line))).toEqual([])
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing in the open panel and the demo page (${colorScheme})`, async ({ shop, page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await shop.visit()
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
    await shop.signIn('Ada')
    await shop.chat.open()
    await shop.chat.ask('Where is my order?', /tracking link/)
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
  })
}
