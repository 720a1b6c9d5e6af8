import { expectNothingLeft } from 'natter/testing'
import { readGuide } from '../src/guides.ts'
import { test as base, Chat, expect } from './fixtures.ts'
import { authState, type RecipeSite, signIn, startCompleteSite, startRecipeSite } from './recipeSite.ts'

/** The README's page, as it stands there but for the addresses that a reader replaces. */
const readmePage = ({ baseUrl, botId }: { baseUrl: string; botId: string }) =>
  (/^<!doctype html>[\s\S]*?(?=^```)/m.exec(readGuide('README.md'))?.[0] ?? '')
    .replace('https://chat.example', baseUrl)
    .replace('BOT_ID', botId)

const test = base.extend<{ recipeSite: RecipeSite }>({
  recipeSite: async ({ platform }, use) => {
    const site = await startRecipeSite(platform, 'server.ts', readmePage(platform))
    await use(site)
    await site.close()
  },
})

test("the README's page shows a contact's chat, and nothing of it after the site's sign-out", async ({
  page,
  recipeSite,
}) => {
  const secret = `My parcel was opened ${crypto.randomUUID().slice(0, 8)}`
  const session = await signIn(page, recipeSite)
  await page.route('**/sign-out', route => {
    recipeSite.sessions.delete(session)
    return route.fulfill({ status: 204 })
  })
  await page.goto(recipeSite.url)
  await page.getByRole('button', { name: 'Ask us' }).click()
  const chat = new Chat(page)
  await expect(chat.panel).toContainText('Chatting as Ada Lovelace')
  await expect(page.getByText('Signed in as Ada Lovelace')).toBeVisible()
  await chat.say(secret)
  await page.getByRole('button', { name: 'Sign out' }).press('Enter')
  await expect.poll(() => authState(page)).toBe('anonymous')
  await expect(page.getByText('Signed in as')).toHaveCount(0)
  await expect(chat.panel).not.toContainText('Ada')
  await expectNothingLeft(page, { texts: [secret, 'Lovelace', /c:[0-9a-f]{64}/], memory: false })
})

test("the README's page signs the chat in by its own button", async ({ page, recipeSite }) => {
  await page.route('**/sign-in', async route => {
    await signIn(page, recipeSite)
    await route.fulfill({ status: 204 })
  })
  await page.goto(recipeSite.url)
  await expect.poll(() => authState(page)).toBe('anonymous')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect.poll(() => authState(page)).toBe('identified')
  await expect(page.getByText('Signed in as Ada Lovelace')).toBeVisible()
})

test("the README's page opens the chat by a click that comes before the script", async ({ page, recipeSite }) => {
  await page.route('**/natter.js', async route => {
    await page.getByRole('button', { name: 'Ask us' }).click()
    await route.continue()
  })
  await page.goto(recipeSite.url)
  await expect(new Chat(page).panel).toBeVisible()
})

test("the README's page signs in and out of the complete site of the SDK's guide", async ({ page, platform }) => {
  const site = await startCompleteSite(platform, readmePage(platform))
  await page.goto(site.url)
  await expect.poll(() => authState(page)).toBe('anonymous')
  await page.getByLabel('Person').selectOption('Grace')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect.poll(() => authState(page)).toBe('identified')
  await page.getByRole('button', { name: 'Ask us' }).click()
  const chat = new Chat(page)
  await expect(chat.panel).toContainText('Chatting as Grace Hopper')
  await page.getByRole('button', { name: 'Sign out' }).press('Enter')
  await expect.poll(() => authState(page)).toBe('anonymous')
  await expect(chat.panel).not.toContainText('Ada')
  await site.close()
})
