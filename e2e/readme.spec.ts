import { expectNothingLeft } from 'natter/testing'
import { test as base, Chat, expect } from './fixtures.ts'
import { authState, type RecipeSite, readmePage, signIn, startRecipeSite } from './recipeSite.ts'

const test = base.extend<{ recipeSite: RecipeSite }>({
  recipeSite: async ({ platform }, use) => {
    const site = await startRecipeSite(platform, 'server.ts', readmePage(platform))
    await use(site)
    await site.close()
  },
})

test("the README's page opens the chat early, signs in, and shows nothing of a contact's chat after the site's sign-out", async ({
  page,
  recipeSite,
}) => {
  const chat = new Chat(page)
  let session = ''
  await test.step('it opens the chat by a click that comes before the script', async () => {
    await page.route('**/natter.js', async route => {
      await page.getByRole('button', { name: 'Ask us' }).click()
      await route.continue()
    })
    await page.goto(recipeSite.url)
    await expect(chat.panel).toBeVisible()
    await page.unroute('**/natter.js')
  })
  await test.step('it signs the chat in by its own button', async () => {
    await page.route('**/sign-in', async route => {
      session = await signIn(page, recipeSite)
      await route.fulfill({ status: 204 })
    })
    await page.goto(recipeSite.url)
    await expect.poll(() => authState(page)).toBe('anonymous')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => authState(page)).toBe('identified')
    await expect(page.getByText('Signed in as Ada Lovelace')).toBeVisible()
  })
  await test.step("it shows a contact's chat, and nothing of it after the site's sign-out", async () => {
    const secret = `My parcel was opened ${crypto.randomUUID().slice(0, 8)}`
    await page.route('**/sign-out', route => {
      recipeSite.sessions.delete(session)
      return route.fulfill({ status: 204 })
    })
    await page.goto(recipeSite.url)
    await page.getByRole('button', { name: 'Ask us' }).click()
    await expect(chat.panel).toContainText('Chatting as Ada Lovelace')
    await expect(page.getByText('Signed in as Ada Lovelace')).toBeVisible()
    await chat.say(secret)
    await page.getByRole('button', { name: 'Sign out' }).press('Enter')
    await expect.poll(() => authState(page)).toBe('anonymous')
    await expect(page.getByText('Signed in as')).toHaveCount(0)
    await expect(chat.panel).not.toContainText('Ada')
    await expectNothingLeft(page, { texts: [secret, 'Lovelace', /c:[0-9a-f]{64}/], memory: false })
  })
})
